#include "common/keys/keyspace.h"

#include <fmt/format.h>

#include "common/keys/activity_keyspace.h"
#include "common/keys/key_codec.h"

namespace feeds::keys {
namespace {

constexpr char kPositionField = 0x01;

constexpr SpaceInfo kSpaces[] = {
    {Space::kMeta, "meta"},
    {Space::kCounters, "counters"},
    {Space::kPending, "pending"},
    {Space::kUsers, "users"},
    {Space::kFeeds, "feeds"},
    {Space::kArticles, "articles"},
    {Space::kActivities, "activities"},
    {Space::kFeedActivities, "feed_activities"},
    {Space::kActivityFeeds, "activity_feeds"},
    {Space::kObjectIdActivities, "object_id_activities"},
    {Space::kActivityReactions, "activity_reactions"},
    {Space::kThreadReactions, "thread_reactions"},
    {Space::kGroupingFeeds, "grouping_feeds"},
    {Space::kGroupingFeedActivities, "grouping_feed_activities"},
    {Space::kActivityGroupingFeeds, "activity_grouping_feeds"},
    {Space::kGroups, "groups"},
    {Space::kGroupOrder, "group_order"},
    {Space::kCollections, "collections"},
    {Space::kCollectionObjects, "collection_objects"},
};

std::string start_key(Space space) { return std::string(1, static_cast<char>(space)); }

std::string integer_key(Space space, std::uint64_t first) {
  std::string key = start_key(space);
  append_integer(key, first);
  return key;
}

std::string integer_key(Space space, std::uint64_t first, std::uint64_t second) {
  std::string key = integer_key(space, first);
  append_integer(key, second);
  return key;
}

bool in_space(std::string_view key, Space space) {
  return !key.empty() && key[0] == static_cast<char>(space);
}

std::string_view counter_name(CounterKind kind) {
  switch (kind) {
    case CounterKind::kUsers:
      return "users";
    case CounterKind::kFeeds:
      return "feeds";
    case CounterKind::kActivities:
      return "activities";
  }
  return "";
}

std::string print_counter(std::string_view key) {
  if (key.size() != 2) return {};
  const auto name = counter_name(static_cast<CounterKind>(key[1]));
  return name.empty() ? std::string{} : fmt::format("/system/counters/{}", name);
}

std::string print_user(std::string_view key) {
  const auto row = parse_user_row(key);
  if (!row) return {};
  if (!row->feed) return fmt::format("/data/users/{}", row->user.value);
  return fmt::format("/data/users/{}/{}", row->user.value, row->feed->value);
}

std::string print_known(std::string_view key) {
  if (key == position_key()) return "/system/position";
  if (in_space(key, Space::kCounters)) return print_counter(key);
  if (in_space(key, Space::kUsers)) return print_user(key);
  if (const auto job = parse_pending(key)) return fmt::format("/system/pending/{}", *job);
  if (const auto feed = parse_feed(key)) return fmt::format("/data/feeds/{}", feed->value);
  if (const auto row = parse_article(key)) {
    return fmt::format("/data/articles/{}/{}", row->feed.value, row->article.value);
  }
  return print_activity_key(key);
}

}  // namespace

std::span<const SpaceInfo> spaces() { return kSpaces; }

std::optional<Space> space_named(std::string_view name) {
  for (const auto& info : kSpaces) {
    if (info.name == name) return info.space;
  }
  return std::nullopt;
}

Range range_of(Space space) { return {start_key(space), after_prefix(start_key(space))}; }

std::string_view hint_prefix(std::string_view key) {
  if (key.empty()) return {};
  switch (static_cast<Space>(key[0])) {
    case Space::kMeta:
    case Space::kCounters:
      return key;
    case Space::kFeeds:
    case Space::kActivities:
    case Space::kActivityFeeds:
    case Space::kActivityGroupingFeeds:
      return key.substr(0, 1);
    case Space::kArticles:
    case Space::kFeedActivities:
    case Space::kGroupOrder:
      return key.substr(0, 1 + sizeof(std::uint64_t));
    default:
      return {};
  }
}

std::string position_key() { return start_key(Space::kMeta) + kPositionField; }

std::string counter_key(CounterKind kind) {
  return start_key(Space::kCounters) + static_cast<char>(kind);
}

std::string pending_key(std::uint64_t job) { return integer_key(Space::kPending, job); }

std::optional<std::uint64_t> parse_pending(std::string_view key) {
  if (!in_space(key, Space::kPending)) return std::nullopt;
  return decode_integer(key.substr(1));
}

std::string user_key(UserId user) { return integer_key(Space::kUsers, user.value); }

std::string subscription_key(UserId user, FeedId feed) {
  return integer_key(Space::kUsers, user.value, feed.value);
}

Range subscriptions_of(UserId user) {
  const std::string prefix = user_key(user);
  return {prefix + '\0', after_prefix(prefix)};
}

std::optional<UserRow> parse_user_row(std::string_view key) {
  if (!in_space(key, Space::kUsers)) return std::nullopt;
  key.remove_prefix(1);
  const auto user = take_integer(key);
  if (!user) return std::nullopt;
  if (key.empty()) return UserRow{UserId{*user}, std::nullopt};
  const auto feed = decode_integer(key);
  if (!feed) return std::nullopt;
  return UserRow{UserId{*user}, FeedId{*feed}};
}

std::string feed_key(FeedId feed) { return integer_key(Space::kFeeds, feed.value); }

std::optional<FeedId> parse_feed(std::string_view key) {
  if (!in_space(key, Space::kFeeds)) return std::nullopt;
  const auto feed = decode_integer(key.substr(1));
  return feed ? std::optional(FeedId{*feed}) : std::nullopt;
}

std::string article_key(FeedId feed, ArticleId article) {
  return integer_key(Space::kArticles, feed.value, article.value);
}

Range articles_of(FeedId feed) {
  const std::string prefix = integer_key(Space::kArticles, feed.value);
  return {prefix, after_prefix(prefix)};
}

std::optional<ArticleRow> parse_article(std::string_view key) {
  if (!in_space(key, Space::kArticles)) return std::nullopt;
  key.remove_prefix(1);
  const auto feed = take_integer(key);
  const auto article = decode_integer(key);
  if (!feed || !article) return std::nullopt;
  return ArticleRow{FeedId{*feed}, ArticleId{*article}};
}

std::string print_key(std::string_view key) {
  std::string text = print_known(key);
  if (!text.empty()) return text;
  text = "/unknown/";
  for (const char c : key) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

}  // namespace feeds::keys
