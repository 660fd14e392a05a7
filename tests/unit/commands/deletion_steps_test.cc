#include "primary/commands/deletion_steps.h"

#include "common/base/limits.h"
#include "tests/support/step_gate.h"
#include "tests/unit/commands/social_world.h"

namespace feeds::commands {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

// Deletions of more rows than a command may delete by itself, held still unless told.
class LargeDeletions : public test::SocialWorld {
 protected:
  static constexpr std::size_t kMany = 1500;
  static constexpr std::size_t kStepRows = 400;

  struct Gate {
    test::StepGate gate{kStepRows};
  };
  // The gate is made before the world that uses it.
  explicit LargeDeletions(std::size_t inline_rows = limits::kInlineDeleteRows,
                          std::unique_ptr<Gate> gate = std::make_unique<Gate>())
      : SocialWorld({.deletion_step = gate->gate.step(), .inline_delete_rows = inline_rows}),
        gate_(std::move(gate)) {}
  ~LargeDeletions() override { world_.close(); }

  void TearDown() override {
    finish();
    SocialWorld::TearDown();
  }

  void steps(std::size_t count) {
    ASSERT_TRUE(gate_->gate.let(count, [this] { return pending() == 0; }));
    auto view = world_.view();
    ASSERT_THAT(find_violations(view, 10)->found, ::testing::IsEmpty());  // half done, yet in order
  }
  void finish() {
    gate_->gate.open();
    ASSERT_TRUE(clean());
    gate_->gate.close();
  }

