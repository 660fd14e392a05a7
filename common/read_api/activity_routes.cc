#include "common/feeds/activity_list.h"
#include "common/read_api/parameters.h"
#include "common/read_api/routes.h"

namespace feeds::read_api {
namespace {

using http::ExchangePtr;

void get_feed_activities(const ReadContext& context, const ExchangePtr& exchange) {
  const auto feed = path_id<FeedId>(exchange->request(), 0, "feedId");
  if (!feed) return exchange->send_error(feed.error());
  const auto page = query_activity_page(exchange->request());
  if (!page) return exchange->send_error(page.error());
  serve_body(context, exchange,
             [feed = *feed, page = *page](auto& view, auto& pending, auto& body) {
               return append_feed_activities(view, pending, feed, page, body);
             });
}

void get_activity(const ReadContext& context, const ExchangePtr& exchange) {
  const auto activity = path_id<ActivityId>(exchange->request(), 0, "activityId");
  if (!activity) return exchange->send_error(activity.error());
  serve_body(context, exchange, [activity = *activity](auto& view, auto& pending, auto& body) {
    return append_activity(view, pending, activity, body);
  });
}

// `collectionId`; absent is empty.
Result<std::string> query_collection(const http::Request& request) {
  auto collection = request.query_value("collectionId");
  if (!collection) return collection.error();
  return std::move(*collection).value_or("");
}

void get_by_object(const ReadContext& context, const ExchangePtr& exchange) {
  const auto& request = exchange->request();
  auto collection = query_collection(request);
  if (!collection) return exchange->send_error(collection.error());
  ObjectReference object{std::move(*collection), std::string(request.path_value(0))};
  serve_body(context, exchange,
             [object = std::move(object)](auto& view, auto& pending, auto& body) {
               return append_activity_by_object(view, pending, object, body);
             });
}

void get_activities(const ReadContext& context, const ExchangePtr& exchange) {
  const auto& request = exchange->request();
  auto object_id = request.query_value("objectId");
  if (!object_id) return exchange->send_error(object_id.error());
  if (!*object_id || (*object_id)->empty()) {
    return exchange->send_error({Code::kMissingParameter, "objectId is missing"});
  }
  auto collection = query_collection(request);
  if (!collection) return exchange->send_error(collection.error());
  const auto page = query_activity_page(request);
  if (!page) return exchange->send_error(page.error());
  ObjectReference object{std::move(*collection), std::move(**object_id)};
  serve_body(context, exchange,
             [object = std::move(object), page = *page](auto& view, auto& pending, auto& body) {
               return append_object_activities(view, pending, object, page, body);
             });
}

}  // namespace

void mount_activity_routes(http::Router& router, const ReadContext& context) {
  const auto add = [&](std::string pattern, auto handler) {
    router.add(
        {.method = http::Method::kGet,
         .pattern = std::move(pattern),
         .handler = [&context, handler](const auto& exchange) { handler(context, exchange); }});
  };
  add("/v1/feeds/{feedId}/activities", get_feed_activities);
  add("/v1/activities", get_activities);
  add("/v1/activities/{activityId}", get_activity);
  add("/v1/activities/byObject/{objectId}", get_by_object);
}

}  // namespace feeds::read_api
