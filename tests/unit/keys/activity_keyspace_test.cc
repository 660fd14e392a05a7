#include "common/keys/activity_keyspace.h"

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

const FeedId kFeed{10000};
const ActivityId kActivity{10005};
const std::string kText("a\0/\xff", 4);

TEST(ActivityKeyspace, GoldenBytes) {
  EXPECT_EQ(hex(activity_key(kActivity)), "200000000000002715");
  EXPECT_EQ(hex(feed_activity_key(kFeed, kActivity)), "210000000000002710ffffffffffffd8ea");
  EXPECT_EQ(hex(activity_feed_key(kActivity, kFeed)), "2200000000000027150000000000002710");
  EXPECT_EQ(hex(object_activity_key("food", kText, kActivity)),
            "23666f6f640001"
            "6100ff2fff0001"
            "ffffffffffffd8ea");
  EXPECT_EQ(hex(object_activity_key("", "x", kActivity)), "230001780001ffffffffffffd8ea");
  EXPECT_EQ(hex(reaction_key(kActivity, ActivityId{10009})), "240000000000002715ffffffffffffd8e6");
  EXPECT_EQ(hex(thread_key(kActivity, ActivityId{10009})), "250000000000002715ffffffffffffd8e6");
  EXPECT_EQ(hex(grouping_feed_key(kFeed)), "260000000000002710");
  EXPECT_EQ(hex(grouped_activity_key(kFeed, kText, kActivity)),
            "270000000000002710"
            "6100ff2fff0001"
            "ffffffffffffd8ea");
  EXPECT_EQ(hex(activity_grouping_feed_key(kActivity, kFeed)),
            "2800000000000027150000000000002710");
  EXPECT_EQ(hex(group_key(kFeed, kText)), "2900000000000027106100ff2fff0001");
  EXPECT_EQ(hex(group_key(kFeed, "")), "2900000000000027100001");
  EXPECT_EQ(hex(group_order_key(kFeed, kActivity)), "2a0000000000002710ffffffffffffd8ea");
  EXPECT_EQ(hex(collection_key("food")), "2b666f6f640001");
  EXPECT_EQ(hex(object_key("food", kText)), "2c666f6f6400016100ff2fff0001");
}

TEST(ActivityKeyspace, PrintsThePathsOfTheDump) {
  EXPECT_EQ(print_key(activity_key(kActivity)), "/data/activities/10005");
  EXPECT_EQ(print_key(feed_activity_key(kFeed, kActivity)), "/data/feed_activities/10000/10005");
  EXPECT_EQ(print_key(activity_feed_key(kActivity, kFeed)), "/data/activity_feeds/10005/10000");
  EXPECT_EQ(print_key(object_activity_key("food", "pizza", kActivity)),
            "/data/object_id_activities/food/pizza/10005");
  EXPECT_EQ(print_key(object_activity_key("", "a/b%\n", kActivity)),
            "/data/object_id_activities//a%2Fb%25%0A/10005");
  EXPECT_EQ(print_key(reaction_key(kActivity, ActivityId{10009})),
            "/data/activity_reactions/10005/10009");
  EXPECT_EQ(print_key(thread_key(kActivity, ActivityId{10009})),
            "/data/thread_reactions/10005/10009");
  EXPECT_EQ(print_key(grouping_feed_key(kFeed)), "/data/grouping_feeds/10000");
  EXPECT_EQ(print_key(grouped_activity_key(kFeed, "like", kActivity)),
            "/data/grouping_feed_activities/10000/like/10005");
  EXPECT_EQ(print_key(activity_grouping_feed_key(kActivity, kFeed)),
            "/data/activity_grouping_feeds/10005/10000");
  EXPECT_EQ(print_key(group_key(kFeed, std::string(1, '\0'))), "/data/groups/10000/%00");
  EXPECT_EQ(print_key(group_order_key(kFeed, kActivity)), "/data/group_order/10000/10005");
  EXPECT_EQ(print_key(collection_key("food")), "/data/collections/food");
  EXPECT_EQ(print_key(object_key("food", "pizza")), "/data/collection_objects/food/pizza");
  EXPECT_EQ(print_key(activity_key(kActivity) + "x").substr(0, 9), "/unknown/");
}

bool within(const Range& range, const std::string& key) {
  return range.first <= key && key < range.end;
}

TEST(ActivityKeyspace, NewestComesFirst_AndOlderOnesFollowAPlace) {
  for (const std::uint64_t id : {std::uint64_t{1}, std::uint64_t{10005}, std::uint64_t{99999},
                                 (std::uint64_t{1} << 53), (std::uint64_t{1} << 63) - 1}) {
    const ActivityId here{id};
    const auto all = feed_activities(kFeed);
    const auto older = feed_activities(kFeed, here);
    EXPECT_LT(feed_activity_key(kFeed, here), feed_activity_key(kFeed, ActivityId{id - 1}));
    EXPECT_TRUE(within(all, feed_activity_key(kFeed, here)));
    EXPECT_FALSE(within(older, feed_activity_key(kFeed, here)));
    EXPECT_TRUE(within(older, feed_activity_key(kFeed, ActivityId{id - 1})));
    EXPECT_FALSE(within(all, feed_activity_key(FeedId{kFeed.value + 1}, here)));
    EXPECT_EQ(last_activity(feed_activity_key(kFeed, here)), here);
  }
}

