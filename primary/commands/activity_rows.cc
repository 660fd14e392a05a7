#include "primary/commands/activity_rows.h"

#include <fmt/format.h>

#include "common/base/limits.h"
#include "common/keys/activity_keyspace.h"
#include "primary/commands/group_rows.h"
#include "primary/commit/deletions.h"

namespace feeds::commands {
namespace {

// The rows of the indexes that an activity is found by.
std::vector<std::string> index_keys(const Activity& activity) {
  std::vector<std::string> keys;
  if (!activity.reaction()) {
    if (!activity.object_id.empty()) {
      keys.push_back(
          keys::object_activity_key(activity.collection_id, activity.object_id, activity.id));
    }
    return keys;
  }
  if (const auto parent = activity.parent())
    keys.push_back(keys::reaction_key(*parent, activity.id));
  if (const auto top = activity.top()) keys.push_back(keys::thread_key(*top, activity.id));
  return keys;
}

bool contains(const std::vector<std::string>& keys, const std::string& key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

}  // namespace

Result<PendingDeletions> pending_deletions(commit::Group& group) {
  if (!group.deletions().visible()) return PendingDeletions();
  return PendingDeletions::load(group);
}

Error no_such_activity(ActivityId id) {
  return Error{Code::kNoSuchActivity, fmt::format("there is no activity {}", id.value)};
}

Status check_size(std::string_view value) {
  if (value.size() <= limits::kStoredValueBytes) return done();
  return Error{Code::kValueTooLarge, fmt::format("the value as stored is {} bytes; at most {} fit",
                                                 value.size(), limits::kStoredValueBytes)};
}

Result<LoadedActivity> load_activity(commit::Group& group, const PendingDeletions& pending,
                                     ActivityId id) {
  const auto value = group.get(keys::activity_key(id));
  if (!value) return value.error();
  if (!*value) return no_such_activity(id);
  auto stored = parse_activity_value(**value);
  if (!stored) return stored.error();
  LoadedActivity loaded{*stored, (*value)->size(), std::move(*stored)};
  const auto there = pending.see(group, loaded.seen);
  if (!there) return there.error();
  if (!*there) return no_such_activity(id);
  return loaded;
}

void put_activity(commit::Group& group, const Activity& activity, std::string_view value) {
  group.put(keys::activity_key(activity.id), value);
  for (const auto& key : index_keys(activity)) group.put(key, copy_of(value));
}

Status rewrite_activity(commit::Group& group, const LoadedActivity& before, const Activity& now) {
  const auto value = to_json(now);
  const auto copy = copy_of(value);
  group.put(keys::activity_key(now.id), value);
  const auto new_keys = index_keys(now);
  for (const auto& key : index_keys(before.stored)) {
    if (!contains(new_keys, key)) group.erase(key);
  }
  // Rows that held no copy and get none are right as they are.
  if (copy.empty() && before.value_size > limits::kCopyBytes) return done();
  for (const auto& key : new_keys) group.put(key, copy);
  const auto places = places_of(group, now.id);
  if (!places) return places.error();
  for (const auto feed : places->feeds) {
    const auto kind = feed_kind(group, feed);
    if (!kind) return kind.error();
    if (*kind != FeedKind::kNone) {
      group.put(keys::feed_activity_key(feed, now.id), copy);
    } else {
      group.erase(keys::feed_activity_key(feed, now.id));
      group.erase(keys::activity_feed_key(now.id, feed));
    }
  }
  for (const auto& [feed, key] : places->grouping_feeds) {
    const auto kind = feed_kind(group, feed);
    if (!kind) return kind.error();
    if (*kind != FeedKind::kNone) {
      auto rewritten = rewrite_in_group(group, feed, key, now.id, copy);
      if (!rewritten) return rewritten;
    } else {
      erase_grouped(group, feed, key, now.id);
    }
  }
  return done();
}

Status erase_activity(commit::Group& group, const Activity& stored) {
  const auto places = places_of(group, stored.id);
  if (!places) return places.error();
  group.erase(keys::activity_key(stored.id));
  for (const auto& key : index_keys(stored)) group.erase(key);
  for (const auto feed : places->feeds) {
    group.erase(keys::feed_activity_key(feed, stored.id));
    group.erase(keys::activity_feed_key(stored.id, feed));
  }
  for (const auto& [feed, key] : places->grouping_feeds) {
    const auto kind = feed_kind(group, feed);
    if (!kind) return kind.error();
    if (*kind == FeedKind::kNone) {
      erase_grouped(group, feed, key, stored.id);
    } else if (auto removed = remove_from_group(group, feed, key, stored.id); !removed) {
      return removed;
    }
  }
  return done();
}

Result<Places> places_of(commit::Group& group, ActivityId id) {
  Places places;
  auto range = keys::feeds_of_activity(id);
  auto status = group.scan(range.first, range.end, [&](std::string_view key, std::string_view) {
    places.feeds.push_back(*keys::parse_activity_feed(key));
    return true;
  });
  if (!status) return status.error();
  range = keys::grouping_feeds_of_activity(id);
  status = group.scan(range.first, range.end, [&](std::string_view key, std::string_view value) {
    places.grouping_feeds.push_back({*keys::parse_activity_grouping_feed(key), std::string(value)});
    return true;
  });
  if (!status) return status.error();
  return places;
}

Result<FeedKind> feed_kind(commit::Group& group, FeedId feed) {
  const auto articles = group.counters().peek_article(feed);
  if (!articles) return articles.error();
  if (*articles) return FeedKind::kSimple;
  const auto grouping = group.get(keys::grouping_feed_key(feed));
  if (!grouping) return grouping.error();
  return *grouping ? FeedKind::kGrouping : FeedKind::kNone;
}

}  // namespace feeds::commands
