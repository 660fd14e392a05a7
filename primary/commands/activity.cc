#include "primary/commands/activity.h"

#include <fmt/format.h>

#include "common/base/limits.h"
#include "common/feeds/feed.h"
#include "common/keys/activity_keyspace.h"
#include "primary/commands/activity_rows.h"
#include "primary/commands/deletion_steps.h"
#include "primary/commands/group_rows.h"
#include "primary/commit/deletions.h"

namespace feeds::commands {
namespace {

struct Target {
  FeedId feed;
  std::optional<std::string> grouping_value;  // the value of a grouping feed
  std::string key{};                          // the activity's there
};

// Error: kNoSuchFeed.
Result<Target> find_target(commit::Group& group, FeedId feed) {
  const auto articles = group.counters().peek_article(feed);
  if (!articles) return articles.error();
  if (*articles) return Target{.feed = feed, .grouping_value = std::nullopt};
  auto grouping = group.get(keys::grouping_feed_key(feed));
  if (!grouping) return grouping.error();
  if (!*grouping) return no_such_feed(feed);
  return Target{.feed = feed, .grouping_value = std::move(**grouping)};
}

void put_in_feed(commit::Group& group, FeedId feed, ActivityId activity, std::string_view copy) {
  group.put(keys::feed_activity_key(feed, activity), copy);
  group.put(keys::activity_feed_key(activity, feed), "");
}

// Error: kTooManyFeeds if the activity can enter no more. Feeds that are gone do not count.
Status check_room(commit::Group& group, ActivityId activity) {
  const auto places = places_of(group, activity);
  if (!places) return places.error();
  auto feeds = places->feeds;
  for (const auto& entry : places->grouping_feeds) feeds.push_back(entry.feed);
  if (feeds.size() < limits::kFeedsPerActivity) return done();
  std::size_t count = 0;
  for (const auto feed : feeds) {
    const auto kind = feed_kind(group, feed);
    if (!kind) return kind.error();
    if (*kind != FeedKind::kNone) ++count;
  }
  if (count < limits::kFeedsPerActivity) return done();
  return Error{Code::kTooManyFeeds, fmt::format("activity {} is in {} feeds, the most there can be",
                                                activity.value, limits::kFeedsPerActivity)};
}

// The activity for a request that may ask for a reaction. Error: kNoSuchActivity, kNotAReaction.
Result<LoadedActivity> load_asked(commit::Group& group, const PendingDeletions& pending,
                                  ActivityId id, bool reaction) {
  auto loaded = load_activity(group, pending, id);
  if (loaded && reaction && !loaded->seen.reaction()) {
    return Error{Code::kNotAReaction, fmt::format("activity {} is not a reaction", id.value)};
  }
  return loaded;
}

// Moves the activity to the groups of its new keys. Before it is rewritten, which refreshes the
// copies.
Status move_between_groups(commit::Group& group, const Activity& now) {
  const auto places = places_of(group, now.id);
  if (!places) return places.error();
  const auto fields = key_fields(now);
  key_format::Subject subject(fields);
  for (const auto& [feed, old_key] : places->grouping_feeds) {
    const auto feed_value = group.get(keys::grouping_feed_key(feed));
    if (!feed_value) return feed_value.error();
    if (!*feed_value) continue;
    const auto key = render_key(group, feed, **feed_value, subject);
    if (!key) return key.error();
    if (*key == old_key) continue;
    if (auto out = remove_from_group(group, feed, old_key, now.id); !out) return out;
    if (auto in = add_to_group(group, feed, *key, now.id, ""); !in) return in;
  }
  return done();
}

}  // namespace

Status AddActivity::run(commit::Group& group) {
  std::vector<Target> targets;
  for (const auto feed : feeds) {
    const auto same = [feed](const Target& target) { return target.feed == feed; };
    if (std::any_of(targets.begin(), targets.end(), same)) continue;
    auto target = find_target(group, feed);
    if (!target) return target.error();
    targets.push_back(std::move(*target));
  }
  activity.value = group.counters().peek(keys::CounterKind::kActivities);
  Activity added{.id = activity,
                 .object_id = object_id,
                 .collection_id = collection_id,
                 .linked_activity_id = {},
                 .created_at_ns = time_ns.value_or(group.now_ns()),
                 .user_id = user_id,
                 .activity_type = activity_type,
                 .extra_data = extra_data};
  added.updated_at_ns = added.created_at_ns;
  value = to_json(added);
  if (auto fits = check_size(value); !fits) return fits;

  const auto fields = key_fields(added);
  key_format::Subject subject(fields);
  for (auto& target : targets) {
    if (!target.grouping_value) continue;
    auto key = render_key(group, target.feed, *target.grouping_value, subject);
    if (!key) return key.error();
    target.key = std::move(*key);
  }

  group.counters().take(keys::CounterKind::kActivities);
  put_activity(group, added, value);
  for (const auto& target : targets) {
    if (!target.grouping_value) {
      put_in_feed(group, target.feed, activity, copy_of(value));
      continue;
    }
    auto entered = add_to_group(group, target.feed, target.key, activity, copy_of(value));
    if (!entered) return entered;
  }
  return done();
}

Status AddExistingActivity::run(commit::Group& group) {
  const auto target = find_target(group, feed);
  if (!target) return target.error();
  const auto pending = pending_deletions(group);
  if (!pending) return pending.error();
  const auto loaded = load_activity(group, *pending, activity);
  if (!loaded) return loaded.error();
  value = to_json(loaded->seen);

  const bool grouping = target->grouping_value.has_value();
  const auto entry = group.get(grouping ? keys::activity_grouping_feed_key(activity, feed)
                                        : keys::activity_feed_key(activity, feed));
  if (!entry) return entry.error();
  if (*entry) return done();

  if (auto room = check_room(group, activity); !room) return room;
  // The copy is of the stored value, as every row's is until the deletions under way get there.
  const auto stored = to_json(loaded->stored);
  if (!grouping) {
    put_in_feed(group, feed, activity, copy_of(stored));
    return done();
  }
  const auto fields = key_fields(loaded->seen);
  key_format::Subject subject(fields);
  const auto key = render_key(group, feed, *target->grouping_value, subject);
  if (!key) return key.error();
  return add_to_group(group, feed, *key, activity, copy_of(stored));
}

Status RemoveActivity::run(commit::Group& group) {
  const auto kind = feed_kind(group, feed);
  if (!kind) return kind.error();
  if (*kind == FeedKind::kNone) return no_such_feed(feed);
  const auto pending = pending_deletions(group);
  if (!pending) return pending.error();
  const auto loaded = load_activity(group, *pending, activity);
  if (!loaded) return loaded.error();

  const bool grouping = *kind == FeedKind::kGrouping;
  const auto entry = group.get(grouping ? keys::activity_grouping_feed_key(activity, feed)
                                        : keys::activity_feed_key(activity, feed));
  if (!entry) return entry.error();
  if (!*entry) {
    return Error{Code::kNoSuchActivity,
                 fmt::format("activity {} is not in feed {}", activity.value, feed.value)};
  }
  if (grouping) return remove_from_group(group, feed, **entry, activity);
  group.erase(keys::feed_activity_key(feed, activity));
  group.erase(keys::activity_feed_key(activity, feed));
  return done();
}

Status UpdateActivity::run(commit::Group& group) {
  const auto pending = pending_deletions(group);
  if (!pending) return pending.error();
  const auto loaded = load_asked(group, *pending, activity, reaction);
  if (!loaded) return loaded.error();
  auto now = loaded->seen;
  now.extra_data = extra_data;
  now.updated_at_ns = group.now_ns();
  value = to_json(now);
  if (auto fits = check_size(value); !fits) return fits;
  if (auto moved = move_between_groups(group, now); !moved) return moved;
  return rewrite_activity(group, *loaded, now);
}

Status DeleteActivity::run(commit::Group& group) {
  const auto budget = group.deletions().inline_budget(group);
  const auto pending = pending_deletions(group);
  if (!pending) return pending.error();
  const auto loaded = load_asked(group, *pending, activity, reaction);
  if (!loaded) return loaded.error();
  if (auto erased = erase_activity(group, loaded->stored); !erased) return erased;
  return delete_or_defer(
      group, *pending, {.kind = DeletionKind::kMarksOfReactions, .target = activity.value}, budget);
}

}  // namespace feeds::commands