// Texts that are hard on separators: short, of few bytes, 00, 01 and ff among them.
std::string nasty_text(std::mt19937_64& random) {
  constexpr std::string_view kBytes("\0\x01\xff\xfe/:%ab", 9);
  std::string text(random() % 5, '\0');
  for (auto& c : text) c = kBytes[random() % kBytes.size()];
  return text;
}

TEST(ActivityKeyspace, RandomTexts_OrderAsTheirBytes) {
  std::mt19937_64 random(test::seed());
  for (int i = 0; i < 20000; ++i) {
    const auto a = nasty_text(random), b = nasty_text(random);
    const auto bytes = [](const std::string& text) {
      return std::vector<unsigned char>(text.begin(), text.end());
    };
    EXPECT_EQ(collection_key(a) < collection_key(b), bytes(a) < bytes(b))
        << hex(a) << " " << hex(b);
    EXPECT_EQ(parse_collection(collection_key(a)), a);
    EXPECT_EQ(parse_object(object_key(a, b)), b);
  }
}

TEST(ActivityKeyspace, RandomTexts_NeverReachIntoAnothersRange) {
  std::mt19937_64 random(test::seed());
  for (int i = 0; i < 20000; ++i) {
    const auto c1 = nasty_text(random), o1 = nasty_text(random);
    const auto c2 = nasty_text(random), o2 = nasty_text(random);
    const ActivityId id{random() >> 1};
    EXPECT_EQ(within(object_activities(c1, o1), object_activity_key(c2, o2, id)),
              c1 == c2 && o1 == o2)
        << hex(c1) << " " << hex(o1) << " " << hex(c2) << " " << hex(o2);
    EXPECT_EQ(within(objects_of(c1), object_key(c2, o2)), c1 == c2);
    EXPECT_EQ(within(grouped_activities(kFeed, o1), grouped_activity_key(kFeed, o2, id)), o1 == o2);
    EXPECT_TRUE(within(grouped_activities(kFeed), grouped_activity_key(kFeed, o2, id)));
    EXPECT_FALSE(within(grouped_activities(kFeed), grouped_activity_key(FeedId{10001}, o2, id)));
    EXPECT_TRUE(within(groups_of(kFeed), group_key(kFeed, o2)));
    const auto row = parse_grouped(grouped_activity_key(kFeed, o1, id));
    ASSERT_TRUE(row);
    EXPECT_EQ(row->group, o1);
    EXPECT_EQ(row->activity, id);
  }
}

TEST(ActivityKeyspace, EveryKey_LiesInOneSpace) {
  for (const auto& key :
       {activity_key(kActivity), feed_activity_key(kFeed, kActivity),
        activity_feed_key(kActivity, kFeed), object_activity_key(kText, kText, kActivity),
        reaction_key(kActivity, kActivity), thread_key(kActivity, kActivity),
        grouping_feed_key(kFeed), grouped_activity_key(kFeed, kText, kActivity),
        activity_grouping_feed_key(kActivity, kFeed), group_key(kFeed, kText),
        group_order_key(kFeed, kActivity), collection_key(kText), object_key(kText, kText)}) {
    int spaces_with_it = 0;
    for (const auto& info : spaces()) spaces_with_it += within(range_of(info.space), key);
    EXPECT_EQ(spaces_with_it, 1) << hex(key);
    EXPECT_TRUE(print_key(key).starts_with("/data/")) << hex(key);
  }
}

TEST(ActivityKeyspace, RandomBytes_ParseOnlyIfTheyAreSuchAKey) {
  std::mt19937_64 random(test::seed());
  for (int i = 0; i < 20000; ++i) {
    std::string key(random() % 24, '\0');
    for (auto& c : key) c = static_cast<char>(random() % 3 == 0 ? random() : random() % 0x2e);
    if (const auto id = parse_activity(key)) {
      EXPECT_EQ(activity_key(*id), key);
    }
    if (const auto text = parse_collection(key)) {
      EXPECT_EQ(collection_key(*text), key);
    }
    if (const auto row = parse_grouped(key)) {
      const auto feed = decode_integer(std::string_view(key).substr(1, kIntegerBytes));
      EXPECT_EQ(grouped_activity_key(FeedId{*feed}, row->group, row->activity), key);
    }
    parse_object(key);
    EXPECT_FALSE(print_key(key).empty());
  }
}

}  // namespace
}  // namespace feeds::keys
