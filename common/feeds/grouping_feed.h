#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/feeds/activity_page.h"

// Grouping feeds and their groups. Each append function appends what is served.
namespace feeds {

// The value of a row of `groups`.
struct GroupCounts {
  std::uint64_t entries = 0;
  ActivityId newest;
};
std::optional<GroupCounts> decode_group(std::string_view value);

// Error: kNoSuchGroupingFeed.
Status append_grouping_feed(store::View& view, FeedId feed, std::string& out);

// A place in the list of groups: behind the group whose newest activity that was, or, if `inside`
// is set, in it, behind that activity.
struct GroupCursor {
  ActivityId newest;
  keys::Before inside;
};
// Opaque to clients; no activity's id is one.
std::string encode_cursor(FeedId feed, const GroupCursor& cursor);
// nullopt if it is no cursor of that feed's groups.
std::optional<GroupCursor> decode_cursor(FeedId feed, std::string_view text);

struct GroupPageRequest {
  std::uint64_t limit = limits::kGroupPageLimit;
  std::uint64_t activity_limit = limits::kPageLimit;
  std::optional<GroupCursor> from;
};

// `{"activityGroups":[{"groupKey":…,"activityCount":2,"activities":[…]}],"next":…}`, groups by
// their newest activity. A page ends at limits::kPageBytes like any other; a single group that is
// longer shows fewer. Error: kNoSuchGroupingFeed.
Status append_groups(store::View& view, const PendingDeletions& pending, FeedId feed,
                     const GroupPageRequest& request, std::string& out);

// `{"activities":[…],"next":…}` of one group; empty for a key without entries. Error:
// kNoSuchGroupingFeed.
Status append_group_activities(store::View& view, const PendingDeletions& pending, FeedId feed,
                               std::string_view group, const ActivityPageRequest& request,
                               std::string& out);

}  // namespace feeds
