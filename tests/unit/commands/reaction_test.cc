#include "primary/commands/reaction.h"

#include "tests/unit/commands/social_world.h"

namespace feeds::commands {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Reactions : public test::SocialWorld {
 protected:
  static std::string text(ActivityId id) { return std::to_string(id.value); }
};

TEST_F(Reactions, PointAtTheTopOfTheThreadAtEveryDepth) {
  const auto post = add({feed()});
  auto parent = post;
  for (int depth = 0; depth < 5; ++depth) {
    const auto reply = react(parent);
    EXPECT_EQ(object_of(reply), text(post));
    EXPECT_EQ(link_of(reply), text(parent));
    EXPECT_THAT(listed(keys::reactions_of(parent)), ElementsAre(reply.value));
    parent = reply;
  }
  EXPECT_EQ(listed(keys::thread_of(post)).size(), 5U);
  EXPECT_EQ(code(CreateReaction{.parent = ActivityId{7}}), "no_such_activity");
}

TEST_F(Reactions, AreNotFoundByObject) {
  const auto post = add({.feeds = {feed()}, .object_id = "o"});
  react(post);
  EXPECT_THAT(listed(keys::object_activities("", text(post))), IsEmpty());
  EXPECT_THAT(listed(keys::object_activities("", "o")), ElementsAre(post.value));
}

TEST_F(Reactions, OfADeletedPost_AreMarked_AndTheirRepliesToo) {
  const auto home = feed();
  const auto post = add({home});
  const auto direct = react(post);
  const auto nested = react(direct);
  EXPECT_EQ(code(AddExistingActivity{home, nested}), "ok");
  const auto before = find(nested)->updated_at_ns;
  EXPECT_EQ(code(DeleteActivity{.activity = post}), "ok");
  EXPECT_EQ(object_of(direct), "deleted");
  EXPECT_EQ(link_of(direct), "deleted");
  EXPECT_EQ(object_of(nested), "deleted");
  EXPECT_EQ(link_of(nested), text(direct));
  EXPECT_EQ(find(nested)->updated_at_ns, before);
  EXPECT_THAT(in_feed(home), ElementsAre(nested.value));
  const auto late = react(nested);
  EXPECT_EQ(object_of(late), "deleted");
  EXPECT_EQ(link_of(late), text(nested));
  EXPECT_EQ(rows(keys::Space::kThreadReactions), 0U);
}

TEST_F(Reactions, ADeletedReaction_MarksItsDirectChildrenAlone_HoweverItIsDeleted) {
  for (const bool as_activity : {false, true}) {
    const auto post = add({feed()});
    const auto comment = react(post);
    const auto reply = react(comment);
    const auto nested = react(reply);
    EXPECT_EQ(code(DeleteActivity{.activity = comment, .reaction = !as_activity}), "ok");
    EXPECT_EQ(object_of(reply), text(post));
    EXPECT_EQ(link_of(reply), "deleted");
    EXPECT_EQ(link_of(nested), text(reply));
    EXPECT_THAT(listed(keys::reactions_of(post)), IsEmpty());
    EXPECT_THAT(listed(keys::thread_of(post)), ElementsAre(nested.value, reply.value));
    // What is left can be deleted, one by one.
    EXPECT_EQ(code(delete_reaction(reply)), "ok");
    EXPECT_EQ(code(delete_reaction(nested)), "ok");
    EXPECT_EQ(code(DeleteActivity{.activity = post}), "ok");
  }
  EXPECT_EQ(rows(keys::Space::kActivityReactions), 0U);
  EXPECT_EQ(rows(keys::Space::kThreadReactions), 0U);
}

TEST_F(Reactions, LiveInFeedsAsActivitiesDo) {
  const auto home = feed();
  const auto grouped = grouping("{{.LinkedActivityId}}");
  const auto post = add({home});
  const auto comment = react(post);
  EXPECT_EQ(code(AddExistingActivity{home, comment}), "ok");
  EXPECT_EQ(code(AddExistingActivity{grouped, comment}), "ok");
  EXPECT_EQ(code(update_reaction(comment, "[1.0]")), "ok");
  EXPECT_EQ(find(comment)->extra_data, "[1.0]");
  // The mark does not move it: the key is that of its adding.
  EXPECT_EQ(code(DeleteActivity{.activity = post}), "ok");
  EXPECT_THAT(groups(grouped), ElementsAre(::testing::Pair(text(post), test::Ids{comment.value})));
  EXPECT_EQ(code(RemoveActivity{home, comment}), "ok");
  EXPECT_EQ(code(delete_reaction(comment)), "ok");
  EXPECT_EQ(rows(keys::Space::kGroups), 0U);
  EXPECT_EQ(code(update_reaction(comment, "1")), "no_such_activity");
}

TEST_F(Reactions, AnUpdateAfterAMark_MovesTheGroupByWhatItIsNow) {
  const auto grouped = grouping("{{.ObjectId}}");
  const auto post = add({feed()});
  const auto comment = react(post);
  EXPECT_EQ(code(AddExistingActivity{grouped, comment}), "ok");
  EXPECT_EQ(code(DeleteActivity{.activity = post}), "ok");
  EXPECT_EQ(code(update_reaction(comment, "1")), "ok");
  EXPECT_THAT(groups(grouped), ElementsAre(::testing::Pair("deleted", test::Ids{comment.value})));
  EXPECT_EQ(code(DeleteGroupingFeed{grouped}), "ok");
  EXPECT_EQ(code(delete_reaction(comment)), "ok");
}

}  // namespace
}  // namespace feeds::commands
