#include <fmt/format.h>

#include "common/feeds/group_head.h"
#include "common/feeds/grouping_feed.h"
#include "common/feeds/invariant_walk.h"
#include "common/json/text.h"
#include "common/keys/activity_keyspace.h"
#include "common/keys/key_codec.h"

// Activities and their indexes, groups, collections.
namespace feeds::invariants {
namespace {

// A row of two ids behind the space byte.
struct IdPair {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};
std::optional<IdPair> id_pair(std::string_view key) {
  key.remove_prefix(1);
  const auto first = keys::take_integer(key);
  const auto second = keys::take_integer(key);
  if (!first || !second || !key.empty()) return std::nullopt;
  return IdPair{*first, *second};
}

// An index row must hold what its activity's row does, if that is short enough.
void check_copy(Walk& walk, std::string_view key, std::string_view copy) {
  const auto value = walk.get(keys::activity_key(*keys::last_activity(key)));
  if (!value) return walk.violation(key, "its activity is missing");
  if (copy != copy_of(*value)) walk.violation(key, "its copy differs from the activity");
}

void check_row(Walk& walk, std::string_view of, const std::string& row) {
  if (!walk.has(row)) walk.violation(of, "it lacks " + keys::print_key(row));
}

void check_reaction(Walk& walk, std::string_view key, const Activity& reaction) {
  if (reaction.object_id != kDeletedMark && !reaction.top()) {
    walk.violation(key, "the objectId of a reaction must be an activity's");
  }
  if (reaction.linked_activity_id != kDeletedMark && !reaction.parent()) {
    walk.violation(key, "its linkedActivityId must be an activity's");
  }
  if (const auto top = reaction.top()) check_row(walk, key, keys::thread_key(*top, reaction.id));
  if (const auto parent = reaction.parent()) {
    check_row(walk, key, keys::reaction_key(*parent, reaction.id));
  }
  // What is above it, as it will be once what is pending is done: half-way, marks are missing.
  const auto seen = walk.seen_activity(reaction.id);
  if (!seen) return;
  if (const auto top = seen->top()) {
    const auto above = walk.seen_activity(*top);
    if (!above) return walk.violation(key, "the top of its thread is missing");
    if (above->reaction()) walk.violation(key, "the top of its thread is a reaction");
  }
  if (const auto parent = seen->parent()) {
    const auto above = walk.seen_activity(*parent);
    if (!above) return walk.violation(key, "its parent is missing");
    const auto thread = above->reaction() ? above->object_id : std::to_string(parent->value);
    if (seen->object_id != thread) walk.violation(key, "its parent is of another thread");
  }
}

}  // namespace

void check_activities(Walk& walk) {
  const auto counter = walk.get(keys::counter_key(keys::CounterKind::kActivities));
  const auto next = counter ? keys::decode_integer(*counter).value_or(0) : kFirstId;
  walk.each(keys::Space::kActivities, [&](std::string_view key, std::string_view value) {
    const auto id = keys::parse_activity(key);
    if (!id) return;
    const auto activity = parse_activity_value(value);
    if (!activity) return walk.violation(key, "its value is damaged");
    if (activity->id != *id) walk.violation(key, "its value is of another activity");
    if (id->value >= next) walk.violation(key, "its id was not given out");
    if (activity->reaction()) return check_reaction(walk, key, *activity);
    if (!activity->object_id.empty()) {
      check_row(walk, key,
                keys::object_activity_key(activity->collection_id, activity->object_id, *id));
    }
  });
}

void check_feed_entries(Walk& walk) {
  walk.each(keys::Space::kFeedActivities, [&](std::string_view key, std::string_view value) {
    const auto row = id_pair(key);
    if (!row) return;
    const FeedId feed{row->first};
    if (!walk.has(keys::feed_key(feed)) &&
        !walk.pending(DeletionKind::kActivitiesOfFeed, feed.value)) {
      walk.violation(key, "an entry of no feed");
    }
    check_copy(walk, key, value);
    check_row(walk, key, keys::activity_feed_key(*keys::last_activity(key), feed));
  });
  walk.each(keys::Space::kActivityFeeds, [&](std::string_view key, std::string_view value) {
    const auto row = id_pair(key);
    if (!row) return;
    if (!value.empty()) walk.violation(key, "its value must be empty");
    check_row(walk, key, keys::feed_activity_key(FeedId{row->second}, ActivityId{row->first}));
  });
}

void check_references(Walk& walk) {
  walk.each(keys::Space::kObjectIdActivities, [&](std::string_view key, std::string_view value) {
    check_copy(walk, key, value);
    const auto id = *keys::last_activity(key);
    const auto activity = walk.activity(id);
    if (!activity) return;
    if (activity->reaction() ||
        keys::object_activity_key(activity->collection_id, activity->object_id, id) != key) {
      walk.violation(key, "its activity points at something else");
    }
  });
  walk.each(keys::Space::kActivityReactions, [&](std::string_view key, std::string_view value) {
    check_copy(walk, key, value);
    const auto reaction = walk.activity(*keys::last_activity(key));
    const auto row = id_pair(key);
    if (reaction && row && reaction->parent() != ActivityId{row->first}) {
      walk.violation(key, "its reaction has another parent");
    }
  });
  walk.each(keys::Space::kThreadReactions, [&](std::string_view key, std::string_view value) {
    check_copy(walk, key, value);
    const auto reaction = walk.activity(*keys::last_activity(key));
    const auto row = id_pair(key);
    if (reaction && row && reaction->top() != ActivityId{row->first}) {
      walk.violation(key, "its reaction is of another thread");
    }
  });
}

namespace {

// Whether a grouping feed is gone and its rows are being taken away, which leaves counts behind.
bool being_deleted(Walk& walk, FeedId feed) {
  return walk.pending(DeletionKind::kEntriesOfGroupingFeed, feed.value);
}

struct GroupRow {
  FeedId feed;
  std::string group;
};
std::optional<GroupRow> parse_group(std::string_view key) {
  key.remove_prefix(1);
  const auto feed = keys::take_integer(key);
  if (!feed) return std::nullopt;
  auto group = keys::take_text(key);
  if (!group || !key.empty()) return std::nullopt;
  return GroupRow{FeedId{*feed}, std::move(*group)};
}

void check_counts(Walk& walk, const GroupRow& row, const GroupCounts& counted) {
  const auto key = keys::group_key(row.feed, row.group);
  const auto value = walk.get(key);
  const auto told = value ? decode_group(*value) : std::nullopt;
  if (!told) return walk.violation(key, "it is missing or damaged, and has entries");
  if (told->entries != counted.entries) {
    walk.violation(key, fmt::format("says {} entries, has {}", told->entries, counted.entries));
  }
  if (told->newest != counted.newest) {
    walk.violation(key, fmt::format("says {} is its newest entry, which is {}", told->newest.value,
                                    counted.newest.value));
  }
}

// Entries, counted group by group: neighbours in the order of keys.
void check_entries(Walk& walk) {
  std::optional<GroupRow> current;
  GroupCounts counted;
  const auto settle = [&] {
    if (current && !being_deleted(walk, current->feed)) check_counts(walk, *current, counted);
  };
  walk.each(keys::Space::kGroupingFeedActivities,
            [&](std::string_view key, std::string_view value) {
              auto row = keys::parse_grouped(key);
              if (!row) return;
              const FeedId feed{*keys::decode_integer(key.substr(1, keys::kIntegerBytes))};
              if (!current || current->feed != feed || current->group != row->group) {
                settle();
                current = GroupRow{feed, row->group};
                counted = GroupCounts{0, row->activity};
              }
              ++counted.entries;
              if (!walk.has(keys::grouping_feed_key(feed)) && !being_deleted(walk, feed)) {
                walk.violation(key, "an entry of no grouping feed");
              }
              check_copy(walk, key, value);
              if (walk.get(keys::activity_grouping_feed_key(row->activity, feed)) != row->group) {
                walk.violation(key, "its counterpart is missing or names another group");
              }
            });
  settle();
}

// The copies of a head are those of the group's newest entries, as many as there is room for.
void check_head(Walk& walk, std::string_view key, const GroupRow& row, const GroupHead& told) {
  GroupHead expected;
  auto range = keys::grouped_activities(row.feed, row.group);
  while (const auto entry = walk.first(range)) {
    const auto copy = walk.get(*entry);
    if (!copy || !expected.append(*keys::last_activity(*entry), *copy)) break;
    range.first = *entry + '\0';
  }
  if (told.newest != expected.newest) {
    walk.violation(key, "its head holds other copies than its newest entries");
  }
}

}  // namespace

void check_groups(Walk& walk) {
  check_entries(walk);
  walk.each(keys::Space::kActivityGroupingFeeds, [&](std::string_view key, std::string_view value) {
    const auto row = id_pair(key);
    if (!row) return;
    check_row(walk, key,
              keys::grouped_activity_key(FeedId{row->second}, value, ActivityId{row->first}));
  });
  walk.each(keys::Space::kGroups, [&](std::string_view key, std::string_view value) {
    const auto row = parse_group(key);
    if (!row || being_deleted(walk, row->feed)) return;
    const auto told = decode_group(value);
    if (!told) return walk.violation(key, "its value is damaged");
    if (!walk.first(keys::grouped_activities(row->feed, row->group))) {
      walk.violation(key, "a group without entries");
    }
    const auto place = walk.get(keys::group_order_key(row->feed, told->newest));
    const auto head = place ? decode_group_head(*place) : std::nullopt;
    if (!head || head->key != row->group) {
      return walk.violation(key, "its place in the order is missing or another group's");
    }
    if (head->entries != told->entries) {
      walk.violation(key, fmt::format("its head says {} entries", head->entries));
    }
    check_head(walk, key, *row, *head);
  });
  walk.each(keys::Space::kGroupOrder, [&](std::string_view key, std::string_view value) {
    const auto row = id_pair(key);
    if (!row || being_deleted(walk, FeedId{row->first})) return;
    const auto head = decode_group_head(value);
    if (!head) return walk.violation(key, "its value is damaged");
    const auto group = walk.get(keys::group_key(FeedId{row->first}, head->key));
    const auto told = group ? decode_group(*group) : std::nullopt;
    if (!told || told->newest != *keys::last_activity(key)) {
      walk.violation(key, "its group is missing or has its place elsewhere");
    }
  });
}

void check_collections(Walk& walk) {
  const auto check_id = [&](std::string_view key, std::string_view value,
                            const std::optional<std::string>& id) {
    if (!id) return;
    std::string start = "{\"id\":";
    json::append_string(start, *id);
    if (!value.starts_with(start + ",")) walk.violation(key, "its value has another id");
  };
  walk.each(keys::Space::kCollections, [&](std::string_view key, std::string_view value) {
    check_id(key, value, keys::parse_collection(key));
  });
  walk.each(keys::Space::kCollectionObjects, [&](std::string_view key, std::string_view value) {
    check_id(key, value, keys::parse_object(key));
    auto rest = key.substr(1);
    const auto collection = keys::take_text(rest);
    if (collection && !walk.has(keys::collection_key(*collection))) {
      walk.violation(key, "an object of no collection");
    }
  });
}

}  // namespace feeds::invariants
