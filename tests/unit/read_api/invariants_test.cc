#include "tests/unit/read_api/read_world.h"

namespace feeds {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A world in which everything holds, until a test damages one row.
class Invariants : public test::ReadWorld {
 protected:
  Invariants() {
    feed_ = rows().feed();
    grouping_ = rows().grouping_feed();
    rows().put_row(keys::counter_key(keys::CounterKind::kUsers), keys::encode_integer(10001));
    rows().put_row(keys::user_key(UserId{10000}), keys::encode_integer(1));
    rows().put_row(keys::subscription_key(UserId{10000}, feed_), keys::encode_integer(kFirstId));
    rows().put_row(keys::article_key(feed_, ArticleId{10000}),
                   make_article_value(ArticleId{10000}, "x"));
    rows().put_row(keys::article_key(feed_, ArticleId{10001}),
                   make_article_value(ArticleId{10001}, "y"));
    rows().collection("food");
    rows().object("food", "pizza");
    post_ = rows().activity({.object = "pizza",
                             .collection = "food",
                             .feeds = {feed_},
                             .groups = {{grouping_, std::string("k\0", 2)}}});
    comment_ = rows().reaction(post_, post_);
    reply_ = rows().reaction(post_, comment_, {.groups = {{grouping_, std::string("k\0", 2)}}});
    rows().commit();
  }

  void expect(const std::string& key, const std::string& what) {
    rows().commit();
    EXPECT_THAT(violations(), Contains(keys::print_key(key) + ": " + what));
  }

