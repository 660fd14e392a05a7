#include "primary/commands/grouping_feed.h"

#include "tests/unit/commands/social_world.h"

namespace feeds::commands {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using test::Ids;

class GroupingFeeds : public test::SocialWorld {};

TEST_F(GroupingFeeds, ShareTheCounterOfFeeds) {
  EXPECT_EQ(feed().value, 10000U);
  CreateGroupingFeed command{.user_id = "5", .key_format = "a\"b", .extra_data = "1.0"};
  ASSERT_TRUE(run(command).ok());
  EXPECT_EQ(command.value, R"({"id":10001,"userId":5,"keyFormat":"a\"b","extraData":1.0})");
  EXPECT_EQ(feed().value, 10002U);
  PublishArticle article{command.feed, "text"};
  EXPECT_EQ(code(article), "no_such_feed");
  EXPECT_EQ(code(UpdateFeed{command.feed, "1"}), "no_such_feed");
  EXPECT_EQ(code(DeleteFeed{command.feed}), "no_such_feed");
}

TEST_F(GroupingFeeds, AFormatThatDoesNotParse_IsRefusedWithItsPlace) {
  EXPECT_TRUE(check_key_format("").ok());
  EXPECT_TRUE(check_key_format("{{.UserId}}_<b>").ok());
  const auto bad = check_key_format("ab\n{{.UserId");
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().code, Code::kBadKeyFormat);
  EXPECT_THAT(bad.error().detail, HasSubstr("line 2"));
  EXPECT_FALSE(check_key_format(std::string(5000, 'x')).ok());
}

TEST_F(GroupingFeeds, AnUpdate_ChangesExtraDataAlone) {
  CreateGroupingFeed create{.user_id = R"("ann")", .key_format = "{{.UserId}}"};
  ASSERT_TRUE(run(create).ok());
  UpdateGroupingFeed update{create.feed, R"({"a":1})"};
  ASSERT_TRUE(run(update).ok());
  EXPECT_EQ(update.value, R"({"id":10000,"userId":"ann","keyFormat":"{{.UserId}}","extraData":{"a":1}})");
  EXPECT_EQ(code(UpdateGroupingFeed{FeedId{7}, "1"}), "no_such_grouping_feed");
  const auto simple = feed();
  EXPECT_EQ(code(UpdateGroupingFeed{simple, "1"}), "no_such_grouping_feed");
  EXPECT_EQ(code(DeleteGroupingFeed{simple}), "no_such_grouping_feed");
}

TEST_F(GroupingFeeds, KeysArePlainText) {
  const auto id = grouping("{{.UserId}}|{{.ActivityType}}<!-- x -->");
  add({.feeds = {id}, .user_id = "o'neil <b>&co", .activity_type = "like+1"});
  EXPECT_THAT(group_order(id), ElementsAre("o'neil <b>&co|like+1<!-- x -->"));
}

TEST_F(GroupingFeeds, KeysOfFeedsNeverMix_OneKeyByTheFormatIsOneGroup) {
  const auto first = grouping("{{.UserId}}:{{.ActivityType}}");
  const auto second = grouping("{{.UserId}}:{{.ActivityType}}");
  const auto a = add({.feeds = {first, second}, .user_id = "a:b", .activity_type = "c"});
  const auto b = add({.feeds = {first}, .user_id = "a", .activity_type = "b:c"});
  EXPECT_THAT(groups(first), ElementsAre(Pair("a:b:c", Ids{b.value, a.value})));
  EXPECT_THAT(groups(second), ElementsAre(Pair("a:b:c", Ids{a.value})));
}

TEST_F(GroupingFeeds, GroupsAreNewestFirst_TheEmptyKeyIsOne) {
  const auto id = grouping("{{.UserId}}");
  add({.feeds = {id}, .user_id = "a"});
  add({.feeds = {id}, .user_id = ""});
  add({.feeds = {id}, .user_id = "b"});
  const auto last = add({.feeds = {id}, .user_id = "a"});
  EXPECT_THAT(group_order(id), ElementsAre("a", "b", ""));
  EXPECT_EQ(code(DeleteActivity{.activity = last}), "ok");
  EXPECT_THAT(group_order(id), ElementsAre("b", "", "a"));
}

TEST_F(GroupingFeeds, AKeyThatIsNoText_IsRefused) {
  const auto id = grouping("{{slice .UserId 0 1}}");
  EXPECT_EQ(code(AddActivity{.feeds = {id}, .user_id = "é"}), "key_format_failed");
  EXPECT_EQ(code(AddActivity{.feeds = {id}, .user_id = "e"}), "ok");
}

TEST_F(GroupingFeeds, AnUnknownField_FailsWhenAnActivityComes) {
  ASSERT_TRUE(check_key_format("{{.Nope}}").ok());
  const auto bad = grouping("{{.Nope}}");
  const auto home = feed();
  EXPECT_EQ(code(AddActivity{.feeds = {home, bad}}), "key_format_failed");
  const auto id = add({home});
  EXPECT_EQ(code(AddExistingActivity{bad, id}), "key_format_failed");
}

TEST_F(GroupingFeeds, ADeletedOne_TakesItsOwnEntriesAlone) {
  const auto gone = grouping("{{.UserId}}");
  const auto kept = grouping("{{.UserId}}");
  const auto a = add({.feeds = {gone, kept}, .user_id = "u"});
  const auto b = react(a);
  EXPECT_EQ(code(AddExistingActivity{gone, b}), "ok");
  EXPECT_EQ(code(DeleteGroupingFeed{gone}), "ok");
  EXPECT_EQ(code(DeleteGroupingFeed{gone}), "no_such_grouping_feed");
  EXPECT_EQ(code(AddExistingActivity{gone, a}), "no_such_feed");
  EXPECT_THAT(groups(gone), IsEmpty());
  EXPECT_EQ(rows(keys::groups_of(gone)), 0U);
  EXPECT_THAT(groups(kept), ElementsAre(Pair("u", Ids{a.value})));
  // Everything that was in it can still be changed and deleted.
  EXPECT_EQ(code(UpdateActivity{.activity = a, .extra_data = "1"}), "ok");
  EXPECT_EQ(code(delete_reaction(b)), "ok");
  EXPECT_EQ(code(DeleteActivity{.activity = a}), "ok");
}

TEST_F(GroupingFeeds, ARestartChangesNothing) {
  const auto id = grouping("{{.ExtraData.b}}-{{.ExtraData.a}}");
  const auto a = add({.feeds = {id}, .extra_data = R"({"a":1,"b":2})"});
  world_.reopen();
  const auto b = add({.feeds = {id}, .extra_data = R"({"b":2,"a":1})"});
  EXPECT_THAT(groups(id), ElementsAre(Pair("2-1", Ids{b.value, a.value})));
}

TEST_F(GroupingFeeds, CountsAreRightAfterManyChanges) {
  const auto id = grouping("g");
  const auto post = add({feed()});
  for (int i = 0; i < 100; ++i) {
    const auto like = react(post);
    EXPECT_EQ(code(AddExistingActivity{id, like}), "ok");
    if (i == 50) world_.reopen();
    EXPECT_EQ(code(delete_reaction(like)), "ok");
  }
  EXPECT_EQ(rows(keys::Space::kGroups), 0U);
}

}  // namespace
}  // namespace feeds::commands
