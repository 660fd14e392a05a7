#pragma once

#include <optional>
#include <string_view>

#include "common/base/ids.h"
#include "common/base/limits.h"
#include "common/base/result.h"
#include "common/feeds/activity_page.h"
#include "common/http/message.h"

// Ids and paging parameters of requests. Every error names the parameter.
namespace feeds::read_api {

// The id in a path segment. Error: kBadPath.
template <class IdType>
Result<IdType> path_id(const http::Request& request, std::size_t index, std::string_view name) {
  const auto id = parse_decimal(request.path_value(index));
  if (id) return IdType{*id};
  return Error{Code::kBadPath, std::string(name) + " must be decimal digits"};
}

// An id in the query. nullopt if absent. Error: kBadParameter.
Result<std::optional<std::uint64_t>> query_id(const http::Request& request, std::string_view name);

// `after`, an id. nullopt if absent. Error: kBadParameter.
template <class IdType>
Result<std::optional<IdType>> query_after(const http::Request& request) {
  const auto after = query_id(request, "after");
  if (!after) return after.error();
  return *after ? std::optional(IdType{**after}) : std::optional<IdType>();
}

// `limit`, or another parameter of its kind, 1…1000. nullopt if absent. Error: kBadParameter.
Result<std::optional<std::uint64_t>> query_limit(const http::Request& request,
                                                 std::string_view name = "limit");

// `limit` and, as `offsetId`, the id of an activity, which need not exist.
// Error: kBadParameter, kBadOffset.
Result<ActivityPageRequest> query_activity_page(const http::Request& request);

}  // namespace feeds::read_api
