#include <fmt/format.h>

#include "common/base/limits.h"
#include "common/feeds/activity.h"
#include "common/read_api/parameters.h"
#include "primary/commands/activity.h"
#include "primary/write_api/answers.h"
#include "primary/write_api/members.h"
#include "primary/write_api/routes.h"

namespace feeds::write_api {
namespace {

using http::ExchangePtr;
using http::Method;
using read_api::path_id;

// About what an activity of this body writes: itself and a copy a feed.
std::size_t written_bytes(std::size_t body, std::size_t feeds) {
  constexpr std::size_t kFixed = 300;  // names, times, keys
  return body + kFixed + (feeds + 1) * std::min(body + kFixed, limits::kCopyBytes);
}

// The command that a body asks for, but for the feed of the path.
Result<commands::AddActivity> add_activity_of(std::string_view body) {
  const auto object = json::parse_object(body);
  if (!object) return object.error();
  const auto known = object->only(
      {"objectId", "collectionId", "time", "userId", "activityType", "redirectTo", "extraData"});
  if (!known) return known.error();
  auto object_id = text_member(*object, "objectId");
  if (!object_id) return object_id.error();
  if (*object_id == kDeletedMark) {
    return Error{Code::kBadMember, "member \"objectId\" must not be \"deleted\""};
  }
  auto collection_id = text_member(*object, "collectionId");
  if (!collection_id) return collection_id.error();
  const auto time = time_member(*object);
  if (!time) return time.error();
  auto user = user_member(*object);
  if (!user) return user.error();
  auto type = text_member(*object, "activityType");
  if (!type) return type.error();
  auto redirects = redirects_member(*object);
  if (!redirects) return redirects.error();
  return commands::AddActivity{.feeds = std::move(*redirects),
                               .object_id = std::move(*object_id),
                               .collection_id = std::move(*collection_id),
                               .time_ns = *time,
                               .user_id = std::move(*user),
                               .activity_type = std::move(*type),
                               .extra_data = json_member(*object, "extraData")};
}

void add_activity(const WriteContext& context, const ExchangePtr& exchange) {
  const auto feed = path_id<FeedId>(exchange->request(), 0, "feedId");
  if (!feed) return exchange->send_error(feed.error());
  auto command = add_activity_of(exchange->request().body);
  if (!command) return exchange->send_error(command.error());
  command->feeds.insert(command->feeds.begin(), *feed);
  const auto bytes = written_bytes(exchange->request().body.size(), command->feeds.size());
  run_command<commands::AddActivity>(context, exchange, std::move(*command), bytes,
                                     send_created([](const auto& done) {
                                       return fmt::format("/v1/activities/{}", done.activity.value);
                                     }));
}

template <class Command>
void change_feed(const WriteContext& context, const ExchangePtr& exchange, Answer<Command> answer) {
  const auto feed = path_id<FeedId>(exchange->request(), 0, "feedId");
  if (!feed) return exchange->send_error(feed.error());
  const auto activity = path_id<ActivityId>(exchange->request(), 1, "activityId");
  if (!activity) return exchange->send_error(activity.error());
  run_command<Command>(context, exchange, {*feed, *activity}, 0, std::move(answer));
}

void add_existing(const WriteContext& context, const ExchangePtr& exchange) {
  change_feed<commands::AddExistingActivity>(context, exchange, kSendValue);
}

void remove_from_feed(const WriteContext& context, const ExchangePtr& exchange) {
  change_feed<commands::RemoveActivity>(context, exchange, kSendNothing);
}

void update_activity(const WriteContext& context, const ExchangePtr& exchange) {
  const auto activity = path_id<ActivityId>(exchange->request(), 0, "activityId");
  if (!activity) return exchange->send_error(activity.error());
  const auto& body = exchange->request().body;
  auto extra_data = only_member(body, "extraData");
  if (!extra_data) return exchange->send_error(extra_data.error());
  run_command<commands::UpdateActivity>(
      context, exchange, {.activity = *activity, .extra_data = std::move(*extra_data)},
      written_bytes(body.size(), 1), kSendValue);
}

void delete_activity(const WriteContext& context, const ExchangePtr& exchange) {
  const auto activity = path_id<ActivityId>(exchange->request(), 0, "activityId");
  if (!activity) return exchange->send_error(activity.error());
  run_command<commands::DeleteActivity>(context, exchange, {.activity = *activity}, 0,
                                        kSendNothing);
}

}  // namespace

void mount_activity_routes(http::Router& router, const WriteContext& context) {
  const auto with = [&context](auto handler) {
    return [&context, handler](const ExchangePtr& exchange) { handler(context, exchange); };
  };
  mount(router, Method::kPost, "/v1/feeds/{feedId}/activities", with(add_activity));
  mount(router, Method::kPut, "/v1/feeds/{feedId}/activities/{activityId}", with(add_existing));
  mount(router, Method::kDelete, "/v1/feeds/{feedId}/activities/{activityId}",
        with(remove_from_feed));
  mount(router, Method::kPatch, "/v1/activities/{activityId}", with(update_activity));
  mount(router, Method::kDelete, "/v1/activities/{activityId}", with(delete_activity));
}

}  // namespace feeds::write_api
