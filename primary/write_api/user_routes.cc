#include <fmt/format.h>

#include "common/feeds/user.h"
#include "common/json/text.h"
#include "common/read_api/parameters.h"
#include "primary/commands/user.h"
#include "primary/write_api/routes.h"

namespace feeds::write_api {
namespace {

using http::ExchangePtr;
using http::Method;

// Answers with the user as it is at or after the commit: body and position are of one view.
void send_user(const WriteContext& context, UserId user, http::Exchange& exchange) {
  auto database = context.read.store.acquire();
  if (!database) {
    return exchange.send_error({Code::kOutcomeUnknown, "the store closed behind the commit"});
  }
  store::View view(std::move(*database));
  exchange.reply().position = view.position();
  const auto status = append_user(view, user, exchange.reply().body);
  if (!status) return exchange.send_error(status.error());
  exchange.send();
}

void create_user(const WriteContext& context, const ExchangePtr& exchange) {
  if (!exchange->request().body.empty()) {
    const auto object = json::parse_object(exchange->request().body);
    if (!object) return exchange->send_error(object.error());
    if (auto known = object->only({}); !known) return exchange->send_error(known.error());
  }
  run_command<commands::CreateUser>(context, exchange, {}, 0, [](auto& done, auto& reply_to) {
    reply_to.reply().status = 201;
    reply_to.reply().location = fmt::format("/v1/users/{}", done.user.value);
    reply_to.reply().body += fmt::format(R"({{"id":{},"feeds":{{}}}})", done.user.value);
    reply_to.send();
  });
}

template <class Command>
void change_subscription(const WriteContext& context, const ExchangePtr& exchange) {
  const auto user = read_api::path_id<UserId>(exchange->request(), 0, "userId");
  if (!user) return exchange->send_error(user.error());
  const auto feed = read_api::query_id(exchange->request(), "feedId");
  if (!feed) return exchange->send_error(feed.error());
  if (!*feed) {
    return exchange->send_error({Code::kMissingParameter, "parameter feedId is missing"});
  }
  run_command<Command>(context, exchange, {*user, FeedId{**feed}}, 0,
                       [&context](auto& done, auto& reply_to) {
                         send_user(context, done.user, reply_to);
                       });
}

}  // namespace

void mount_user_routes(http::Router& router, const WriteContext& context) {
  const auto with = [&context](auto handler) {
    return [&context, handler](const ExchangePtr& exchange) { handler(context, exchange); };
  };
  mount(router, Method::kPost, "/v1/users", with(create_user));
  mount(router, Method::kPost, "/v1/users/{userId}/subscribe",
        with(change_subscription<commands::Subscribe>));
  mount(router, Method::kPost, "/v1/users/{userId}/unsubscribe",
        with(change_subscription<commands::Unsubscribe>));
}

}  // namespace feeds::write_api
