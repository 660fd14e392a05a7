#include <fmt/format.h>

#include "common/read_api/parameters.h"
#include "primary/commands/reaction.h"
#include "primary/write_api/answers.h"
#include "primary/write_api/members.h"
#include "primary/write_api/routes.h"

namespace feeds::write_api {
namespace {

using http::ExchangePtr;
using http::Method;
using read_api::path_id;

void create_reaction(const WriteContext& context, const ExchangePtr& exchange) {
  const auto parent = path_id<ActivityId>(exchange->request(), 0, "activityId");
  if (!parent) return exchange->send_error(parent.error());
  const auto& body = exchange->request().body;
  const auto object = json::parse_object(body);
  if (!object) return exchange->send_error(object.error());
  const auto known = object->only({"time", "userId", "activityType", "extraData"});
  if (!known) return exchange->send_error(known.error());
  const auto time = time_member(*object);
  if (!time) return exchange->send_error(time.error());
  auto user = user_member(*object);
  if (!user) return exchange->send_error(user.error());
  auto type = text_member(*object, "activityType");
  if (!type) return exchange->send_error(type.error());
  run_command<commands::CreateReaction>(context, exchange,
                                        {.parent = *parent,
                                         .time_ns = *time,
                                         .user_id = std::move(*user),
                                         .activity_type = std::move(*type),
                                         .extra_data = json_member(*object, "extraData")},
                                        2 * body.size(), send_created([](const auto& done) {
                                          return fmt::format("/v1/reactions/{}",
                                                             done.activity.value);
                                        }));
}

void update_reaction(const WriteContext& context, const ExchangePtr& exchange) {
  const auto reaction = path_id<ActivityId>(exchange->request(), 0, "reactionId");
  if (!reaction) return exchange->send_error(reaction.error());
  const auto& body = exchange->request().body;
  auto extra_data = only_member(body, "extraData");
  if (!extra_data) return exchange->send_error(extra_data.error());
  run_command<commands::UpdateActivity>(
      context, exchange, commands::update_reaction(*reaction, std::move(*extra_data)),
      2 * body.size(), kSendValue);
}

void delete_reaction(const WriteContext& context, const ExchangePtr& exchange) {
  const auto reaction = path_id<ActivityId>(exchange->request(), 0, "reactionId");
  if (!reaction) return exchange->send_error(reaction.error());
  run_command<commands::DeleteActivity>(context, exchange, commands::delete_reaction(*reaction), 0,
                                        kSendNothing);
}

}  // namespace

void mount_reaction_routes(http::Router& router, const WriteContext& context) {
  const auto with = [&context](auto handler) {
    return [&context, handler](const ExchangePtr& exchange) { handler(context, exchange); };
  };
  mount(router, Method::kPost, "/v1/activities/{activityId}/reactions", with(create_reaction));
  mount(router, Method::kPatch, "/v1/reactions/{reactionId}", with(update_reaction));
  mount(router, Method::kDelete, "/v1/reactions/{reactionId}", with(delete_reaction));
}

}  // namespace feeds::write_api