  FeedId feed_, grouping_;
  ActivityId post_, comment_, reply_;
  const std::string group_{"k\0", 2};
};

TEST_F(Invariants, SoundRows_HaveNone) {
  EXPECT_THAT(violations(), IsEmpty());
}

TEST_F(Invariants, EveryMissingRow_IsNoticed) {
  // Whatever row is taken away, something else tells.
  for (const auto& key : {keys::feed_key(feed_),
                          keys::article_key(feed_, ArticleId{10000}),
                          keys::user_key(UserId{10000}),
                          keys::subscription_key(UserId{10000}, feed_),
                          keys::activity_key(post_),
                          keys::activity_key(comment_),
                          keys::feed_activity_key(feed_, post_),
                          keys::activity_feed_key(post_, feed_),
                          keys::object_activity_key("food", "pizza", post_),
                          keys::reaction_key(post_, comment_),
                          keys::reaction_key(comment_, reply_),
                          keys::thread_key(post_, comment_),
                          keys::thread_key(post_, reply_),
                          keys::grouping_feed_key(grouping_),
                          keys::grouped_activity_key(grouping_, group_, post_),
                          keys::activity_grouping_feed_key(post_, grouping_),
                          keys::group_key(grouping_, group_),
                          keys::group_order_key(grouping_, reply_),
                          keys::collection_key("food"),
                          keys::counter_key(keys::CounterKind::kUsers)}) {
    store::Batch batch;
    std::string kept;
    {
      store::View view(database());
      const auto found = view.find(key);
      ASSERT_TRUE(found) << keys::print_key(key);
      kept = *found;
    }
    rows().erase_row(key);
    if (key == keys::counter_key(keys::CounterKind::kUsers)) {
      rows().put_row(key, keys::encode_integer(10000));
    }
    rows().commit();
    EXPECT_THAT(violations(), ::testing::Not(IsEmpty())) << "without " << keys::print_key(key);
    rows().put_row(key, kept);
    rows().commit();
    ASSERT_THAT(violations(), IsEmpty());
  }
}

TEST_F(Invariants, StrayRows_AreNoticed) {
  for (const auto& key :
       {keys::article_key(feed_, ArticleId{10003}),
        keys::article_key(FeedId{20000}, ArticleId{10000}),
        keys::subscription_key(UserId{10000}, grouping_), keys::feed_activity_key(feed_, comment_),
        keys::activity_feed_key(comment_, feed_), keys::object_activity_key("", "pizza", post_),
        keys::reaction_key(post_, reply_), keys::thread_key(comment_, reply_),
        keys::grouped_activity_key(grouping_, "x", post_),
        keys::activity_grouping_feed_key(comment_, grouping_), keys::group_key(grouping_, "x"),
        keys::group_order_key(grouping_, post_), keys::object_key("books", "1"),
        keys::activity_key(ActivityId{20000}), std::string("\x0f\x01"), std::string("\x21zz"),
        std::string("\x40")}) {
    rows().put_row(key, "");
    rows().commit();
    EXPECT_THAT(violations(), ::testing::Not(IsEmpty())) << "with " << keys::print_key(key);
    rows().erase_row(key);
    rows().commit();
    ASSERT_THAT(violations(), IsEmpty());
  }
}

TEST_F(Invariants, WrongCopies_AreNamed) {
  const auto key = keys::thread_key(post_, reply_);
  rows().put_row(key, "{}");
  expect(key, "its copy differs from the activity");
}

TEST_F(Invariants, WrongCounts_AreNamed) {
  auto counts = keys::encode_integer(3);
  keys::append_integer(counts, reply_.value);
  rows().put_row(keys::group_key(grouping_, group_), counts);
  expect(keys::group_key(grouping_, group_), "says 3 entries, has 2");
  rows().put_row(keys::user_key(UserId{10000}), keys::encode_integer(7));
  expect(keys::user_key(UserId{10000}), "says 7 subscriptions, has 1");
}

TEST_F(Invariants, WrongHeads_AreNamed) {
  const auto key = keys::group_order_key(grouping_, reply_);
  auto head = *decode_group_head(*store::View(database()).find(key));
  head.newest.pop_back();
  rows().put_row(key, encode(head));
  expect(keys::group_key(grouping_, group_), "its head holds other copies than its newest entries");
  head.entries = 7;
  rows().put_row(key, encode(head));
  expect(keys::group_key(grouping_, group_), "its head says 7 entries");
}

TEST_F(Invariants, WrongThreads_AreNamed) {
  const auto other = rows().activity({});
  rows().commit();
  Activity lost;
  lost.id = ActivityId{rows().next_activity()};
  lost.object_id = std::to_string(other.value);
  lost.linked_activity_id = std::to_string(comment_.value);
  rows().put(lost);
  rows().skip_to(lost.id.value + 1);
  expect(keys::activity_key(lost.id), "its parent is of another thread");
}

TEST_F(Invariants, RowsOfDeletionsUnderWay_AreLeftOut) {
  rows().erase_row(keys::feed_key(feed_));
  rows().erase_row(keys::article_key(feed_, ArticleId{10000}));
  rows().erase_row(keys::grouping_feed_key(grouping_));
  rows().erase_row(keys::grouped_activity_key(grouping_, group_, reply_));
  rows().erase_row(keys::activity_grouping_feed_key(reply_, grouping_));
  rows().commit();
  EXPECT_THAT(violations(), ::testing::SizeIs(::testing::Ge(4u)));
  rows().pending(1, {DeletionKind::kArticlesOfFeed, feed_.value});
  rows().pending(2, {DeletionKind::kActivitiesOfFeed, feed_.value});
  rows().pending(3, {DeletionKind::kEntriesOfGroupingFeed, grouping_.value});
  rows().commit();
  EXPECT_THAT(violations(), IsEmpty());
}

TEST_F(Invariants, MoreThanAskedFor_EndTheWalk) {
  for (std::uint64_t i = 0; i < 150; ++i) {
    rows().put_row(keys::activity_feed_key(ActivityId{10000 + i}, FeedId{20000}), "");
  }
  rows().commit();
  EXPECT_THAT(violations(), ::testing::SizeIs(100));
}

}  // namespace
}  // namespace feeds
