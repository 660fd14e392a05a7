#include "primary/commands/user.h"

#include <fmt/format.h>

#include "common/base/limits.h"
#include "common/base/log.h"
#include "common/feeds/feed.h"
#include "common/keys/key_codec.h"
#include "common/keys/keyspace.h"

namespace feeds::commands {
namespace {

// The number of the user's subscriptions. Error: kNoSuchUser.
Result<std::uint64_t> subscriptions(commit::Group& group, UserId user) {
  const auto row = group.get(keys::user_key(user));
  if (!row) return row.error();
  const auto count = *row ? keys::decode_integer(**row) : std::nullopt;
  if (!count) {
    return Error{Code::kNoSuchUser, fmt::format("there is no user {}", user.value)};
  }
  return *count;
}

}  // namespace

Status CreateUser::run(commit::Group& group) {
  user.value = group.counters().take(keys::CounterKind::kUsers);
  group.put(keys::user_key(user), keys::encode_integer(0));
  return done();
}

Status Subscribe::run(commit::Group& group) {
  const auto count = subscriptions(group, user);
  if (!count) return count.error();
  const auto next = group.counters().peek_article(feed);
  if (!next) return next.error();
  if (!*next) return no_such_feed(feed);
  const auto key = keys::subscription_key(user, feed);
  const auto present = group.get(key);
  if (!present) return present.error();
  if (*present) return done();
  if (*count >= limits::kSubscriptionsPerUser) {
    return Error{Code::kTooManySubscriptions,
                 fmt::format("user {} has {} subscriptions, the most there can be", user.value,
                             limits::kSubscriptionsPerUser)};
  }
  const auto newest = std::max(kFirstId, (*next)->value - 1);
  group.put(key, keys::encode_integer(newest));
  group.put(keys::user_key(user), keys::encode_integer(*count + 1));
  return done();
}

Status Unsubscribe::run(commit::Group& group) {
  const auto count = subscriptions(group, user);
  if (!count) return count.error();
  const auto key = keys::subscription_key(user, feed);
  const auto present = group.get(key);
  if (!present) return present.error();
  if (!*present) return done();
  group.erase(key);
  group.put(keys::user_key(user), keys::encode_integer(*count - 1));
  return done();
}

Status StartCounters::run(commit::Group& group) {
  for (const auto& [kind, value] : starts) {
    if (group.counters().start_at(kind, value)) continue;
    log::warn("counter_start_ignored",
              {{"counter", keys::print_key(keys::counter_key(kind))},
               {"reason", "it is in use already"},
               {"value", group.counters().peek(kind)}});
  }
  return done();
}

}  // namespace feeds::commands
