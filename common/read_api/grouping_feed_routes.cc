#include "common/feeds/grouping_feed.h"
#include "common/read_api/parameters.h"
#include "common/read_api/routes.h"

namespace feeds::read_api {
namespace {

using http::ExchangePtr;

void get_grouping_feed(const ReadContext& context, const ExchangePtr& exchange) {
  const auto feed = path_id<FeedId>(exchange->request(), 0, "feedId");
  if (!feed) return exchange->send_error(feed.error());
  serve_body(context, exchange, [feed = *feed](auto& view, auto&, auto& body) {
    return append_grouping_feed(view, feed, body);
  });
}

Result<GroupPageRequest> query_group_page(const http::Request& request, FeedId feed) {
  const auto limit = query_limit(request);
  if (!limit) return limit.error();
  const auto activity_limit = query_limit(request, "activityLimit");
  if (!activity_limit) return activity_limit.error();
  GroupPageRequest page;
  page.limit = limit->value_or(limits::kGroupPageLimit);
  page.activity_limit = activity_limit->value_or(limits::kPageLimit);
  const auto offset = request.query_value("offsetId");
  if (!offset) return offset.error();
  if (*offset) {
    page.from = decode_cursor(feed, **offset);
    if (!page.from) {
      return Error{Code::kBadOffset,
                   "offsetId is not a group cursor: it must be `next` of a page before"};
    }
  }
  return page;
}

void get_groups(const ReadContext& context, const ExchangePtr& exchange) {
  const auto feed = path_id<FeedId>(exchange->request(), 0, "feedId");
  if (!feed) return exchange->send_error(feed.error());
  const auto page = query_group_page(exchange->request(), *feed);
  if (!page) return exchange->send_error(page.error());
  serve_body(context, exchange,
             [feed = *feed, page = *page](auto& view, auto& pending, auto& body) {
               return append_groups(view, pending, feed, page, body);
             });
}

void get_group_activities(const ReadContext& context, const ExchangePtr& exchange) {
  const auto& request = exchange->request();
  const auto feed = path_id<FeedId>(request, 0, "feedId");
  if (!feed) return exchange->send_error(feed.error());
  auto group = request.query_value("groupKey");
  if (!group) return exchange->send_error(group.error());
  if (!*group) return exchange->send_error({Code::kMissingParameter, "groupKey is missing"});
  const auto page = query_activity_page(request);
  if (!page) return exchange->send_error(page.error());
  serve_body(context, exchange,
             [feed = *feed, group = std::move(**group), page = *page](auto& view, auto& pending,
                                                                      auto& body) {
               return append_group_activities(view, pending, feed, group, page, body);
             });
}

}  // namespace

void mount_grouping_feed_routes(http::Router& router, const ReadContext& context) {
  const auto add = [&](std::string pattern, auto handler) {
    router.add(
        {.method = http::Method::kGet,
         .pattern = std::move(pattern),
         .handler = [&context, handler](const auto& exchange) { handler(context, exchange); }});
  };
  add("/v1/groupingFeeds/{feedId}", get_grouping_feed);
  add("/v1/groupingFeeds/{feedId}/activities", get_groups);
  add("/v1/groupingFeeds/{feedId}/groups/activities", get_group_activities);
}

}  // namespace feeds::read_api
