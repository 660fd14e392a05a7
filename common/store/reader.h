#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/store/view.h"

namespace feeds::store {

// What can be read: committed data (ViewReader), or a group under construction as its commands have left
// it so far (commit::Group). Reads that both need are written against this once. One thread's.
class Reader {
 public:
  using Visit = std::function<bool(std::string_view key, std::string_view value)>;

  virtual ~Reader() = default;
  // The value of a row, nullopt if absent. Error: kInternal.
  virtual Result<std::optional<std::string>> get(std::string_view key) = 0;
  // Calls `f` for each entry of [first, end), in order, until it returns false. `f` may read, but must
  // not write: what it sees of later writes is not defined. Error: kInternal.
  virtual Status scan(std::string_view first, std::string_view end, const Visit& f) = 0;
};

// A view as a Reader. `f` of scan() must not use the same ViewReader.
class ViewReader : public Reader {
 public:
  explicit ViewReader(View& view) : view_(view) {}

  Result<std::optional<std::string>> get(std::string_view key) override {
    const auto value = view_.find(key);
    if (auto status = view_.status(); !status) return status.error();
    return value ? std::optional(std::string(*value)) : std::nullopt;
  }
  Status scan(std::string_view first, std::string_view end, const Visit& f) override {
    view_.scan(first, end, f);
    return view_.status();
  }

 private:
  View& view_;
};

}  // namespace feeds::store
