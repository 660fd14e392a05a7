#include "primary/commands/group_rows.h"

#include <fmt/format.h>

#include "common/feeds/group_head.h"
#include "common/json/text.h"
#include "common/keys/activity_keyspace.h"
#include "common/keys/key_codec.h"
#include "primary/commit/templates.h"

namespace feeds::commands {
namespace {

// The value of a `groups` row.
struct GroupState {
  std::uint64_t count = 0;
  ActivityId newest{};
};

std::string encode(const GroupState& state) {
  auto value = keys::encode_integer(state.count);
  keys::append_integer(value, state.newest.value);
  return value;
}

Result<GroupState> read_group(commit::Group& group, FeedId feed, std::string_view key) {
  const auto value = group.get(keys::group_key(feed, key));
  if (!value) return value.error();
  if (!*value) return GroupState{};
  std::string_view rest(**value);
  const auto count = keys::take_integer(rest);
  const auto newest = keys::take_integer(rest);
  if (!count || !newest || !rest.empty()) {
    return Error{Code::kInternal, "a group's row is damaged"};
  }
  return GroupState{*count, ActivityId{*newest}};
}

// What a group has from `before` on, to be counted: its newest entry, and the copies of a head.
struct Newest {
  std::optional<ActivityId> activity;  // nullopt: it has no entries
  GroupHead head;
  std::optional<ActivityId> behind;  // the first entry that the head has no copy of
};

Result<Newest> read_newest(commit::Group& group, FeedId feed, std::string_view key,
                           keys::Before before = {}) {
  Newest newest;
  newest.head.key = key;
  const auto range = keys::grouped_activities(feed, key, before);
  const auto status =
      group.scan(range.first, range.end, [&](std::string_view row, std::string_view copy) {
        const auto activity = *keys::last_activity(row);
        if (!newest.activity) newest.activity = activity;
        if (newest.head.append(activity, copy)) return true;
        newest.behind = activity;
        return false;
      });
  if (!status) return status.error();
  return newest;
}

void put_head(commit::Group& group, FeedId feed, const GroupState& state, GroupHead head) {
  head.entries = state.count;
  group.put(keys::group_order_key(feed, state.newest), encode(head));
}

// The head of a group that was entered by one that is newer than all it had.
Result<GroupHead> put_before(commit::Group& group, FeedId feed, std::string_view key,
                             const GroupState& old, ActivityId activity, std::string_view copy) {
  GroupHead head{0, std::string(key), {}};
  if (!head.append(activity, copy) || old.count == 0) return head;
  const auto value = group.get(keys::group_order_key(feed, old.newest));
  if (!value) return value.error();
  auto reader = *value ? GroupHeadReader::read(**value) : std::nullopt;
  if (!reader) return Error{Code::kInternal, "a group's head is damaged"};
  for (std::uint64_t i = 0; i < reader->copies(); ++i) {
    const auto next = reader->next();
    if (!head.append(next.activity, next.value)) break;
  }
  return head;
}

// The format of a feed's stored value.
Result<std::string> key_format_of(std::string_view feed_value) {
  const auto object = json::parse_object(feed_value);
  const auto* member = object ? object->find("keyFormat") : nullptr;
  if (member == nullptr) return Error{Code::kInternal, "a grouping feed's value is damaged"};
  return json::string_value(*member);
}

}  // namespace

key_format::Activity key_fields(const Activity& activity) {
  return {.id = static_cast<std::int64_t>(activity.id.value),
          .object_id = activity.object_id,
          .collection_id = activity.collection_id,
          .linked_activity_id = activity.linked_activity_id,
          .created_at_ns = activity.created_at_ns,
          .updated_at_ns = activity.updated_at_ns,
          .user_id = activity.user_id,
          .activity_type = activity.activity_type,
          .extra_data = activity.extra_data};
}

Result<std::string> render_key(commit::Group& group, FeedId feed, std::string_view feed_value,
                               key_format::Subject& subject) {
  const auto* parsed = group.templates().find(feed);
  if (parsed == nullptr) {
    const auto format = key_format_of(feed_value);
    if (!format) return format.error();
    parsed = &group.templates().get(feed, *format);
  }
  std::string key;
  key_format::FormatError error;
  if (parsed->render(subject, key, error)) return key;
  return Error{Code::kKeyFormatFailed,
               fmt::format("the keyFormat of grouping feed {} fails on this activity at line {}, "
                           "column {}: {}",
                           feed.value, error.line, error.column, error.message)};
}

Status add_to_group(commit::Group& group, FeedId feed, std::string_view key, ActivityId activity,
                    std::string_view copy) {
  auto state = read_group(group, feed, key);
  if (!state) return state.error();
  group.put(keys::grouped_activity_key(feed, key, activity), copy);
  group.put(keys::activity_grouping_feed_key(activity, feed), key);
  if (state->count == 0 || activity > state->newest) {
    auto head = put_before(group, feed, key, *state, activity, copy);
    if (!head) return head.error();
    if (state->count > 0) group.erase(keys::group_order_key(feed, state->newest));
    *state = {state->count + 1, activity};
    put_head(group, feed, *state, std::move(*head));
  } else {
    auto newest = read_newest(group, feed, key);
    if (!newest) return newest.error();
    ++state->count;
    put_head(group, feed, *state, std::move(newest->head));
  }
  group.put(keys::group_key(feed, key), encode(*state));
  return done();
}

Status rewrite_in_group(commit::Group& group, FeedId feed, std::string_view key,
                        ActivityId activity, std::string_view copy) {
  group.put(keys::grouped_activity_key(feed, key, activity), copy);
  const auto state = read_group(group, feed, key);
  if (!state) return state.error();
  auto newest = read_newest(group, feed, key);
  if (!newest) return newest.error();
  if (newest->behind && activity < *newest->behind) return done();
  put_head(group, feed, *state, std::move(newest->head));
  return done();
}

Status remove_from_group(commit::Group& group, FeedId feed, std::string_view key,
                         ActivityId activity) {
  auto state = read_group(group, feed, key);
  if (!state) return state.error();
  if (state->count == 0) return Error{Code::kInternal, "an entry of a grouping feed has no group"};
  erase_grouped(group, feed, key, activity);
  --state->count;
  const bool was_newest = state->newest == activity;
  if (was_newest) group.erase(keys::group_order_key(feed, activity));
  if (state->count == 0) {
    group.erase(keys::group_key(feed, key));
    return done();
  }
  // Looked for behind the newest if that one goes: before it lie the remains of those that went.
  auto newest = read_newest(group, feed, key, was_newest ? keys::Before(activity) : std::nullopt);
  if (!newest) return newest.error();
  if (!newest->activity) {
    return Error{Code::kInternal, "a group counts entries that are not there"};
  }
  state->newest = *newest->activity;
  put_head(group, feed, *state, std::move(newest->head));
  group.put(keys::group_key(feed, key), encode(*state));
  return done();
}

void erase_grouped(commit::Group& group, FeedId feed, std::string_view key, ActivityId activity) {
  group.erase(keys::grouped_activity_key(feed, key, activity));
  group.erase(keys::activity_grouping_feed_key(activity, feed));
}

}  // namespace feeds::commands
