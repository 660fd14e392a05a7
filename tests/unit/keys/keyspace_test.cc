#include "common/keys/keyspace.h"

#include "common/keys/key_codec.h"
#include "tests/support/seed.h"

namespace feeds::keys {
namespace {

std::string hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    out += kDigits[static_cast<unsigned char>(c) >> 4];
    out += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

TEST(Keyspace, GoldenBytes) {
  EXPECT_EQ(hex(position_key()), "0001");
  EXPECT_EQ(hex(counter_key(CounterKind::kUsers)), "0101");
  EXPECT_EQ(hex(counter_key(CounterKind::kFeeds)), "0102");
  EXPECT_EQ(hex(counter_key(CounterKind::kActivities)), "0103");
  EXPECT_EQ(hex(pending_key(7)), "020000000000000007");
  EXPECT_EQ(hex(user_key(UserId{10000})), "100000000000002710");
  EXPECT_EQ(hex(subscription_key(UserId{10000}, FeedId{10001})),
            "1000000000000027100000000000002711");
  EXPECT_EQ(hex(feed_key(FeedId{10000})), "110000000000002710");
  EXPECT_EQ(hex(article_key(FeedId{10000}, ArticleId{10005})),
            "1200000000000027100000000000002715");
}

TEST(Keyspace, PrintsThePathsOfTheDump) {
  EXPECT_EQ(print_key(counter_key(CounterKind::kFeeds)), "/system/counters/feeds");
  EXPECT_EQ(print_key(user_key(UserId{10001})), "/data/users/10001");
  EXPECT_EQ(print_key(feed_key(FeedId{10000})), "/data/feeds/10000");
  EXPECT_EQ(print_key(article_key(FeedId{10000}, ArticleId{10005})), "/data/articles/10000/10005");
  EXPECT_EQ(print_key(std::string("\x7f\x01", 2)), "/unknown/7f01");
  EXPECT_EQ(print_key(""), "/unknown/");
}

TEST(Keyspace, ArticlesOrderByNumberAtEveryWidth) {
  const FeedId feed{10000};
  std::string before;
  for (const std::uint64_t id : {std::uint64_t{10000}, std::uint64_t{99999}, std::uint64_t{100000},
                                 (std::uint64_t{1} << 32) - 1, std::uint64_t{1} << 32,
                                 std::uint64_t{1} << 53}) {
    const auto key = article_key(feed, ArticleId{id});
    EXPECT_LT(before, key);
    EXPECT_GE(key, articles_of(feed).first);
    EXPECT_LT(key, articles_of(feed).end);
    EXPECT_LT(key, articles_of(FeedId{feed.value + 1}).first);
    before = key;
  }
}

TEST(Keyspace, SubscriptionsOfAUserLieBehindItAndBeforeTheNext) {
  const UserId user{10000};
  const auto range = subscriptions_of(user);
  EXPECT_GT(range.first, user_key(user));
  EXPECT_LE(range.first, subscription_key(user, FeedId{0}));
  EXPECT_LT(subscription_key(user, FeedId{~std::uint64_t{0}}), range.end);
  EXPECT_LE(range.end, user_key(UserId{10001}));
}

TEST(Keyspace, RandomKeys_RoundTripAndStayInTheirSpace) {
  std::mt19937_64 random(test::seed());
  for (int i = 0; i < 2000; ++i) {
    const FeedId feed{random() >> (random() % 64)};
    const ArticleId article{random() >> (random() % 64)};
    const auto key = article_key(feed, article);
    const auto row = parse_article(key);
    ASSERT_TRUE(row);
    EXPECT_EQ(row->feed, feed);
    EXPECT_EQ(row->article, article);
    EXPECT_FALSE(parse_feed(key));
    EXPECT_FALSE(parse_user_row(key));
    int spaces_with_it = 0;
    for (const auto& info : spaces()) {
      const auto range = range_of(info.space);
      if (range.first <= key && key < range.end) ++spaces_with_it;
    }
    EXPECT_EQ(spaces_with_it, 1);
  }
}

TEST(Keyspace, HintPrefixes_AreSharedByTheKeysOfAFeedOrOfASpaceInOrder) {
  EXPECT_EQ(hint_prefix(article_key(FeedId{10000}, ArticleId{1})), articles_of(FeedId{10000}).first);
  EXPECT_EQ(hint_prefix(feed_key(FeedId{10000})), hint_prefix(feed_key(FeedId{20000})));
  EXPECT_EQ(hint_prefix(position_key()), position_key());
  EXPECT_EQ(hint_prefix(subscription_key(UserId{1}, FeedId{2})), "");
  EXPECT_EQ(hint_prefix(""), "");
  EXPECT_EQ(hint_prefix("\x12"), "\x12");
}

TEST(Keyspace, RandomBytes_NeverParseAsTwoThings) {
  std::mt19937_64 random(test::seed());
  for (int i = 0; i < 20000; ++i) {
    std::string key(random() % 20, '\0');
    for (auto& c : key) c = static_cast<char>(random() % 4 == 0 ? random() : random() % 0x14);
    const int meanings = parse_article(key).has_value() + parse_feed(key).has_value() +
                         parse_user_row(key).has_value() + parse_pending(key).has_value();
    EXPECT_LE(meanings, 1) << hex(key);
    EXPECT_FALSE(print_key(key).empty());
  }
}

TEST(KeyCodec, AfterPrefixIsTheSmallestKeyBehindAllOfIt) {
  EXPECT_EQ(after_prefix(std::string("\x10\x00", 2)), std::string("\x10\x01", 2));
  EXPECT_EQ(after_prefix("\x10\xff"), "\x11");
}

}  // namespace
}  // namespace feeds::keys
