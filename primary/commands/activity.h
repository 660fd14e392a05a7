#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/feeds/activity.h"
#include "primary/commit/group.h"

// Commands on activities. See feed.h for the form. Each answers as if the deletions under way were
// complete, and leaves what it writes as it will be then. `value` is the activity as served.
namespace feeds::commands {

// A new activity, in every feed named: simple or grouping ones, at least one.
// Error: kNoSuchFeed naming the first that does not exist; kKeyFormatFailed naming the feed, also
// the one with which the formats take too many steps together.
struct AddActivity {
  std::vector<FeedId> feeds{};  // one named twice gets it once
  std::string object_id{};
  std::string collection_id{};
  std::optional<std::int64_t> time_ns{};  // createdAt; nullopt: the time of the commit
  std::string user_id{};
  std::string activity_type{};
  std::string extra_data = "null";  // JSON, compact

  ActivityId activity{};
  std::string value{};

  Status run(commit::Group& group);
};

// Puts an activity, or reaction, into a feed at its place; one that is there stays as it is.
// Error: kNoSuchFeed, kNoSuchActivity; kTooManyFeeds at limits::kFeedsPerActivity;
// kKeyFormatFailed.
struct AddExistingActivity {
  FeedId feed;
  ActivityId activity;

  std::string value{};

  Status run(commit::Group& group);
};

// Takes an activity, or reaction, out of one feed. Error: kNoSuchFeed; kNoSuchActivity, also for
// one that is not in it.
struct RemoveActivity {
  FeedId feed;
  ActivityId activity;

  Status run(commit::Group& group);
};

// Replaces the extraData and moves the activity to its new group in every grouping feed.
// Error: kNoSuchActivity; kNotAReaction if `reaction` and it is none; kKeyFormatFailed naming the
// feed, as for AddActivity.
struct UpdateActivity {
  ActivityId activity;
  std::string extra_data{};  // JSON, compact
  bool reaction = false;     // it must be one

  std::string value{};

  Status run(commit::Group& group);
};

// Deletes an activity, or reaction, and marks the reactions to it.
// Error: kNoSuchActivity; kNotAReaction if `reaction` and it is none; kOverloaded.
struct DeleteActivity {
  ActivityId activity;
  bool reaction = false;

  Status run(commit::Group& group);
};

}  // namespace feeds::commands
