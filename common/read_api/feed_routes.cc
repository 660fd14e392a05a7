#include "common/feeds/feed.h"
#include "common/read_api/list_reply.h"
#include "common/read_api/parameters.h"
#include "common/read_api/routes.h"

namespace feeds::read_api {
namespace {

void get_feeds(const ReadContext& context, const http::ExchangePtr& exchange) {
  serve_list(context, exchange, query_after<FeedId>(exchange->request()), "/v1/feeds", list_feeds);
}

void get_feed(const ReadContext& context, const http::ExchangePtr& exchange) {
  const auto& request = exchange->request();
  const auto feed = path_id<FeedId>(request, 0, "feedId");
  if (!feed) return exchange->send_error(feed.error());
  const auto start = query_id(request, "startId");
  if (!start) return exchange->send_error(start.error());
  const auto limit = query_limit(request);
  if (!limit) return exchange->send_error(limit.error());

  ArticlePage page;
  if (*start) page.start = ArticleId{**start};
  page.limit = limit->value_or(limits::kPageLimit);
  serve_page(context, exchange,
             [feed = *feed, page, replica = context.replica](auto& view, auto& body) {
               return append_feed_page(view, feed, page, replica, body);
             });
}

}  // namespace

void mount_feed_routes(http::Router& router, const ReadContext& context) {
  router.add({.method = http::Method::kGet,
              .pattern = "/v1/feeds",
              .handler = [&context](const auto& exchange) { get_feeds(context, exchange); }});
  router.add({.method = http::Method::kGet,
              .pattern = "/v1/feeds/{feedId}",
              .handler = [&context](const auto& exchange) { get_feed(context, exchange); }});
}

}  // namespace feeds::read_api
