#pragma once

#include "common/base/ids.h"
#include "common/base/result.h"
#include "primary/commit/group.h"

// Commands on users. See feed.h for the form.
namespace feeds::commands {

struct CreateUser {
  UserId user{};

  Status run(commit::Group& group);
};

// Records the feed's newest article id, or its first id if it is empty, unless there is a subscription.
// Error: kNoSuchUser, kNoSuchFeed; kTooManySubscriptions at limits::kSubscriptionsPerUser.
struct Subscribe {
  UserId user;
  FeedId feed;

  Status run(commit::Group& group);
};

// Idempotent, also for a feed that does not exist. Error: kNoSuchUser.
struct Unsubscribe {
  UserId user;
  FeedId feed;

  Status run(commit::Group& group);
};

// Starts counters that were never used elsewhere than at kFirstId; logs and ignores the others.
struct StartCounters {
  std::map<keys::CounterKind, std::uint64_t> starts;

  Status run(commit::Group& group);
};

}  // namespace feeds::commands