  std::unique_ptr<Gate> gate_;
};

TEST_F(LargeDeletions, OfAFeed_AreDoneInStepsWithARestartBetween) {
  const auto home = feed();
  const auto other = feed();
  add_many(kMany, {.feeds = {home, other}});
  EXPECT_EQ(code(DeleteFeed{home}), "ok");
  EXPECT_EQ(pending(), 1U);
  EXPECT_EQ(code(AddActivity{.feeds = {home}}), "no_such_feed");
  steps(2);
  world_.reopen();
  EXPECT_EQ(pending(), 1U);
  EXPECT_LT(rows(keys::feed_activities(home)), kMany);
  finish();
  EXPECT_EQ(rows(keys::feed_activities(home)), 0U);
  EXPECT_THAT(in_feed(other), SizeIs(kMany));
}

TEST_F(LargeDeletions, OfAFeedsArticlesAndActivities_AreTwo) {
  const auto home = feed();
  add_many(kMany, {.feeds = {home}});
  std::vector<PublishArticle> articles(kMany, PublishArticle{home, "t"});
  std::vector<PublishArticle*> pointers;
  for (auto& article : articles) pointers.push_back(&article);
  world_.run_all(pointers);
  EXPECT_EQ(code(DeleteFeed{home}), "ok");
  EXPECT_EQ(pending(), 2U);
  finish();
  EXPECT_EQ(rows(keys::articles_of(home)), 0U);
}

TEST_F(LargeDeletions, OfAFeed_LetItsActivitiesChangeMeanwhile) {
  const auto home = feed();
  const auto ids = add_many(kMany, {.feeds = {home}});
  EXPECT_EQ(code(DeleteFeed{home}), "ok");
  steps(1);
  for (std::size_t i = 0; i < kMany; i += 300) {
    EXPECT_EQ(code(UpdateActivity{.activity = ids[i], .extra_data = "1"}), "ok");
    EXPECT_EQ(code(DeleteActivity{.activity = ids[i + 1]}), "ok");
    EXPECT_EQ(code(RemoveActivity{home, ids[i + 2]}), "no_such_feed");
  }
}

TEST_F(LargeDeletions, OfAGroupingFeed) {
  const auto grouped = grouping("{{.UserId}}");
  const auto ids = add_many(kMany / 2, {.feeds = {grouped}, .user_id = "a"});
  add_many(kMany / 2, {.feeds = {grouped}, .user_id = "b"});
  EXPECT_EQ(code(DeleteGroupingFeed{grouped}), "ok");
  EXPECT_EQ(code(AddExistingActivity{grouped, ids[0]}), "no_such_feed");
  steps(1);
  EXPECT_EQ(code(DeleteActivity{.activity = ids[0]}), "ok");
  EXPECT_EQ(code(DeleteActivity{.activity = ids.back()}), "ok");
  EXPECT_EQ(code(UpdateActivity{.activity = ids[1], .extra_data = "1"}), "ok");
  EXPECT_EQ(code(UpdateActivity{.activity = ids[ids.size() - 2], .extra_data = "1"}), "ok");
  world_.reopen();
  steps(3);
  finish();
  EXPECT_EQ(rows(keys::Space::kGroups), 0U);
  EXPECT_EQ(rows(keys::Space::kActivities), kMany - 2 + kMany % 2);
}

TEST_F(LargeDeletions, OfAPost_MarkEveryReactionFromTheFirstOn) {
  const auto home = feed();
  const auto post = add({home});
  const auto first = react(post);
  const auto direct = react_many(kMany, post);
  const auto nested = react(first);
  EXPECT_EQ(code(AddExistingActivity{home, first}), "ok");
  EXPECT_EQ(code(DeleteActivity{.activity = post}), "ok");
  EXPECT_EQ(pending(), 1U);
  EXPECT_EQ(code(DeleteActivity{.activity = post}), "no_such_activity");
  for (const auto id : {first, direct[7], nested}) EXPECT_EQ(object_of(id), "deleted");
  EXPECT_EQ(link_of(first), "deleted");
  EXPECT_EQ(link_of(nested), std::to_string(first.value));

  // Changes meanwhile leave what will be.
  UpdateActivity update = update_reaction(first, "[1]");
  ASSERT_TRUE(run(update).ok());
  EXPECT_THAT(update.value, ::testing::HasSubstr(R"("objectId":"deleted")"));
  EXPECT_EQ(object_of(react(direct[0])), "deleted");
  EXPECT_EQ(code(delete_reaction(direct[1])), "ok");
  steps(1);
  world_.reopen();
  EXPECT_EQ(object_of(direct[3]), "deleted");
  finish();
  EXPECT_EQ(object_of(direct[3]), "deleted");
  EXPECT_EQ(link_of(direct.back()), "deleted");
  EXPECT_EQ(rows(keys::Space::kThreadReactions), 0U);
}

TEST_F(LargeDeletions, OfAReaction_MarkItsChildrenAlone) {
  const auto post = add({feed()});
  const auto comment = react(post);
  const auto replies = react_many(kMany, comment);
  const auto nested = react(replies[0]);
  EXPECT_EQ(code(delete_reaction(comment)), "ok");
  EXPECT_EQ(pending(), 1U);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(link_of(replies[5]), "deleted");
    EXPECT_EQ(object_of(replies[5]), std::to_string(post.value));
    EXPECT_EQ(link_of(nested), std::to_string(replies[0].value));
    finish();
  }
  EXPECT_THAT(listed(keys::thread_of(post)), SizeIs(kMany + 1));
}

