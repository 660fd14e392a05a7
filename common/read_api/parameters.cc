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

Result<std::optional<std::uint64_t>> query_limit(const http::Request& request,
                                                 std::string_view name) {
  const auto text = request.query_value(name);
  if (!text) return text.error();
  if (!*text) return std::optional<std::uint64_t>();
  const auto limit = parse_decimal(**text);
  if (!limit || *limit < 1 || *limit > limits::kPageLimitMax) {
    return Error{Code::kBadParameter, std::string(name) + " must be 1…1000"};
  }
  return std::optional(*limit);
}

Result<ActivityPageRequest> query_activity_page(const http::Request& request) {
  const auto limit = query_limit(request);
  if (!limit) return limit.error();
  ActivityPageRequest page;
  page.limit = limit->value_or(limits::kPageLimit);
  const auto offset = request.query_value("offsetId");
  if (!offset) return offset.error();
  if (*offset) {
    const auto id = parse_decimal(**offset);
    if (!id)
      return Error{Code::kBadOffset, "offsetId must be the id of an activity: decimal digits"};
    page.before = ActivityId{*id};
  }
  return page;
}

}  // namespace feeds::read_api
