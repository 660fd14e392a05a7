#pragma once

#include <map>
#include <string>

#include "common/store/reader.h"

namespace feeds::test {

// Rows in memory.
class MapReader : public store::Reader {
 public:
  Result<std::optional<std::string>> get(std::string_view key) override {
    const auto found = rows.find(key);
    return found == rows.end() ? std::nullopt : std::optional(found->second);
  }
  Status scan(std::string_view first, std::string_view end, const Visit& f) override {
    for (auto it = rows.lower_bound(first); it != rows.end() && it->first < end; ++it) {
      if (!f(it->first, it->second)) break;
    }
    return done();
  }

  std::map<std::string, std::string, std::less<>> rows;
};

}  // namespace feeds::test
