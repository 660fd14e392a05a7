#include "tools/feedctl/history.h"

#include "tools/feedctl/printer.h"

namespace feeds::feedctl {
namespace {
constexpr std::size_t kValues = 30;
}

std::string History::add(const std::string& row, std::optional<std::uint64_t> lag_ms) {
  auto& values = rows_[row];
  values.push_back(lag_ms);
  if (values.size() > kValues) values.pop_front();
  return sparkline(std::vector(values.begin(), values.end()));
}

}  // namespace feeds::feedctl