TEST_F(LargeDeletions, Cascade_IsCompleteAtOnce_AndLeavesWhatComesLater) {
  collection("food", DeletingType::kCascade);
  object("food", "1");
  const auto home = feed();
  const auto grouped = grouping("g");
  const auto first = add({.feeds = {home}, .object_id = "1", .collection_id = "food"});
  const auto reply = react(first);
  const auto ids = add_many(kMany, {.feeds = {home, grouped}, .object_id = "1", .collection_id = "food"});
  const auto bare = add({.feeds = {home}, .object_id = "1"});
  EXPECT_EQ(code(DeleteObject{"food", "1"}), "ok");
  EXPECT_EQ(pending(), 1U);
  const auto late = add({.feeds = {home, grouped}, .object_id = "1", .collection_id = "food"});
  object("food", "1");

  for (int round = 0; round < 2; ++round) {
    for (const auto id : {first, ids[0], ids.back(), bare}) {
      EXPECT_FALSE(find(id).has_value());
      EXPECT_EQ(code(DeleteActivity{.activity = id}), "no_such_activity");
      EXPECT_EQ(code(UpdateActivity{.activity = id, .extra_data = "1"}), "no_such_activity");
      EXPECT_EQ(code(RemoveActivity{home, id}), "no_such_activity");
      EXPECT_EQ(code(AddExistingActivity{home, id}), "no_such_activity");
      EXPECT_EQ(code(CreateReaction{.parent = id}), "no_such_activity");
    }
    EXPECT_EQ(object_of(reply), "deleted");
    EXPECT_EQ(link_of(reply), "deleted");
    EXPECT_EQ(object_of(react(reply)), "deleted");
    EXPECT_THAT(in_feed(home), ElementsAre(late.value));
    EXPECT_THAT(groups(grouped), ElementsAre(::testing::Pair("g", test::Ids{late.value})));
    steps(2);
    world_.reopen();
  }
  finish();
  EXPECT_THAT(in_feed(home), ElementsAre(late.value));
  EXPECT_EQ(object_of(late), "1");
}

TEST_F(LargeDeletions, Cascade_OfAPostWithManyReactions_GoesOnInsideTheThread) {
  collection("food", DeletingType::kCascade);
  object("food", "1");
  const auto post = add({.feeds = {feed()}, .object_id = "1", .collection_id = "food"});
  const auto replies = react_many(kMany, post);
  const auto second = add({.feeds = {feed()}, .object_id = "1"});
  EXPECT_EQ(code(DeleteObject{"food", "1"}), "ok");
  EXPECT_EQ(pending(), 1U);
  steps(1);
  EXPECT_GT(rows(keys::thread_of(post)), 0U);
  EXPECT_LT(rows(keys::thread_of(post)), kMany);
  EXPECT_EQ(object_of(replies[0]), "deleted");
  EXPECT_EQ(object_of(replies.back()), "deleted");
  EXPECT_EQ(code(update_reaction(replies[0], "1")), "ok");
  EXPECT_EQ(code(delete_reaction(replies[1])), "ok");
  world_.reopen();
  steps(2);
  finish();
  EXPECT_FALSE(find(post).has_value());
  EXPECT_FALSE(find(second).has_value());
}

TEST_F(LargeDeletions, SetNil_IsCompleteAtOnce_AndLeavesWhatComesLater) {
  collection("food", DeletingType::kSetNil);
  object("food", "1");
  const auto home = feed();
  const auto grouped = grouping("{{.ObjectId}}");
  const auto ids = add_many(kMany, {.feeds = {home, grouped}, .object_id = "1", .collection_id = "food"});
  const auto bare = add({.feeds = {home}, .object_id = "1"});
  EXPECT_EQ(code(DeleteObject{"food", "1"}), "ok");
  EXPECT_EQ(pending(), 1U);
  const auto late = add({.feeds = {home}, .object_id = "1", .collection_id = "food"});
  EXPECT_EQ(object_of(ids[0]), "");
  EXPECT_EQ(object_of(bare), "");

  // A change of a masked one writes what it will be, and moves it by that.
  UpdateActivity update{.activity = ids[0], .extra_data = "[1]"};
  ASSERT_TRUE(run(update).ok());
  EXPECT_THAT(update.value, ::testing::HasSubstr(R"("objectId":"","collectionId":"")"));
  EXPECT_EQ(code(AddExistingActivity{grouped, bare}), "ok");
  EXPECT_THAT(groups(grouped)[""], ElementsAre(bare.value, ids[0].value));
  EXPECT_EQ(code(DeleteActivity{.activity = ids[1]}), "ok");
  EXPECT_EQ(code(RemoveActivity{home, ids[2]}), "ok");
  steps(1);
  EXPECT_EQ(code(UpdateActivity{.activity = ids[3], .extra_data = "[2]"}), "ok");
  EXPECT_EQ(code(UpdateActivity{.activity = ids.back(), .extra_data = "[2]"}), "ok");
  world_.reopen();
  steps(1);
  finish();
  EXPECT_EQ(object_of(ids[5]), "");
  EXPECT_EQ(object_of(late), "1");
  EXPECT_THAT(listed(keys::object_activities("food", "1")), ElementsAre(late.value));
}

