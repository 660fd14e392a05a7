#include "primary/commands/collection.h"

#include "common/base/limits.h"
#include "tests/unit/commands/social_world.h"

namespace feeds::commands {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

class Collections : public test::SocialWorld {
 protected:
  ActivityId points_at(std::string collection, std::string object, std::vector<FeedId> feeds = {}) {
    if (feeds.empty()) feeds = {feed()};
    return add({.feeds = feeds, .object_id = std::move(object), .collection_id = std::move(collection)});
  }
};

TEST_F(Collections, AreMadeOnce) {
  CreateCollection command{.collection = "a/b", .deleting_type = DeletingType::kSetNil};
  ASSERT_TRUE(run(command).ok());
  EXPECT_EQ(command.value, R"({"id":"a/b","deletingType":"SET_NIL"})");
  EXPECT_EQ(code(CreateCollection{.collection = "a/b", .deleting_type = DeletingType::kCascade}),
            "collection_exists");
  CreateCollection made_up{.collection = "", .deleting_type = DeletingType::kCascade};
  ASSERT_TRUE(run(made_up).ok());
  EXPECT_EQ(made_up.collection.size(), 32U);
  EXPECT_EQ(made_up.value, "{\"id\":\"" + made_up.collection + R"(","deletingType":"CASCADE"})");
}

TEST_F(Collections, ObjectsAreMadeChangedAndDeleted) {
  collection("food", DeletingType::kSetNil);
  CreateObject create{.collection = "food", .object = "pizza", .data = R"({"p":1.0})"};
  ASSERT_TRUE(run(create).ok());
  EXPECT_EQ(create.value, R"({"id":"pizza","data":{"p":1.0}})");
  EXPECT_EQ(code(create), "object_exists");
  EXPECT_EQ(code(CreateObject{.collection = "drink", .object = "pizza"}), "no_such_collection");
  UpdateObject update{.collection = "food", .object = "pizza", .data = "[]"};
  ASSERT_TRUE(run(update).ok());
  EXPECT_EQ(update.value, R"({"id":"pizza","data":[]})");
  EXPECT_EQ(code(UpdateObject{.collection = "food", .object = "x", .data = "1"}), "no_such_object");
  EXPECT_EQ(code(UpdateObject{.collection = "x", .object = "x", .data = "1"}), "no_such_collection");
  EXPECT_EQ(code(DeleteObject{"food", "x"}), "no_such_object");
  EXPECT_EQ(code(DeleteObject{"x", "pizza"}), "no_such_collection");
  EXPECT_EQ(code(DeleteObject{"food", "pizza"}), "ok");
  EXPECT_EQ(code(DeleteObject{"food", "pizza"}), "no_such_object");
  CreateObject made_up{.collection = "food", .object = ""};
  ASSERT_TRUE(run(made_up).ok());
  EXPECT_EQ(made_up.object.size(), 32U);
  const std::string large = '"' + std::string(limits::kStoredValueBytes, 'x') + '"';
  EXPECT_EQ(code(CreateObject{.collection = "food", .object = "l", .data = large}), "value_too_large");
}

TEST_F(Collections, Cascade_DeletesWhatPointsAtTheObject_AndNothingElse) {
  collection("food", DeletingType::kCascade);
  collection("book", DeletingType::kCascade);
  object("food", "1");
  object("book", "1");
  const auto home = feed();
  const auto grouped = grouping("g");
  const auto named = points_at("food", "1", {home, grouped});
  const auto bare = points_at("", "1", {home});
  const auto other_collection = points_at("book", "1", {home, grouped});
  const auto other_object = points_at("food", "2", {home});
  const auto reply = react(named);
  EXPECT_EQ(code(DeleteObject{"food", "1"}), "ok");
  EXPECT_FALSE(find(named).has_value());
  EXPECT_FALSE(find(bare).has_value());
  EXPECT_THAT(in_feed(home), ElementsAre(other_object.value, other_collection.value));
  EXPECT_THAT(groups(grouped), ElementsAre(Pair("g", test::Ids{other_collection.value})));
  EXPECT_EQ(object_of(reply), "deleted");
  EXPECT_EQ(link_of(reply), "deleted");
}

TEST_F(Collections, SetNil_UnReferences_AndMovesNothing) {
  collection("food", DeletingType::kSetNil);
  object("food", "1");
  const auto home = feed();
  const auto grouped = grouping("{{.ObjectId}}");
  const auto named = points_at("food", "1", {home, grouped});
  const auto bare = points_at("", "1", {home, grouped});
  const auto other = points_at("book", "1", {home});
  const auto reply = react(named);
  const auto before = *find(named);
  EXPECT_EQ(code(DeleteObject{"food", "1"}), "ok");
  for (const auto id : {named, bare}) {
    EXPECT_EQ(object_of(id), "");
    EXPECT_EQ(find(id)->collection_id, "");
  }
  EXPECT_EQ(find(named)->updated_at_ns, before.updated_at_ns);
  EXPECT_EQ(object_of(other), "1");
  EXPECT_EQ(object_of(reply), std::to_string(named.value));
  EXPECT_THAT(groups(grouped), ElementsAre(Pair("1", test::Ids{bare.value, named.value})));
  EXPECT_THAT(in_feed(home), ElementsAre(other.value, bare.value, named.value));
  EXPECT_EQ(code(DeleteActivity{.activity = named}), "ok");
}

TEST_F(Collections, AReactionIsNeverTouched_EvenIfAnObjectHasItsPostsId) {
  collection("c", DeletingType::kCascade);
  const auto post = add({feed()});
  const auto reply = react(post);
  object("c", std::to_string(post.value));
  EXPECT_EQ(code(DeleteObject{"c", std::to_string(post.value)}), "ok");
  EXPECT_TRUE(find(post).has_value());
  EXPECT_EQ(object_of(reply), std::to_string(post.value));
}

TEST_F(Collections, IdsDoNotReachIntoEachOther) {
  collection("a", DeletingType::kCascade);
  const std::string zero("b\0c", 3);
  object("a", "b");
  object("a", zero);
  const auto kept = points_at("a", zero);
  const auto slash = points_at("a/b", "");
  EXPECT_EQ(code(DeleteObject{"a", "b"}), "ok");
  EXPECT_TRUE(find(kept).has_value());
  EXPECT_TRUE(find(slash).has_value());
  EXPECT_EQ(code(DeleteObject{"a", zero}), "ok");
  EXPECT_FALSE(find(kept).has_value());
  EXPECT_THAT(listed(keys::object_activities("a", zero)), IsEmpty());
}

TEST_F(Collections, NeitherNeedExistForAnActivity) {
  const auto early = points_at("food", "1");
  collection("food", DeletingType::kCascade);
  object("food", "1");
  EXPECT_EQ(code(DeleteObject{"food", "1"}), "ok");
  EXPECT_FALSE(find(early).has_value());
  const auto late = points_at("food", "1");
  EXPECT_EQ(object_of(late), "1");
}

}  // namespace
}  // namespace feeds::commands
