#include "common/keys/activity_keyspace.h"

#include <fmt/format.h>

#include "common/keys/key_codec.h"

namespace feeds::keys {
namespace {

std::string start(Space space) { return std::string(1, static_cast<char>(space)); }

std::string with_id(Space space, std::uint64_t id) {
  std::string key = start(space);
  append_integer(key, id);
  return key;
}

std::string with_activity(std::string prefix, ActivityId activity) {
  append_descending(prefix, activity.value);
  return prefix;
}

std::string with_text(std::string prefix, std::string_view text) {
  append_text(prefix, text);
  return prefix;
}

// Everything with the prefix, or what is older than `before`.
Range newest_first(const std::string& prefix, Before before) {
  std::string first = before ? with_activity(prefix, *before) + '\0' : prefix;
  return {std::move(first), after_prefix(prefix)};
}

Range all_with(const std::string& prefix) { return {prefix, after_prefix(prefix)}; }

bool in_space(std::string_view key, Space space) {
  return !key.empty() && key[0] == static_cast<char>(space);
}

// The second id of a key of two ids.
std::optional<std::uint64_t> second_id(std::string_view key, Space space) {
  if (!in_space(key, space) || key.size() != 1 + 2 * kIntegerBytes) return std::nullopt;
  key.remove_prefix(1 + kIntegerBytes);
  return take_integer(key);
}

std::string object_prefix(std::string_view collection, std::string_view object) {
  return with_text(with_text(start(Space::kObjectIdActivities), collection), object);
}

std::string group_prefix(Space space, FeedId feed, std::string_view group) {
  return with_text(with_id(space, feed.value), group);
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || c == '/' || c == '%') {
      out += fmt::format("%{:02X}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

// How the fields of a space's keys follow each other, for printing.
struct Form {
  Space space;
  std::string_view name;
  std::string_view fields;  // i: id, d: descending id, t: text
};
constexpr Form kForms[] = {
    {Space::kActivities, "activities", "i"},
    {Space::kFeedActivities, "feed_activities", "id"},
    {Space::kActivityFeeds, "activity_feeds", "ii"},
    {Space::kObjectIdActivities, "object_id_activities", "ttd"},
    {Space::kActivityReactions, "activity_reactions", "id"},
    {Space::kThreadReactions, "thread_reactions", "id"},
    {Space::kGroupingFeeds, "grouping_feeds", "i"},
    {Space::kGroupingFeedActivities, "grouping_feed_activities", "itd"},
    {Space::kActivityGroupingFeeds, "activity_grouping_feeds", "ii"},
    {Space::kGroups, "groups", "it"},
    {Space::kGroupOrder, "group_order", "id"},
    {Space::kCollections, "collections", "t"},
    {Space::kCollectionObjects, "collection_objects", "tt"},
};

std::optional<std::string> print_fields(const Form& form, std::string_view rest) {
  std::string text = fmt::format("/data/{}", form.name);
  for (const char field : form.fields) {
    if (field == 't') {
      const auto value = take_text(rest);
      if (!value) return std::nullopt;
      text += "/" + escaped(*value);
    } else {
      const auto value = field == 'd' ? take_descending(rest) : take_integer(rest);
      if (!value) return std::nullopt;
      text += fmt::format("/{}", *value);
    }
  }
  return rest.empty() ? std::optional(text) : std::nullopt;
}

}  // namespace

std::string activity_key(ActivityId activity) { return with_id(Space::kActivities, activity.value); }

std::optional<ActivityId> parse_activity(std::string_view key) {
  if (!in_space(key, Space::kActivities)) return std::nullopt;
  const auto id = decode_integer(key.substr(1));
  return id ? std::optional(ActivityId{*id}) : std::nullopt;
}

std::string feed_activity_key(FeedId feed, ActivityId activity) {
  return with_activity(with_id(Space::kFeedActivities, feed.value), activity);
}
Range feed_activities(FeedId feed, Before before) {
  return newest_first(with_id(Space::kFeedActivities, feed.value), before);
}

std::string activity_feed_key(ActivityId activity, FeedId feed) {
  std::string key = with_id(Space::kActivityFeeds, activity.value);
  append_integer(key, feed.value);
  return key;
}
Range feeds_of_activity(ActivityId activity) {
  return all_with(with_id(Space::kActivityFeeds, activity.value));
}
std::optional<FeedId> parse_activity_feed(std::string_view key) {
  const auto id = second_id(key, Space::kActivityFeeds);
  return id ? std::optional(FeedId{*id}) : std::nullopt;
}

std::string object_activity_key(std::string_view collection, std::string_view object,
                                ActivityId activity) {
  return with_activity(object_prefix(collection, object), activity);
}
Range object_activities(std::string_view collection, std::string_view object, Before before) {
  return newest_first(object_prefix(collection, object), before);
}

std::string reaction_key(ActivityId parent, ActivityId reaction) {
  return with_activity(with_id(Space::kActivityReactions, parent.value), reaction);
}
Range reactions_of(ActivityId parent, Before before) {
  return newest_first(with_id(Space::kActivityReactions, parent.value), before);
}

std::string thread_key(ActivityId top, ActivityId reaction) {
  return with_activity(with_id(Space::kThreadReactions, top.value), reaction);
}
Range thread_of(ActivityId top, Before before) {
  return newest_first(with_id(Space::kThreadReactions, top.value), before);
}

std::string grouping_feed_key(FeedId feed) { return with_id(Space::kGroupingFeeds, feed.value); }

std::string grouped_activity_key(FeedId feed, std::string_view group, ActivityId activity) {
  return with_activity(group_prefix(Space::kGroupingFeedActivities, feed, group), activity);
}
Range grouped_activities(FeedId feed, std::string_view group, Before before) {
  return newest_first(group_prefix(Space::kGroupingFeedActivities, feed, group), before);
}
Range grouped_activities(FeedId feed) {
  return all_with(with_id(Space::kGroupingFeedActivities, feed.value));
}
std::optional<GroupedRow> parse_grouped(std::string_view key) {
  if (!in_space(key, Space::kGroupingFeedActivities)) return std::nullopt;
  key.remove_prefix(1);
  if (!take_integer(key)) return std::nullopt;
  auto group = take_text(key);
  if (!group) return std::nullopt;
  const auto activity = take_descending(key);
  if (!activity || !key.empty()) return std::nullopt;
  return GroupedRow{std::move(*group), ActivityId{*activity}};
}

std::string activity_grouping_feed_key(ActivityId activity, FeedId feed) {
  std::string key = with_id(Space::kActivityGroupingFeeds, activity.value);
  append_integer(key, feed.value);
  return key;
}
Range grouping_feeds_of_activity(ActivityId activity) {
  return all_with(with_id(Space::kActivityGroupingFeeds, activity.value));
}
std::optional<FeedId> parse_activity_grouping_feed(std::string_view key) {
  const auto id = second_id(key, Space::kActivityGroupingFeeds);
  return id ? std::optional(FeedId{*id}) : std::nullopt;
}

std::string group_key(FeedId feed, std::string_view group) {
  return group_prefix(Space::kGroups, feed, group);
}
Range groups_of(FeedId feed) { return all_with(with_id(Space::kGroups, feed.value)); }

std::string group_order_key(FeedId feed, ActivityId newest) {
  return with_activity(with_id(Space::kGroupOrder, feed.value), newest);
}
Range group_order(FeedId feed, Before before) {
  return newest_first(with_id(Space::kGroupOrder, feed.value), before);
}

std::optional<ActivityId> last_activity(std::string_view key) {
  if (key.size() < kIntegerBytes) return std::nullopt;
  key.remove_prefix(key.size() - kIntegerBytes);
  return ActivityId{*take_descending(key)};
}

std::string collection_key(std::string_view collection) {
  return with_text(start(Space::kCollections), collection);
}
std::string object_key(std::string_view collection, std::string_view object) {
  return with_text(with_text(start(Space::kCollectionObjects), collection), object);
}
Range objects_of(std::string_view collection) {
  return all_with(with_text(start(Space::kCollectionObjects), collection));
}
std::optional<std::string> parse_collection(std::string_view key) {
  if (!in_space(key, Space::kCollections)) return std::nullopt;
  key.remove_prefix(1);
  auto collection = take_text(key);
  return key.empty() ? collection : std::nullopt;
}
std::optional<std::string> parse_object(std::string_view key) {
  if (!in_space(key, Space::kCollectionObjects)) return std::nullopt;
  key.remove_prefix(1);
  if (!take_text(key)) return std::nullopt;
  auto object = take_text(key);
  return key.empty() ? object : std::nullopt;
}

std::string print_activity_key(std::string_view key) {
  for (const auto& form : kForms) {
    if (!in_space(key, form.space)) continue;
    return print_fields(form, key.substr(1)).value_or("");
  }
  return {};
}

}  // namespace feeds::keys
