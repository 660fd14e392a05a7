#include "common/read_api/parameters.h"

namespace feeds::read_api {

Result<std::optional<std::uint64_t>> query_id(const http::Request& request, std::string_view name) {
  const auto text = request.query_value(name);
  if (!text) return text.error();
  if (!*text) return std::optional<std::uint64_t>();
  const auto id = parse_decimal(**text);
  if (!id) return Error{Code::kBadParameter, std::string(name) + " must be an id: decimal digits"};
  return std::optional(*id);
}

Result<std::optional<std::uint64_t>> query_limit(const http::Request& request) {
  const auto text = request.query_value("limit");
  if (!text) return text.error();
  if (!*text) return std::optional<std::uint64_t>();
  const auto limit = parse_decimal(**text);
  if (!limit || *limit < 1 || *limit > limits::kPageLimitMax) {
    return Error{Code::kBadParameter, "limit must be 1…1000"};
  }
  return std::optional(*limit);
}

}  // namespace feeds::read_api
