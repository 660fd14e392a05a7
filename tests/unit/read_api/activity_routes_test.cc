#include <fmt/format.h>

#include "tests/unit/read_api/read_world.h"

namespace feeds {
namespace {

using ::testing::HasSubstr;

class ActivityRoutes : public test::ReadWorld {};

std::string long_text() {
  return "\"" + std::string(limits::kCopyBytes, 'x') + "\"";
}

TEST_F(ActivityRoutes, FeedPage_IsNewestFirstAndEndsWithNull) {
  const auto feed = rows().feed();
  const auto other = rows().feed();
  for (int i = 0; i < 5; ++i) rows().activity({.feeds = {feed}});
  rows().activity({.feeds = {other}});
  rows().commit();
  EXPECT_EQ(walk("/v1/feeds/10000/activities", "activities"), "10004 10003 10002 10001 10000");
  EXPECT_EQ(walk("/v1/feeds/10000/activities?limit=2", "activities"),
            "10004 10003|10002 10001|10000");
  EXPECT_EQ(walk("/v1/feeds/10000/activities?limit=5", "activities"),
            "10004 10003 10002 10001 10000");
  EXPECT_EQ(walk("/v1/feeds/10001/activities", "activities"), "10005");
  EXPECT_TRUE(get("/v1/feeds/10000/activities").position);
  EXPECT_THAT(violations(), ::testing::IsEmpty());
}

TEST_F(ActivityRoutes, FeedPage_HoldsTheActivityAsStored) {
  const auto feed = rows().feed();
  const auto id = rows().activity(
      {.object = "a/b", .type = "like", .extra_data = R"({"n":1.0,"n":1e5})", .feeds = {feed}});
  rows().commit();
  const auto one = get("/v1/activities/" + std::to_string(id.value));
  EXPECT_EQ(one.status, 200);
  EXPECT_EQ(get("/v1/feeds/10000/activities").body,
            "{\"activities\":[" + one.body + R"(],"next":null})");
  EXPECT_THAT(one.body, HasSubstr(R"("extraData":{"n":1.0,"n":1e5}})"));
}

TEST_F(ActivityRoutes, Offset_NeedNotExist) {
  const auto feed = rows().feed();
  for (int i = 0; i < 5; ++i) rows().activity({.feeds = {feed}});
  rows().erase_row(keys::feed_activity_key(feed, ActivityId{10002}));
  rows().commit();
  const std::string list = "/v1/feeds/10000/activities?offsetId=";
  EXPECT_EQ(get(list + "10002").ids("activities"), "10001 10000");
  EXPECT_EQ(get(list + "10003").ids("activities"), "10001 10000");
  EXPECT_EQ(get(list + "99999999").ids("activities"), "10004 10003 10001 10000");
  EXPECT_EQ(get(list + "9223372036854775807").ids("activities"), "10004 10003 10001 10000");
  EXPECT_EQ(get(list + "10000").ids("activities"), "");
  EXPECT_EQ(get(list + "0").ids("activities"), "");
}

TEST_F(ActivityRoutes, MalformedParameters_AreNamed) {
  rows().feed();
  rows().commit();
  for (const std::string bad :
       {"", "abc", "-1", "+1", "010000", "1e3", "99999999999999999999", "10000.0"}) {
    EXPECT_EQ(outcome("/v1/feeds/10000/activities?offsetId=" + bad), "400 bad_offset") << bad;
  }
  for (const std::string bad : {"", "0", "-5", "abc", "1e3", "1001", "99999999999999999999"}) {
    const auto answer = get("/v1/feeds/10000/activities?limit=" + bad);
    EXPECT_EQ(answer.status, 400) << bad;
    EXPECT_THAT(answer.body, HasSubstr("limit must be"));
  }
  EXPECT_EQ(outcome("/v1/feeds/abc/activities"), "400 bad_path");
  EXPECT_EQ(outcome("/v1/activities/010000"), "400 bad_path");
  EXPECT_EQ(outcome("/v1/activities"), "400 missing_parameter");
  EXPECT_EQ(outcome("/v1/activities?objectId="), "400 missing_parameter");
  EXPECT_EQ(outcome("/v1/activities?objectId=%ff"), "400 bad_parameter");
}

TEST_F(ActivityRoutes, UnknownOnes_Are404) {
  rows().feed();
  rows().grouping_feed();
  rows().commit();
  EXPECT_EQ(outcome("/v1/feeds/10002/activities"), "404 no_such_feed");
  EXPECT_EQ(outcome("/v1/feeds/10001/activities"), "404 no_such_feed") << "a grouping feed";
  EXPECT_EQ(outcome("/v1/feeds/10001"), "404 no_such_feed");
  EXPECT_EQ(outcome("/v1/activities/10000"), "404 no_such_activity");
  EXPECT_EQ(outcome("/v1/activities/10000/reactions"), "404 no_such_activity");
  EXPECT_EQ(outcome("/v1/activities/10000/thread"), "404 no_such_activity");
  EXPECT_EQ(outcome("/v1/reactions/10000"), "404 no_such_activity");
}

TEST_F(ActivityRoutes, LongActivities_AreLookedUp) {
  const auto feed = rows().feed();
  rows().activity({.feeds = {feed}});
  rows().activity({.extra_data = long_text(), .feeds = {feed}});
  rows().activity({.extra_data = long_text(), .feeds = {feed}});
  rows().activity({.feeds = {feed}});
  rows().commit();
  EXPECT_EQ(walk("/v1/feeds/10000/activities", "activities"), "10003 10002 10001 10000");
  EXPECT_EQ(walk("/v1/feeds/10000/activities?limit=1", "activities"), "10003|10002|10001|10000");
  EXPECT_THAT(get("/v1/feeds/10000/activities").body, HasSubstr(long_text()));
  EXPECT_THAT(violations(), ::testing::IsEmpty());
}

TEST_F(ActivityRoutes, Page_EndsAtItsBytes) {
  const auto feed = rows().feed();
  const std::string megabyte = "\"" + std::string(1024 * 1024, 'x') + "\"";
  for (int i = 0; i < 10; ++i) {
    rows().activity({.extra_data = megabyte, .feeds = {feed}});
    rows().commit();
  }
  const auto page = get("/v1/feeds/10000/activities");
  EXPECT_LE(page.body.size(), limits::kPageBytes + 1024);
  EXPECT_EQ(page.ids("activities"), "10009 10008 10007 10006 10005 10004 10003");
  EXPECT_EQ(walk("/v1/feeds/10000/activities", "activities"),
            "10009 10008 10007 10006 10005 10004 10003|10002 10001 10000");
}

TEST_F(ActivityRoutes, ByObject_TellsCollectionsApart) {
  rows().activity({.object = "1", .collection = "food"});
  rows().activity({.object = "1", .collection = "books"});
  rows().activity({.object = "1"});
  rows().activity({.object = "1", .collection = "books"});
  const auto top = rows().activity({.object = "2"});
  rows().reaction(top, top);
  rows().commit();
  EXPECT_EQ(get("/v1/activities/byObject/1?collectionId=food").json.at("id").as_string(), "10000");
  EXPECT_EQ(get("/v1/activities/byObject/1").json.at("id").as_string(), "10002");
  EXPECT_EQ(outcome("/v1/activities/byObject/1?collectionId=books"), "409 several_activities");
  EXPECT_EQ(outcome("/v1/activities/byObject/3"), "404 no_such_activity");
  EXPECT_EQ(outcome("/v1/activities/byObject/10004"), "404 no_such_activity")
      << "only its reaction";
  EXPECT_EQ(walk("/v1/activities?objectId=1&collectionId=books&limit=1", "activities"),
            "10003|10001");
  EXPECT_EQ(walk("/v1/activities?objectId=1", "activities"), "10002");
  EXPECT_EQ(walk("/v1/activities?objectId=10004", "activities"), "");
}

TEST_F(ActivityRoutes, ByObject_TakesAnyId) {
  rows().activity({.object = "a/b%:\xE2\x98\x83"});
  rows().activity({.object = "a"});
  rows().activity({.object = std::string("a\0b", 3)});
  rows().activity({.object = "reactions"});
  rows().commit();
  EXPECT_EQ(get("/v1/activities/byObject/a%2Fb%25:%E2%98%83").json.at("id").as_string(), "10000");
  EXPECT_EQ(get("/v1/activities/byObject/a").json.at("id").as_string(), "10001");
  EXPECT_EQ(get("/v1/activities/byObject/a%00b").json.at("id").as_string(), "10002");
  EXPECT_EQ(get("/v1/activities/byObject/reactions").json.at("id").as_string(), "10003");
  EXPECT_EQ(get("/v1/activities?objectId=a%2fb%25%3A%E2%98%83").ids("activities"), "10000");
}

TEST_F(ActivityRoutes, Cascade_IsCompleteToReads) {
  const auto feed = rows().feed();
  for (int i = 0; i < 30; ++i) {
    rows().activity({.object = i < 20 ? "pizza" : "pasta", .collection = "food", .feeds = {feed}});
  }
  rows().pending(1, {DeletionKind::kObjectCascade, 0, rows().next_activity(), "food", "pizza"});
  rows().activity({.object = "pizza", .collection = "food", .feeds = {feed}});
  rows().commit();
  EXPECT_EQ(outcome("/v1/activities/10003"), "404 no_such_activity");
  EXPECT_EQ(outcome("/v1/activities/10020"), "200");
  EXPECT_EQ(walk("/v1/feeds/10000/activities?limit=6", "activities"),
            "10030 10029 10028 10027 10026 10025|10024 10023 10022 10021 10020");
  EXPECT_EQ(walk("/v1/activities?objectId=pizza&collectionId=food", "activities"), "10030");
  EXPECT_EQ(get("/v1/activities/byObject/pizza?collectionId=food").json.at("id").as_string(),
            "10030");
  EXPECT_THAT(violations(), ::testing::IsEmpty());
}

TEST_F(ActivityRoutes, SetNil_IsCompleteToReads) {
  const auto feed = rows().feed();
  rows().activity({.object = "pizza", .collection = "food", .feeds = {feed}});
  rows().activity({.object = "pizza", .feeds = {feed}});
  rows().activity({.object = "pizza", .collection = "books", .feeds = {feed}});
  rows().pending(1, {DeletionKind::kObjectSetNil, 0, rows().next_activity(), "food", "pizza"});
  rows().commit();
  EXPECT_EQ(walk("/v1/activities?objectId=pizza&collectionId=food", "activities"), "");
  EXPECT_EQ(walk("/v1/activities?objectId=pizza", "activities"), "");
  EXPECT_EQ(walk("/v1/activities?objectId=pizza&collectionId=books", "activities"), "10002");
  const auto page = get("/v1/feeds/10000/activities");
  EXPECT_EQ(page.ids("activities"), "10002 10001 10000");
  EXPECT_EQ(page.json.at("activities").at(2).at("objectId").as_string(), "");
  EXPECT_EQ(page.json.at("activities").at(2).at("collectionId").as_string(), "");
  EXPECT_EQ(get("/v1/activities/10001").json.at("objectId").as_string(), "");
}

TEST_F(ActivityRoutes, ManyRowsGone_EndsAPageShort) {
  const auto feed = rows().feed();
  const auto oldest = rows().activity({.feeds = {feed}});
  for (std::uint64_t i = 0; i < limits::kSkippedRows + 5; ++i) {
    rows().activity({.object = "pizza", .collection = "food", .feeds = {feed}});
    if (i % 1000 == 0) rows().commit();
  }
  rows().pending(1, {DeletionKind::kObjectCascade, 0, rows().next_activity(), "food", "pizza"});
  rows().commit();
  const auto page = get("/v1/feeds/10000/activities");
  EXPECT_EQ(page.ids("activities"), "");
  ASSERT_NE(page.next(), "");
  EXPECT_EQ(walk("/v1/feeds/10000/activities", "activities"), "|" + std::to_string(oldest.value));
}

TEST_F(ActivityRoutes, RowWithoutItsActivity_IsPassedOver) {
  const auto feed = rows().feed();
  rows().activity({.feeds = {feed}});
  rows().activity({.extra_data = long_text(), .feeds = {feed}});
  rows().activity({.feeds = {feed}});
  rows().erase_row(keys::activity_key(ActivityId{10001}));
  rows().commit();
  EXPECT_EQ(walk("/v1/feeds/10000/activities?limit=1", "activities"), "10002|10000");
}

TEST_F(ActivityRoutes, Collections_ArePagedInTheOrderOfTheirIds) {
  for (const auto* id : {"a", "a b", "aa", "b", "é"}) rows().collection(id);
  rows().object("a", "1", R"({"x":1.0})");
  rows().object("a", "2");
  rows().object("aa", "3");
  rows().commit();
  EXPECT_EQ(
      get("/v1/collections?limit=2").body,
      R"({"collections":[{"id":"a","deletingType":"CASCADE"},{"id":"a b","deletingType":"CASCADE"}],)"
      R"("next":"a b"})");
  EXPECT_EQ(get("/v1/collections?after=a%20b").ids("collections"), "aa b é");
  EXPECT_EQ(get("/v1/collections?after=a+b&limit=3").next(), "");
  EXPECT_EQ(get("/v1/collections?after=zzz").body,
            R"({"collections":[{"id":"é","deletingType":"CASCADE"}],"next":null})");
  EXPECT_EQ(get("/v1/collections/a").body, R"({"id":"a","deletingType":"CASCADE"})");
  EXPECT_EQ(get("/v1/collections/a/objects").ids("objects"), "1 2");
  EXPECT_EQ(get("/v1/collections/a/objects?limit=1").next(), "1");
  EXPECT_EQ(get("/v1/collections/a/objects?after=1").ids("objects"), "2");
  EXPECT_EQ(get("/v1/collections/b/objects").body, R"({"objects":[],"next":null})");
  EXPECT_EQ(get("/v1/collections/a/objects/1").body, R"({"id":"1","data":{"x":1.0}})");
  EXPECT_EQ(outcome("/v1/collections/c"), "404 no_such_collection");
  EXPECT_EQ(outcome("/v1/collections/c/objects"), "404 no_such_collection");
  EXPECT_EQ(outcome("/v1/collections/c/objects/1"), "404 no_such_collection");
  EXPECT_EQ(outcome("/v1/collections/a/objects/3"), "404 no_such_object");
  EXPECT_EQ(outcome("/v1/collections?limit=0"), "400 bad_parameter");
  EXPECT_THAT(violations(), ::testing::IsEmpty());
}

}  // namespace
}  // namespace feeds