TEST_F(LargeDeletions, AnEarlierSetNil_ProtectsFromALaterCascade) {
  collection("a", DeletingType::kSetNil);
  collection("b", DeletingType::kCascade);
  object("a", "1");
  object("b", "1");
  const auto home = feed();
  const auto ids = add_many(kMany, {.feeds = {home}, .object_id = "1"});
  EXPECT_EQ(code(DeleteObject{"a", "1"}), "ok");
  EXPECT_EQ(code(DeleteObject{"b", "1"}), "ok");
  EXPECT_TRUE(find(ids[0]).has_value());
  const auto late = add({.feeds = {home}, .object_id = "1"});
  object("b", "1");
  EXPECT_EQ(code(DeleteObject{"b", "1"}), "ok");
  EXPECT_FALSE(find(late).has_value());
  finish();
  EXPECT_THAT(in_feed(home), SizeIs(kMany));
}

// Where few rows are many.
class ManyDeletions : public LargeDeletions {
 protected:
  ManyDeletions() : LargeDeletions(20) {}
};

TEST_F(ManyDeletions, SixtyFourAtMost) {
  collection("c", DeletingType::kCascade);
  object("c", "1");
  object("c", "2");
  const auto home = feed();
  const auto post = add({.feeds = {home}, .object_id = "1", .collection_id = "c"});
  const auto comment = react(post);
  react_many(10, comment);
  const auto few = add({.feeds = {home}, .object_id = "2", .collection_id = "c"});
  EXPECT_EQ(code(DeleteObject{"c", "1"}), "ok");
  for (std::size_t i = 1; i < limits::kPendingDeletions; ++i) {
    object("c", "1");
    // Nothing points at it but what is going: small, though much lies there.
    EXPECT_EQ(code(DeleteObject{"c", "1"}), "ok");
  }
  EXPECT_EQ(pending(), 1U);
  const auto posts = add_many(limits::kPendingDeletions, {.feeds = {home}});
  for (const auto each : posts) react_many(10, each);
  for (std::size_t i = 0; i + 1 < limits::kPendingDeletions; ++i) {
    EXPECT_EQ(code(DeleteActivity{.activity = posts[i]}), "ok");
  }
  EXPECT_EQ(pending(), limits::kPendingDeletions);
  EXPECT_EQ(code(DeleteActivity{.activity = posts.back()}), "overloaded");
  EXPECT_TRUE(find(posts.back()).has_value());
  EXPECT_EQ(rows(keys::thread_of(posts.back())), 10U);
  EXPECT_EQ(code(DeleteObject{"c", "2"}), "ok");  // a small one still works
  EXPECT_FALSE(find(few).has_value());
  finish();
  EXPECT_EQ(code(DeleteActivity{.activity = posts.back()}), "ok");
}

TEST_F(LargeDeletions, AreFinishedBehindOthersWrites) {
  const auto post = add({feed()});
  react_many(kMany, post);
  const auto home = feed();
  EXPECT_EQ(code(DeleteActivity{.activity = post}), "ok");
  gate_->gate.open();
  EXPECT_TRUE(test::eventually([&] {
    PublishArticle article{home, "meanwhile"};
    EXPECT_TRUE(run(article).ok());
    return pending() == 0;
  }));
}

}  // namespace
}  // namespace feeds::commands
