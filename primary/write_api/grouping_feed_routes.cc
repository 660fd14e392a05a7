#include <fmt/format.h>

#include "common/base/limits.h"
#include "common/read_api/parameters.h"
#include "primary/commands/grouping_feed.h"
#include "primary/write_api/answers.h"
#include "primary/write_api/members.h"
#include "primary/write_api/routes.h"

namespace feeds::write_api {
namespace {

using http::ExchangePtr;
using http::Method;
using read_api::path_id;

// The owner of a feed, kept as sent: a text or a user's id as a number. The empty text if absent.
Result<std::string> owner(const json::Object& object) {
  const auto checked = user_member(object);
  if (!checked) return checked.error();
  const auto* member = object.find("userId");
  return present(member) ? std::string(member->raw) : std::string(R"("")");
}

Result<std::string> key_format(const json::Object& object) {
  const auto* member = object.find("keyFormat");
  if (!present(member)) return Error{Code::kMissingMember, "member \"keyFormat\" is missing"};
  auto text = json::string_value(*member);
  if (!text) return text;
  if (auto parses = commands::check_key_format(*text); !parses) return parses.error();
  return text;
}

void create_grouping_feed(const WriteContext& context, const ExchangePtr& exchange) {
  const auto& body = exchange->request().body;
  const auto object = json::parse_object(body);
  if (!object) return exchange->send_error(object.error());
  if (auto known = object->only({"userId", "keyFormat", "extraData"}); !known) {
    return exchange->send_error(known.error());
  }
  auto user = owner(*object);
  if (!user) return exchange->send_error(user.error());
  auto format = key_format(*object);
  if (!format) return exchange->send_error(format.error());
  run_command<commands::CreateGroupingFeed>(context, exchange,
                                            {.user_id = std::move(*user),
                                             .key_format = std::move(*format),
                                             .extra_data = json_member(*object, "extraData")},
                                            body.size(), send_created([](const auto& done) {
                                              return fmt::format("/v1/groupingFeeds/{}",
                                                                 done.feed.value);
                                            }));
}

void update_grouping_feed(const WriteContext& context, const ExchangePtr& exchange) {
  const auto feed = path_id<FeedId>(exchange->request(), 0, "feedId");
  if (!feed) return exchange->send_error(feed.error());
  const auto& body = exchange->request().body;
  auto extra_data = only_member(body, "extraData");
  if (!extra_data) {
    const auto object = json::parse_object(body);
    if (object && object->find("keyFormat") != nullptr) {
      return exchange->send_error(
          {Code::kBadMember, "member \"keyFormat\" cannot change once the feed is made"});
    }
    return exchange->send_error(extra_data.error());
  }
  run_command<commands::UpdateGroupingFeed>(context, exchange,
                                            {.feed = *feed, .extra_data = std::move(*extra_data)},
                                            body.size() + key_format::kFormatBytes, kSendValue);
}

void delete_grouping_feed(const WriteContext& context, const ExchangePtr& exchange) {
  const auto feed = path_id<FeedId>(exchange->request(), 0, "feedId");
  if (!feed) return exchange->send_error(feed.error());
  run_command<commands::DeleteGroupingFeed>(context, exchange, {.feed = *feed}, 0, kSendNothing);
}

}  // namespace

void mount_grouping_feed_routes(http::Router& router, const WriteContext& context) {
  const auto with = [&context](auto handler) {
    return [&context, handler](const ExchangePtr& exchange) { handler(context, exchange); };
  };
  mount(router, Method::kPost, "/v1/groupingFeeds", with(create_grouping_feed));
  mount(router, Method::kPatch, "/v1/groupingFeeds/{feedId}", with(update_grouping_feed));
  mount(router, Method::kDelete, "/v1/groupingFeeds/{feedId}", with(delete_grouping_feed));
}

}  // namespace feeds::write_api
