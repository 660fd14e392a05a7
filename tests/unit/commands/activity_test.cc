#include "primary/commands/activity.h"

#include "common/base/limits.h"
#include "common/store/wal_tail.h"
#include "tests/unit/commands/social_world.h"

namespace feeds::commands {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;
using test::Ids;

class Activities : public test::SocialWorld {};

TEST_F(Activities, AreAddedToAllTheirFeedsAtOnce) {
  const auto home = feed();
  const auto wall = feed();
  const auto grouped = grouping("{{.ActivityType}}");
  AddActivity command{.feeds = {home, wall, grouped, wall, home},
                      .object_id = "pizza",
                      .collection_id = "food",
                      .time_ns = 1'430'000'000'000'000'000,
                      .user_id = "ann",
                      .activity_type = "like",
                      .extra_data = R"({"n":1.0,"n":1e5})"};
  ASSERT_TRUE(run(command).ok());
  EXPECT_EQ(command.activity.value, 10000U);
  EXPECT_EQ(command.value,
            R"({"id":"10000","objectId":"pizza","collectionId":"food","linkedActivityId":"",)"
            R"("createdAt":"2015-04-25T22:13:20.000000000Z","updatedAt":"2015-04-25T22:13:20.000000000Z",)"
            R"("userId":"ann","activityType":"like","extraData":{"n":1.0,"n":1e5}})");
  EXPECT_THAT(in_feed(home), ElementsAre(10000U));
  EXPECT_THAT(in_feed(wall), ElementsAre(10000U));
  EXPECT_THAT(groups(grouped), ElementsAre(Pair("like", Ids{10000})));
  EXPECT_THAT(listed(keys::object_activities("food", "pizza")), ElementsAre(10000U));
}

TEST_F(Activities, AnUnknownFeedAnywhere_RefusesTheWhole) {
  const auto home = feed();
  const AddActivity command{.feeds = {home, FeedId{77777}}, .object_id = "o"};
  EXPECT_THAT(detail(command), HasSubstr("77777"));
  EXPECT_EQ(code(command), "no_such_feed");
  EXPECT_EQ(rows(keys::Space::kActivities), 0U);
  EXPECT_EQ(rows(keys::Space::kFeedActivities), 0U);
  EXPECT_EQ(rows(keys::Space::kObjectIdActivities), 0U);
  EXPECT_EQ(add({home}).value, 10000U);
}

TEST_F(Activities, AKeyFormatThatFailsInAnyFeed_RefusesTheWholeAndNamesTheFeed) {
  const auto home = feed();
  const auto good = grouping("{{.UserId}}");
  const auto bad = grouping("{{slice .ObjectId 0 3}}");
  AddActivity command{.feeds = {home, good, bad}, .object_id = "ab"};
  const auto before = world_.gate().current();
  EXPECT_THAT(detail(command), HasSubstr(std::to_string(bad.value)));
  EXPECT_EQ(code(command), "key_format_failed");
  EXPECT_EQ(rows(keys::Space::kActivities), 0U);
  EXPECT_THAT(groups(good), IsEmpty());
  EXPECT_EQ(world_.gate().current(), before);
  command.object_id = "abcd";
  EXPECT_EQ(add(command).value, 10000U);
  EXPECT_THAT(groups(bad), ElementsAre(Pair("abc", Ids{10000})));
}

TEST_F(Activities, ATimeOfTheirOwn_NeitherMovesThemNorTheirUpdate) {
  const auto home = feed();
  const auto first = add({home});
  const auto old = add({.feeds = {home}, .time_ns = 0});
  const auto last = add({home});
  EXPECT_THAT(in_feed(home), ElementsAre(last.value, old.value, first.value));
  EXPECT_EQ(find(old)->created_at_ns, 0);
  EXPECT_EQ(find(old)->updated_at_ns, 0);
  EXPECT_EQ(find(first)->created_at_ns, find(first)->updated_at_ns);
  EXPECT_GT(find(first)->created_at_ns, 0);
}

TEST_F(Activities, ExistingOnes_EnterAtTheirOwnPlaceOnce) {
  const auto home = feed();
  const auto other = feed();
  const auto grouped = grouping("{{.UserId}}");
  const auto old = add({other});
  const auto middle = add({home});
  AddExistingActivity put{home, old};
  const auto before = world_.gate().current();
  ASSERT_TRUE(run(put).ok());
  EXPECT_LT(before, world_.gate().current());
  EXPECT_EQ(put.value, to_json(*find(old)));
  const auto after = world_.gate().current();
  ASSERT_TRUE(run(put).ok());
  EXPECT_EQ(after, world_.gate().current());  // the second wrote nothing
  EXPECT_THAT(in_feed(home), ElementsAre(middle.value, old.value));

  EXPECT_EQ(code(AddExistingActivity{grouped, old}), "ok");
  EXPECT_EQ(code(AddExistingActivity{grouped, old}), "ok");
  EXPECT_THAT(groups(grouped), ElementsAre(Pair("", Ids{old.value})));
  EXPECT_EQ(code(AddExistingActivity{FeedId{7}, old}), "no_such_feed");
  EXPECT_EQ(code(AddExistingActivity{home, ActivityId{7}}), "no_such_activity");
}

TEST_F(Activities, RemovalFromOneFeed_LeavesTheOthers) {
  const auto home = feed();
  const auto other = feed();
  const auto grouped = grouping("g");
  const auto id = add({home, other, grouped});
  const auto newer = add({grouped});
  EXPECT_EQ(code(RemoveActivity{home, id}), "ok");
  EXPECT_EQ(code(RemoveActivity{home, id}), "no_such_activity");
  EXPECT_EQ(code(RemoveActivity{FeedId{7}, id}), "no_such_feed");
  EXPECT_EQ(code(RemoveActivity{home, ActivityId{7}}), "no_such_activity");
  EXPECT_THAT(in_feed(home), IsEmpty());
  EXPECT_THAT(in_feed(other), ElementsAre(id.value));
  EXPECT_EQ(code(RemoveActivity{grouped, newer}), "ok");
  EXPECT_THAT(groups(grouped), ElementsAre(Pair("g", Ids{id.value})));
  EXPECT_EQ(code(RemoveActivity{grouped, id}), "ok");
  EXPECT_EQ(code(RemoveActivity{other, id}), "ok");
  EXPECT_EQ(rows(keys::Space::kGroups), 0U);
  EXPECT_TRUE(find(id).has_value());  // in no feed, and alive
  EXPECT_EQ(code(AddExistingActivity{home, id}), "ok");
}

TEST_F(Activities, AnUpdate_RewritesAllCopiesAndMovesGroups) {
  const auto home = feed();
  const auto grouped = grouping("{{.ExtraData.kind}}");
  const auto id = add({.feeds = {home, grouped}, .object_id = "o", .extra_data = R"({"kind":"a"})"});
  const auto other = add({.feeds = {grouped}, .extra_data = R"({"kind":"b"})"});
  const auto third = add({.feeds = {grouped}, .extra_data = R"({"kind":"a"})"});
  EXPECT_THAT(group_order(grouped), ElementsAre("a", "b"));
  UpdateActivity update{.activity = id, .extra_data = R"({"kind":"b"})"};
  ASSERT_TRUE(run(update).ok());
  EXPECT_EQ(update.value, to_json(*find(id)));
  EXPECT_THAT(groups(grouped), ElementsAre(Pair("a", Ids{third.value}), Pair("b", Ids{other.value, id.value})));
  const auto seen = *find(id);
  EXPECT_EQ(seen.extra_data, R"({"kind":"b"})");
  EXPECT_GT(seen.updated_at_ns, seen.created_at_ns);

  // The newest of a group leaves it, and the group falls back to its next.
  EXPECT_EQ(code(UpdateActivity{.activity = third, .extra_data = R"({"kind":"c"})"}), "ok");
  EXPECT_THAT(group_order(grouped), ElementsAre("c", "b"));
  EXPECT_EQ(code(UpdateActivity{.activity = other, .extra_data = R"({"kind":"c"})"}), "ok");
  EXPECT_THAT(groups(grouped), ElementsAre(Pair("b", Ids{id.value}), Pair("c", Ids{third.value, other.value})));
  EXPECT_EQ(code(UpdateActivity{.activity = ActivityId{7}, .extra_data = "1"}), "no_such_activity");
}

TEST_F(Activities, AnUpdateWhoseKeyFails_ChangesNothing) {
  const auto home = feed();
  const auto grouped = grouping("{{index .ExtraData 0}}");
  const auto id = add({.feeds = {home, grouped}, .extra_data = R"(["x"])"});
  const auto before = to_json(*find(id));
  const UpdateActivity update{.activity = id, .extra_data = "[]"};
  EXPECT_THAT(detail(update), HasSubstr(std::to_string(grouped.value)));
  EXPECT_EQ(code(update), "key_format_failed");
  EXPECT_EQ(to_json(*find(id)), before);
  EXPECT_THAT(groups(grouped), ElementsAre(Pair("x", Ids{id.value})));
}

TEST_F(Activities, KeyFormatsThatTakeTooLongTogether_AreRefusedAndTheFirstTooManyNamed) {
  constexpr std::int64_t kItems = 60'000;  // and as many steps
  constexpr std::size_t kFit = key_format::kSubjectSteps / kItems;
  const auto slow = groupings(kFit + 2, "{{range .ExtraData}}{{end}}k");
  std::string items = "[0";
  for (int i = 1; i < kItems; ++i) items += ",0";
  items += ']';
  AddActivity command{.feeds = slow, .extra_data = items};
  EXPECT_THAT(detail(command), HasSubstr(std::to_string(slow[kFit].value)));
  EXPECT_EQ(code(command), "key_format_failed");
  EXPECT_EQ(rows(keys::Space::kActivities), 0U);
  EXPECT_THAT(groups(slow[0]), IsEmpty());

  command.feeds = {slow.begin(), slow.begin() + kFit};
  const auto id = add(command);
  for (std::size_t i = kFit; i < slow.size(); ++i) {
    EXPECT_EQ(code(AddExistingActivity{slow[i], id}), "ok");
  }
  const auto before = to_json(*find(id));
  const UpdateActivity update{.activity = id, .extra_data = items};
  EXPECT_THAT(detail(update), HasSubstr(std::to_string(slow[kFit].value)));
  EXPECT_EQ(code(update), "key_format_failed");
  EXPECT_EQ(to_json(*find(id)), before);
  EXPECT_EQ(code(UpdateActivity{.activity = id, .extra_data = "[0]"}), "ok");
}

TEST_F(Activities, LongOnes_HaveNoCopies_AndGetThemWhenTheyShrink) {
  const auto home = feed();
  const auto grouped = grouping("g");
  const std::string large = '"' + std::string(limits::kCopyBytes, 'x') + '"';
  const auto id = add({.feeds = {home, grouped}, .object_id = "o", .extra_data = large});
  const auto key = keys::feed_activity_key(home, id);
  EXPECT_EQ(*world_.view().find(key), "");
  EXPECT_EQ(code(UpdateActivity{.activity = id, .extra_data = "1"}), "ok");
  EXPECT_EQ(world_.view().find(key)->size(), to_json(*find(id)).size());
  EXPECT_EQ(code(UpdateActivity{.activity = id, .extra_data = large}), "ok");
  EXPECT_EQ(*world_.view().find(key), "");
}

TEST_F(Activities, OverTheStoredLimit_AreRefused) {
  const auto home = feed();
  const std::string large = '"' + std::string(limits::kStoredValueBytes, 'x') + '"';
  EXPECT_EQ(code(AddActivity{.feeds = {home}, .extra_data = large}), "value_too_large");
  const auto id = add({home});
  EXPECT_EQ(code(UpdateActivity{.activity = id, .extra_data = large}), "value_too_large");
  EXPECT_EQ(code(CreateReaction{.parent = id, .extra_data = large}), "value_too_large");
  EXPECT_EQ(add({home}).value, id.value + 1);
}

TEST_F(Activities, InFiveHundredFeeds_FitInNoMore_FeedsThatAreGoneNotCounted) {
  auto places = feeds(limits::kFeedsPerActivity / 2);
  for (const auto group : groupings(limits::kFeedsPerActivity / 2, "{{.ActivityType}}")) {
    places.push_back(group);
  }
  const auto id = add({.feeds = places, .activity_type = std::string(200, 't')});
  const auto more = feed();
  const auto group = grouping("g");
  EXPECT_EQ(code(AddExistingActivity{more, id}), "too_many_feeds");
  EXPECT_EQ(code(AddExistingActivity{group, id}), "too_many_feeds");
  EXPECT_EQ(code(AddExistingActivity{places[0], id}), "ok");  // it is there
  EXPECT_EQ(code(DeleteFeed{places[0]}), "ok");
  EXPECT_EQ(code(AddExistingActivity{group, id}), "ok");
  EXPECT_EQ(code(AddExistingActivity{more, id}), "too_many_feeds");
  // As large an update and a deletion as there are.
  const std::string large = '"' + std::string(limits::kCopyBytes - 500, 'x') + '"';
  EXPECT_EQ(code(UpdateActivity{.activity = id, .extra_data = large}), "ok");
  const auto reply = react(id);
  EXPECT_EQ(code(DeleteActivity{.activity = id}), "ok");
  EXPECT_EQ(rows(keys::Space::kGroups), 0U);
  EXPECT_EQ(object_of(reply), "deleted");
}

TEST_F(Activities, LargeCommandsTogether_MakeNoBatchOverTheLimit) {
  const auto home = feed();
  const std::string large = '"' + std::string(limits::kStoredValueBytes - 1000, 'x') + '"';
  std::vector<AddActivity> commands(7, {.feeds = {home}, .extra_data = large});
  std::vector<AddActivity*> pointers;
  for (auto& command : commands) pointers.push_back(&command);
  for (const auto& outcome : world_.run_all(pointers)) EXPECT_TRUE(outcome.status.ok());
  for (std::size_t i = 0; i < commands.size(); ++i) EXPECT_EQ(commands[i].activity.value, 10000 + i);

  const auto database = *world_.store().acquire();
  store::WalTail tail(database, store::PositionRecord{});
  store::CheckedBatch batch;
  while (batch.record.position < database->head().position) {
    ASSERT_EQ(tail.next(database->head().position.sequence, batch), store::WalTail::Outcome::kBatch);
    EXPECT_LE(batch.bytes.size(), limits::kBatchBytes);
  }
}

TEST_F(Activities, ADeletedOne_IsGoneEverywhere) {
  const auto home = feed();
  const auto grouped = grouping("g");
  const auto id = add({.feeds = {home, grouped}, .object_id = "o", .collection_id = "c"});
  EXPECT_EQ(code(DeleteActivity{.activity = id}), "ok");
  EXPECT_EQ(code(DeleteActivity{.activity = id}), "no_such_activity");
  for (const auto space : {keys::Space::kActivities, keys::Space::kFeedActivities,
                           keys::Space::kActivityFeeds, keys::Space::kObjectIdActivities,
                           keys::Space::kGroupingFeedActivities,
                           keys::Space::kActivityGroupingFeeds, keys::Space::kGroups,
                           keys::Space::kGroupOrder}) {
    EXPECT_EQ(rows(space), 0U);
  }
  EXPECT_EQ(code(AddExistingActivity{home, id}), "no_such_activity");
  EXPECT_EQ(code(CreateReaction{.parent = id}), "no_such_activity");
  world_.reopen();
  EXPECT_EQ(add({home}).value, id.value + 1);  // ids are never used again
}

TEST_F(Activities, OfTwentyDeletionsOfOne_OneSucceeds) {
  const auto id = react(add({feed()}));
  std::vector<DeleteActivity> commands(20, delete_reaction(id));
  std::vector<DeleteActivity*> pointers;
  for (auto& command : commands) pointers.push_back(&command);
  int deleted = 0;
  for (const auto& outcome : world_.run_all(pointers)) {
    if (outcome.status) {
      ++deleted;
    } else {
      EXPECT_EQ(outcome.status.error().code, Code::kNoSuchActivity);
    }
  }
  EXPECT_EQ(deleted, 1);
}

TEST_F(Activities, OneThatSharesAnother_IsNoReactionToIt) {
  const auto home = feed();
  const auto shared = add({home});
  const auto share = add({.feeds = {home}, .object_id = std::to_string(shared.value)});
  EXPECT_EQ(code(DeleteActivity{.activity = shared}), "ok");
  EXPECT_EQ(object_of(share), std::to_string(shared.value));
  EXPECT_EQ(code(UpdateActivity{.activity = share, .extra_data = "1", .reaction = true}), "not_a_reaction");
  EXPECT_EQ(code(delete_reaction(share)), "not_a_reaction");
}

TEST_F(Activities, ADeletedFeed_LetsItsActivitiesLive) {
  const auto home = feed();
  const auto other = feed();
  const auto id = add({home, other});
  PublishArticle article{home, "text"};
  ASSERT_TRUE(run(article).ok());
  EXPECT_EQ(code(DeleteFeed{home}), "ok");
  EXPECT_EQ(pending(), 0U);
  EXPECT_EQ(rows(keys::feed_activities(home)), 0U);
  EXPECT_THAT(in_feed(other), ElementsAre(id.value));
  EXPECT_EQ(code(RemoveActivity{home, id}), "no_such_feed");
  EXPECT_EQ(code(DeleteActivity{.activity = id}), "ok");
}

TEST_F(Activities, AnyTextIsCarried) {
  const std::string zero("a\0b/%:\"\\", 8);
  const auto grouped = grouping("{{.UserId}}");
  const auto id = add({.feeds = {grouped}, .object_id = zero, .collection_id = zero, .user_id = zero});
  EXPECT_EQ(find(id)->user_id, zero);
  EXPECT_THAT(groups(grouped), ElementsAre(Pair(zero, Ids{id.value})));
  EXPECT_THAT(listed(keys::object_activities(zero, zero)), ElementsAre(id.value));
}

}  // namespace
}  // namespace feeds::commands
