#include "primary/commands/group_rows.h"

#include <fmt/format.h>

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

// The newest entry of a group that is older than `before`; nullopt if there is none.
Result<std::optional<ActivityId>> newest_before(commit::Group& group, FeedId feed,
                                                std::string_view key, ActivityId before) {
  std::optional<ActivityId> newest;
  const auto range = keys::grouped_activities(feed, key, before);
  const auto status = group.scan(range.first, range.end, [&](std::string_view row, auto) {
    newest = keys::last_activity(row);
    return false;
  });
  if (!status) return status.error();
  return newest;
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
    if (state->count > 0) group.erase(keys::group_order_key(feed, state->newest));
    group.put(keys::group_order_key(feed, activity), key);
    state->newest = activity;
  }
  ++state->count;
  group.put(keys::group_key(feed, key), encode(*state));
  return done();
}

Status remove_from_group(commit::Group& group, FeedId feed, std::string_view key,
                         ActivityId activity) {
  auto state = read_group(group, feed, key);
  if (!state) return state.error();
  if (state->count == 0) return Error{Code::kInternal, "an entry of a grouping feed has no group"};
  erase_grouped(group, feed, key, activity);
  --state->count;
  if (state->newest == activity) {
    group.erase(keys::group_order_key(feed, activity));
    if (state->count > 0) {
      // Looked for behind the one that goes: before it lie the remains of those that went.
      const auto newest = newest_before(group, feed, key, activity);
      if (!newest) return newest.error();
      if (!*newest) return Error{Code::kInternal, "a group counts entries that are not there"};
      state->newest = **newest;
      group.put(keys::group_order_key(feed, state->newest), key);
    }
  }
  if (state->count == 0) {
    group.erase(keys::group_key(feed, key));
  } else {
    group.put(keys::group_key(feed, key), encode(*state));
  }
  return done();
}

void erase_grouped(commit::Group& group, FeedId feed, std::string_view key, ActivityId activity) {
  group.erase(keys::grouped_activity_key(feed, key, activity));
  group.erase(keys::activity_grouping_feed_key(activity, feed));
}

}  // namespace feeds::commands
