#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/base/ids.h"
#include "common/keys/keyspace.h"

// Keys of activities, their indexes, collections and grouping feeds: the rows `20`…`2c` of schema/README.md.
// Newest first: a range is scanned from its first key on; `older` starts one behind an activity.
namespace feeds::keys {

// A place in a list that is ordered newest first.
using Before = std::optional<ActivityId>;  // set: only activities older than it (exclusive)

std::string activity_key(ActivityId activity);
std::optional<ActivityId> parse_activity(std::string_view key);

std::string feed_activity_key(FeedId feed, ActivityId activity);
Range feed_activities(FeedId feed, Before before = {});

std::string activity_feed_key(ActivityId activity, FeedId feed);
Range feeds_of_activity(ActivityId activity);
std::optional<FeedId> parse_activity_feed(std::string_view key);

std::string object_activity_key(std::string_view collection, std::string_view object,
                                ActivityId activity);
Range object_activities(std::string_view collection, std::string_view object, Before before = {});

std::string reaction_key(ActivityId parent, ActivityId reaction);
Range reactions_of(ActivityId parent, Before before = {});

std::string thread_key(ActivityId top, ActivityId reaction);
Range thread_of(ActivityId top, Before before = {});

std::string grouping_feed_key(FeedId feed);

std::string grouped_activity_key(FeedId feed, std::string_view group, ActivityId activity);
Range grouped_activities(FeedId feed, std::string_view group, Before before = {});
Range grouped_activities(FeedId feed);
// The group and activity of a key of grouped_activities().
struct GroupedRow {
  std::string group;
  ActivityId activity;
};
std::optional<GroupedRow> parse_grouped(std::string_view key);

std::string activity_grouping_feed_key(ActivityId activity, FeedId feed);
Range grouping_feeds_of_activity(ActivityId activity);
std::optional<FeedId> parse_activity_grouping_feed(std::string_view key);

std::string group_key(FeedId feed, std::string_view group);
Range groups_of(FeedId feed);

std::string group_order_key(FeedId feed, ActivityId newest);
Range group_order(FeedId feed, Before before = {});

// The activity at the end of a key that lists activities newest first.
std::optional<ActivityId> last_activity(std::string_view key);

std::string collection_key(std::string_view collection);
std::string object_key(std::string_view collection, std::string_view object);
Range objects_of(std::string_view collection);
// The last text of a key of collections or collection_objects: the collection's or object's id.
std::optional<std::string> parse_collection(std::string_view key);
std::optional<std::string> parse_object(std::string_view key);

// For print_key of keyspace.h: empty if the key is none of these.
std::string print_activity_key(std::string_view key);

}  // namespace feeds::keys
