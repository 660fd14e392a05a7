#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/base/ids.h"

// THE list of what is stored: the table "Keys" of schema/README.md in code. To add a resource,
// add its space here, its rows there, and its golden bytes in tests/unit/keys.
namespace feeds::keys {

enum class Space : std::uint8_t {
  kMeta = 0x00,
  kCounters = 0x01,
  kPending = 0x02,
  kUsers = 0x10,
  kFeeds = 0x11,
  kArticles = 0x12,
  kActivities = 0x20,  // from here on: activity_keyspace.h
  kFeedActivities = 0x21,
  kActivityFeeds = 0x22,
  kObjectIdActivities = 0x23,
  kActivityReactions = 0x24,
  kThreadReactions = 0x25,
  kGroupingFeeds = 0x26,
  kGroupingFeedActivities = 0x27,
  kActivityGroupingFeeds = 0x28,
  kGroups = 0x29,
  kGroupOrder = 0x2a,
  kCollections = 0x2b,
  kCollectionObjects = 0x2c,
};

struct SpaceInfo {
  Space space;
  std::string_view name;  // as in /v1/digest
};
std::span<const SpaceInfo> spaces();
std::optional<Space> space_named(std::string_view name);

// [first, end) in key order.
struct Range {
  std::string first;
  std::string end;
};
Range range_of(Space space);

std::string position_key();

enum class CounterKind : std::uint8_t { kUsers = 1, kFeeds = 2, kActivities = 3 };
std::string counter_key(CounterKind kind);

std::string pending_key(std::uint64_t job);
std::optional<std::uint64_t> parse_pending(std::string_view key);

std::string user_key(UserId user);
std::string subscription_key(UserId user, FeedId feed);
Range subscriptions_of(UserId user);
struct UserRow {
  UserId user;
  std::optional<FeedId> feed;  // set: a subscription
};
std::optional<UserRow> parse_user_row(std::string_view key);

std::string feed_key(FeedId feed);
std::optional<FeedId> parse_feed(std::string_view key);

std::string article_key(FeedId feed, ArticleId article);
Range articles_of(FeedId feed);
struct ArticleRow {
  FeedId feed;
  ArticleId article;
};
std::optional<ArticleRow> parse_article(std::string_view key);

// What a key shares with the keys written right before or after it in key order: its feed, or its whole
// space where ids are given out in order. Empty if it has no such neighbours. For RocksDB's insert hints.
std::string_view hint_prefix(std::string_view key);

// The key as `feedctl dump` prints it, `/data/articles/10000/10005`; `/unknown/<hex>` for others.
std::string print_key(std::string_view key);

}  // namespace feeds::keys
