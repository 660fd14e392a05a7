#include "common/feeds/pending_deletion.h"

#include <fmt/format.h>

#include "common/keys/activity_keyspace.h"
#include "tests/support/map_reader.h"

namespace feeds {
namespace {

std::string hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

Deletion object_gone(DeletionKind kind, std::uint64_t below, std::string collection = "food",
                     std::string object = "pizza") {
  return {kind, 0, below, std::move(collection), std::move(object)};
}

Activity about(std::uint64_t id, std::string collection, std::string object) {
  Activity activity;
  activity.id = ActivityId{id};
  activity.collection_id = std::move(collection);
  activity.object_id = std::move(object);
  return activity;
}

Activity reaction(std::uint64_t id, std::string top, std::string parent) {
  auto activity = about(id, "", std::move(top));
  activity.linked_activity_id = std::move(parent);
  return activity;
}

struct World {
  test::MapReader reader;

  void put(const Activity& activity) {
    reader.rows[keys::activity_key(activity.id)] = to_json(activity);
  }
  void pend(std::uint64_t job, const Deletion& deletion) {
    reader.rows[keys::pending_key(job)] = encode(deletion);
  }
  // "gone", or object and link as they are seen.
  std::string see(Activity activity) {
    const auto pending = PendingDeletions::load(reader);
    const auto there = pending->see(reader, activity);
    EXPECT_TRUE(there);
    if (!*there) return "gone";
    return activity.object_id + "|" + activity.collection_id + "|" + activity.linked_activity_id;
  }
};

TEST(DeletionRecord, GoldenBytes) {
  EXPECT_EQ(hex(encode({DeletionKind::kArticlesOfFeed, 10000})), "010000000000002710");
  EXPECT_EQ(hex(encode({DeletionKind::kActivitiesOfFeed, 10000})), "020000000000002710");
  EXPECT_EQ(hex(encode({DeletionKind::kEntriesOfGroupingFeed, 10000})), "030000000000002710");
  EXPECT_EQ(hex(encode({DeletionKind::kMarksOfReactions, 10000})), "040000000000002710");
  EXPECT_EQ(
      hex(encode(object_gone(DeletionKind::kObjectCascade, 10000, "c", std::string("o\0p", 3)))),
      "050000000000002710"
      "630001"
      "6f00ff700001");
  EXPECT_EQ(hex(encode(object_gone(DeletionKind::kObjectSetNil, 10000, "c", "o"))),
            "060000000000002710"
            "630001"
            "6f0001");
}

TEST(DeletionRecord, EveryKind_RoundTrips) {
  for (const auto& deletion :
       {Deletion{DeletionKind::kArticlesOfFeed, 7}, Deletion{DeletionKind::kMarksOfReactions, 8},
        object_gone(DeletionKind::kObjectCascade, 9, std::string("\0", 1), "\xff")}) {
    const auto decoded = decode_deletion(encode(deletion));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->kind, deletion.kind);
    EXPECT_EQ(decoded->target, deletion.target);
    EXPECT_EQ(decoded->below, deletion.below);
    EXPECT_EQ(decoded->collection_id, deletion.collection_id);
    EXPECT_EQ(decoded->object_id, deletion.object_id);
    EXPECT_FALSE(to_text(deletion).empty());
  }
}

TEST(DeletionRecord, UnknownForms_AreErrors) {
  const auto cascade = encode(object_gone(DeletionKind::kObjectCascade, 10000));
  for (const auto& value :
       {std::string(), std::string(1, '\0'), std::string("\x07") + std::string(8, '\0'),
        std::string("\x01") + std::string(7, '\0'), std::string("\x01") + std::string(9, '\0'),
        cascade.substr(0, cascade.size() - 1), cascade + "x", cascade.substr(0, 9)}) {
    EXPECT_FALSE(decode_deletion(value)) << hex(value);
    test::MapReader reader;
    reader.rows[keys::pending_key(1)] = value;
    EXPECT_FALSE(PendingDeletions::load(reader)) << hex(value);
  }
}

TEST(PendingDeletions, None_ChangesNothing) {
  World world;
  EXPECT_TRUE(PendingDeletions::load(world.reader)->empty());
  EXPECT_EQ(world.see(about(10000, "food", "pizza")), "pizza|food|");
}

TEST(PendingDeletions, Cascade_TakesThoseThatPointAtTheObject) {
  World world;
  world.pend(1, object_gone(DeletionKind::kObjectCascade, 10010));
  EXPECT_EQ(world.see(about(10009, "food", "pizza")), "gone");
  EXPECT_EQ(world.see(about(10009, "", "pizza")), "gone");
  EXPECT_EQ(world.see(about(10010, "food", "pizza")), "pizza|food|") << "made later";
  EXPECT_EQ(world.see(about(10009, "books", "pizza")), "pizza|books|");
  EXPECT_EQ(world.see(about(10009, "food", "pasta")), "pasta|food|");
  EXPECT_EQ(world.see(reaction(10009, "pizza", "10000")), "pizza||10000") << "a reaction";
}

TEST(PendingDeletions, Cascade_MarksTheReactionsOfWhatItTakes) {
  World world;
  world.pend(1, object_gone(DeletionKind::kObjectCascade, 10010));
  world.put(about(10000, "food", "pizza"));
  world.put(about(10001, "food", "pasta"));
  EXPECT_EQ(world.see(reaction(10002, "10000", "10000")), "deleted||deleted");
  EXPECT_EQ(world.see(reaction(10003, "10000", "10002")), "deleted||10002");
  EXPECT_EQ(world.see(reaction(10011, "10000", "10003")), "deleted||10003") << "made later";
  EXPECT_EQ(world.see(reaction(10004, "10001", "10001")), "10001||10001");
  EXPECT_EQ(world.see(reaction(10005, "deleted", "10002")), "deleted||10002");
}

TEST(PendingDeletions, SetNil_ClearsReferences) {
  World world;
  world.pend(1, object_gone(DeletionKind::kObjectSetNil, 10010));
  EXPECT_EQ(world.see(about(10009, "food", "pizza")), "||");
  EXPECT_EQ(world.see(about(10009, "", "pizza")), "||");
  EXPECT_EQ(world.see(about(10010, "food", "pizza")), "pizza|food|");
  EXPECT_EQ(world.see(about(10009, "books", "pizza")), "pizza|books|");
}

TEST(PendingDeletions, TheOlderOne_DecidesOverWhatNamesNoCollection) {
  World world;
  world.pend(1, object_gone(DeletionKind::kObjectSetNil, 10010, "food"));
  world.pend(2, object_gone(DeletionKind::kObjectCascade, 10020, "books"));
  EXPECT_EQ(world.see(about(10009, "", "pizza")), "||");
  EXPECT_EQ(world.see(about(10011, "", "pizza")), "gone");
  World other;
  other.pend(1, object_gone(DeletionKind::kObjectCascade, 10020, "books"));
  other.pend(2, object_gone(DeletionKind::kObjectSetNil, 10030, "food"));
  EXPECT_EQ(other.see(about(10009, "", "pizza")), "gone");
  EXPECT_EQ(other.see(about(10020, "", "pizza")), "||");
}

TEST(PendingDeletions, MarksOfReactions_AreAdded) {
  World world;
  world.pend(1, {DeletionKind::kMarksOfReactions, 10000});
  world.pend(2, {DeletionKind::kMarksOfReactions, 10005});
  EXPECT_EQ(world.see(reaction(10001, "10000", "10000")), "deleted||deleted");
  EXPECT_EQ(world.see(reaction(10002, "10000", "10001")), "deleted||10001");
  EXPECT_EQ(world.see(reaction(10006, "9000", "10005")), "9000||deleted")
      << "the parent is a reaction";
  EXPECT_EQ(world.see(reaction(10007, "9000", "10006")), "9000||10006");
  EXPECT_EQ(world.see(about(10008, "", "10000")), "10000||") << "a share is no reaction";
}

TEST(FindActivity, ShowsWhatIsLeft) {
  World world;
  world.put(about(10000, "food", "pizza"));
  world.put(about(10001, "books", "pizza"));
  world.pend(1, object_gone(DeletionKind::kObjectCascade, 10010));
  const auto pending = PendingDeletions::load(world.reader);
  EXPECT_FALSE(find_activity(world.reader, *pending, ActivityId{10000})->has_value());
  EXPECT_FALSE(find_activity(world.reader, *pending, ActivityId{10002})->has_value());
  EXPECT_EQ((*find_activity(world.reader, *pending, ActivityId{10001}))->collection_id, "books");
  world.reader.rows[keys::activity_key(ActivityId{10003})] = "junk";
  EXPECT_FALSE(find_activity(world.reader, *pending, ActivityId{10003}));
}

}  // namespace
}  // namespace feeds
