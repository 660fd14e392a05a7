#include <fmt/format.h>

#include "common/feeds/user.h"
#include "common/json/text.h"
#include "common/read_api/list_reply.h"
#include "common/read_api/parameters.h"
#include "common/read_api/routes.h"

namespace feeds::read_api {
namespace {

void get_users(const ReadContext& context, const http::ExchangePtr& exchange) {
  serve_list(context, exchange, query_after<UserId>(exchange->request()), "/v1/users", list_users);
}

void get_user(const ReadContext& context, const http::ExchangePtr& exchange) {
  const auto user = path_id<UserId>(exchange->request(), 0, "userId");
  if (!user) return exchange->send_error(user.error());
  serve_page(context, exchange, [user = *user](auto& view, auto& body) {
    return append_user(view, user, body);
  });
}

// `{feedId: articleId}`. An absent body names nothing.
Result<std::map<FeedId, ArticleId>> named_feeds(std::string_view body) {
  std::map<FeedId, ArticleId> named;
  if (body.empty()) return named;
  const auto object = json::parse_object(body);
  if (!object) return object.error();
  if (object->members().size() > limits::kSubscriptionsPerUser) {
    return Error{Code::kBadMember,
                 fmt::format("at most {} feeds can be named", limits::kSubscriptionsPerUser)};
  }
  for (const auto& member : object->members()) {
    const auto feed = parse_decimal(member.name);
    if (!feed) {
      return Error{Code::kBadMember, "member \"" + member.name + "\" must be a feed id"};
    }
    const auto start = json::id_value(member);
    if (!start) return start.error();
    named.emplace(FeedId{*feed}, ArticleId{*start});
  }
  return named;
}

void consume(const ReadContext& context, const http::ExchangePtr& exchange) {
  const auto user = path_id<UserId>(exchange->request(), 0, "userId");
  if (!user) return exchange->send_error(user.error());
  auto named = named_feeds(exchange->request().body);
  if (!named) return exchange->send_error(named.error());
  serve_read(context, exchange,
             [user = *user, named = std::move(*named), replica = context.replica](
                 store::View view, auto& reply_to) -> Status {
               auto items = consume_feeds(std::move(view), user, named, replica);
               if (!items) return items.error();
               return send_list(reply_to, std::move(*items), std::nullopt, "");
             });
}

}  // namespace

void mount_user_routes(http::Router& router, const ReadContext& context) {
  router.add({.method = http::Method::kGet,
              .pattern = "/v1/users",
              .handler = [&context](const auto& exchange) { get_users(context, exchange); }});
  router.add({.method = http::Method::kGet,
              .pattern = "/v1/users/{userId}",
              .handler = [&context](const auto& exchange) { get_user(context, exchange); }});
  router.add({.method = http::Method::kPost,
              .pattern = "/v1/users/{userId}/consumeFeeds",
              .body = http::Body::kOptionalJson,
              .handler = [&context](const auto& exchange) { consume(context, exchange); }});
}

}  // namespace feeds::read_api
