#include "common/feeds/collection.h"
#include "common/read_api/list_reply.h"
#include "common/read_api/parameters.h"
#include "common/read_api/routes.h"

namespace feeds::read_api {
namespace {

using http::ExchangePtr;

// A page of a list in the order of its ids.
struct IdPage {
  std::uint64_t limit = limits::kPageLimit;
  std::optional<std::string> after;
};

Result<IdPage> query_id_page(const http::Request& request) {
  const auto limit = query_limit(request);
  if (!limit) return limit.error();
  auto after = request.query_value("after");
  if (!after) return after.error();
  return IdPage{limit->value_or(limits::kPageLimit), std::move(*after)};
}

void get_collections(const ReadContext& context, const ExchangePtr& exchange) {
  const auto page = query_id_page(exchange->request());
  if (!page) return exchange->send_error(page.error());
  serve_read(context, exchange, [page = *page](store::View view, auto& reply_to) {
    return send_page(reply_to, list_collections(std::move(view), page.after), page.limit,
                     "collections");
  });
}

void get_collection(const ReadContext& context, const ExchangePtr& exchange) {
  std::string collection(exchange->request().path_value(0));
  serve_body(context, exchange,
             [collection = std::move(collection)](auto& view, auto&, auto& body) {
               return append_collection(view, collection, body);
             });
}

void get_objects(const ReadContext& context, const ExchangePtr& exchange) {
  const auto page = query_id_page(exchange->request());
  if (!page) return exchange->send_error(page.error());
  std::string collection(exchange->request().path_value(0));
  serve_read(context, exchange,
             [page = *page, collection = std::move(collection)](store::View view,
                                                                auto& reply_to) -> Status {
               auto objects = list_objects(std::move(view), collection, page.after);
               if (!objects) return objects.error();
               return send_page(reply_to, std::move(*objects), page.limit, "objects");
             });
}

void get_object(const ReadContext& context, const ExchangePtr& exchange) {
  std::string collection(exchange->request().path_value(0));
  std::string object(exchange->request().path_value(1));
  serve_body(
      context, exchange,
      [collection = std::move(collection), object = std::move(object)](
          auto& view, auto&, auto& body) { return append_object(view, collection, object, body); });
}

}  // namespace

void mount_collection_routes(http::Router& router, const ReadContext& context) {
  const auto add = [&](std::string pattern, auto handler) {
    router.add(
        {.method = http::Method::kGet,
         .pattern = std::move(pattern),
         .handler = [&context, handler](const auto& exchange) { handler(context, exchange); }});
  };
  add("/v1/collections", get_collections);
  add("/v1/collections/{collectionId}", get_collection);
  add("/v1/collections/{collectionId}/objects", get_objects);
  add("/v1/collections/{collectionId}/objects/{objectId}", get_object);
}

}  // namespace feeds::read_api
