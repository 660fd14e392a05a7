#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/feeds/activity.h"
#include "common/feeds/pending_deletion.h"
#include "primary/commit/group.h"

// The rows of an activity, kept in step with each other: which there are is said in
// schema/README.md. What is written here is written into the group. Errors: kInternal, unless
// others are named.
namespace feeds::commands {

// The deletions that the state of the group is to be seen through.
Result<PendingDeletions> pending_deletions(commit::Group& group);

struct LoadedActivity {
  Activity stored;         // its rows are those of this
  std::size_t value_size;  // of `stored`
  Activity seen;           // as it is once everything pending is done
};
// Error: kNoSuchActivity if there is none, or it is gone once everything pending is done.
Result<LoadedActivity> load_activity(commit::Group& group, const PendingDeletions& pending,
                                     ActivityId id);
Error no_such_activity(ActivityId id);

// A new activity's own row and its rows in the indexes of objects and reactions.
void put_activity(commit::Group& group, const Activity& activity, std::string_view value);

// Replaces an activity by `now` everywhere: its row, its rows in the indexes (dropping those that
// it has no more), its copies in feeds and groups, whose keys stay. Rows in feeds that are gone are
// erased.
Status rewrite_activity(commit::Group& group, const LoadedActivity& before, const Activity& now);

// Erases an activity and every row of it, in feeds and groups too. Its reactions are not touched.
Status erase_activity(commit::Group& group, const Activity& stored);

// The feeds an activity is in, those that are gone left out only where said.
struct GroupedEntry {
  FeedId feed;
  std::string key;
};
struct Places {
  std::vector<FeedId> feeds;
  std::vector<GroupedEntry> grouping_feeds;
};
Result<Places> places_of(commit::Group& group, ActivityId id);

// What kind of feed an id names.
enum class FeedKind { kNone, kSimple, kGrouping };
Result<FeedKind> feed_kind(commit::Group& group, FeedId feed);

// Error: kValueTooLarge over limits::kStoredValueBytes.
Status check_size(std::string_view value);

}  // namespace feeds::commands
