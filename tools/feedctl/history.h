#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace feeds::feedctl {

// The last lags of each row of a watched table, for its sparkline. Not thread-safe.
class History {
 public:
  // Adds a value to `row` and gives the sparkline of its last ones.
  std::string add(const std::string& row, std::optional<std::uint64_t> lag_ms);

 private:
  std::map<std::string, std::deque<std::optional<std::uint64_t>>> rows_;
};

}  // namespace feeds::feedctl
