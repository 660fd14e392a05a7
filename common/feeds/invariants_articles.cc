#include <fmt/format.h>

#include "common/feeds/invariant_walk.h"
#include "common/keys/activity_keyspace.h"
#include "common/keys/key_codec.h"

// Users and subscriptions, feeds, articles.
namespace feeds::invariants {
namespace {

// The next id of a counter, which ids given out are below.
std::uint64_t next_id(Walk& walk, keys::CounterKind kind) {
  const auto value = walk.get(keys::counter_key(kind));
  return value ? keys::decode_integer(*value).value_or(0) : kFirstId;
}

bool starts_with_id(std::string_view value, std::uint64_t id) {
  return value.starts_with(fmt::format("{{\"id\":{},", id));
}

}  // namespace

void check_users(Walk& walk) {
  const auto next = next_id(walk, keys::CounterKind::kUsers);
  std::optional<UserId> user;
  std::uint64_t told = 0;
  std::uint64_t counted = 0;
  const auto settle = [&] {
    if (!user || told == counted) return;
    walk.violation(keys::user_key(*user),
                   fmt::format("says {} subscriptions, has {}", told, counted));
  };
  walk.each(keys::Space::kUsers, [&](std::string_view key, std::string_view value) {
    const auto row = keys::parse_user_row(key);
    if (!row) return;  // told by its form
    const auto number = keys::decode_integer(value);
    if (!number) return walk.violation(key, "its value is no number");
    if (row->feed) {
      if (row->user != user) return walk.violation(key, "a subscription of no user");
      ++counted;
      return;
    }
    settle();
    user = row->user;
    told = *number;
    counted = 0;
    if (row->user.value >= next) walk.violation(key, "its id was not given out");
  });
  settle();
}

void check_feeds(Walk& walk) {
  const auto next = next_id(walk, keys::CounterKind::kFeeds);
  walk.each(keys::Space::kFeeds, [&](std::string_view key, std::string_view value) {
    const auto feed = keys::parse_feed(key);
    if (!feed) return;
    if (feed->value >= next) walk.violation(key, "its id was not given out");
    if (!starts_with_id(value, feed->value)) walk.violation(key, "its value is of another feed");
  });
  walk.each(keys::Space::kGroupingFeeds, [&](std::string_view key, std::string_view value) {
    const auto feed = keys::decode_integer(key.substr(1));
    if (!feed) return;
    if (*feed >= next) walk.violation(key, "its id was not given out");
    if (!starts_with_id(value, *feed)) walk.violation(key, "its value is of another feed");
    if (walk.has(keys::feed_key(FeedId{*feed}))) walk.violation(key, "it is a simple feed too");
  });
}

void check_articles(Walk& walk) {
  std::optional<FeedId> feed;
  std::uint64_t expected = 0;
  bool of_a_feed = false;
  walk.each(keys::Space::kArticles, [&](std::string_view key, std::string_view value) {
    const auto row = keys::parse_article(key);
    if (!row) return;
    if (row->feed != feed) {
      feed = row->feed;
      expected = kFirstId;
      of_a_feed = walk.has(keys::feed_key(*feed));
    }
    if (!of_a_feed) {
      if (walk.pending(DeletionKind::kArticlesOfFeed, feed->value)) return;
      return walk.violation(key, "an article of no feed");
    }
    if (row->article.value != expected) {
      walk.violation(key, fmt::format("article {} is missing before it", expected));
    }
    expected = row->article.value + 1;
    if (!starts_with_id(value, row->article.value))
      walk.violation(key, "its value is of another article");
  });
}

}  // namespace feeds::invariants
