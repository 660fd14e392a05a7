#include <fmt/format.h>

#include "tests/unit/read_api/read_world.h"

namespace feeds {
namespace {

class GroupingFeedRoutes : public test::ReadWorld {
 protected:
  // "like×2[10005 10003] …": key, count and shown activities of each group; pages separated by
  // bars.
  std::string groups(const std::string& query = "", const std::string& feed = "10000") {
    const std::string target = "/v1/groupingFeeds/" + feed + "/activities?" + query;
    std::string text;
    std::string next;
    do {
      const auto page = get(next.empty() ? target : target + "&offsetId=" + next);
      if (page.status != 200) return "answered " + std::to_string(page.status);
      if (!next.empty()) text += " | ";
      bool first = true;
      for (const auto& group : page.json.at("activityGroups").as_array()) {
        std::string ids;
        for (const auto& activity : group.at("activities").as_array()) {
          if (!ids.empty()) ids += ' ';
          ids += activity.at("id").as_string();
        }
        text += fmt::format("{}{}×{}[{}]", first ? "" : " ",
                            std::string(group.at("groupKey").as_string()),
                            group.at("activityCount").as_int64(), ids);
        first = false;
      }
      next = page.next();
    } while (!next.empty());
    return text;
  }
};

TEST_F(GroupingFeedRoutes, Groups_AreOrderedByTheirNewestActivity) {
  const auto feed = rows().grouping_feed();
  const auto other = rows().grouping_feed();
  for (const auto* key : {"a", "b", "a", "", "c", "b"}) {
    rows().activity({.groups = {{feed, key}}});
  }
  rows().activity({.groups = {{other, "a"}}});
  rows().commit();
  EXPECT_EQ(groups(), "b×2[10005 10001] c×1[10004] ×1[10003] a×2[10002 10000]");
  EXPECT_EQ(groups("limit=2"), "b×2[10005 10001] c×1[10004] | ×1[10003] a×2[10002 10000]");
  EXPECT_EQ(groups("limit=1&activityLimit=1"), "b×2[10005] | c×1[10004] | ×1[10003] | a×2[10002]");
  EXPECT_EQ(groups("limit=4"), "b×2[10005 10001] c×1[10004] ×1[10003] a×2[10002 10000]");
  EXPECT_EQ(groups("", "10001"), "a×1[10006]");
  EXPECT_THAT(violations(), ::testing::IsEmpty());
}

// Whether a page is read from the heads of its groups or from their entries, it shows the same.
TEST_F(GroupingFeedRoutes, PagesOfAnyDepth_ShowTheNewestOfEachGroup) {
  const auto feed = rows().grouping_feed();
  const auto text = [](std::size_t size) { return '"' + std::string(size, 'x') + '"'; };
  std::map<std::string, std::vector<std::uint64_t>> entered;
  const auto enter = [&](const std::string& key, std::size_t size) {
    const auto id = rows().activity({.extra_data = text(size), .groups = {{feed, key}}});
    entered[key].insert(entered[key].begin(), id.value);
  };
  for (int i = 0; i < 7; ++i) enter("small", 1);
  for (int i = 0; i < 3; ++i) enter("few", 1);
  for (int i = 0; i < 3; ++i) enter("middling", 900);
  for (const std::size_t size : {1, 5000, 1, 1}) enter("with a large one", size);
  for (const std::size_t size : {1, 1, 5000}) enter("large first", size);
  rows().commit();
  ASSERT_THAT(violations(), ::testing::IsEmpty());
  for (std::size_t limit = 1; limit <= 8; ++limit) {
    std::string expected;
    for (const auto* key : {"large first", "with a large one", "middling", "few", "small"}) {
      const auto& all = entered[key];
      const auto shown = std::min(limit, all.size());
      expected += fmt::format(
          "{}{}×{}[{}]", expected.empty() ? "" : " ", key, all.size(),
          fmt::join(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(shown), " "));
    }
    EXPECT_EQ(groups(fmt::format("activityLimit={}", limit)), expected);
  }
}

TEST_F(GroupingFeedRoutes, DefaultLimits_Are25GroupsOf50) {
  const auto feed = rows().grouping_feed();
  for (int i = 0; i < 30; ++i) rows().activity({.groups = {{feed, fmt::format("k{}", i)}}});
  for (int i = 0; i < 60; ++i) rows().activity({.groups = {{feed, "k"}}});
  rows().commit();
  const auto page = get("/v1/groupingFeeds/10000/activities").json;
  EXPECT_EQ(page.at("activityGroups").as_array().size(), 25u);
  EXPECT_EQ(page.at("activityGroups").at(0).at("activities").as_array().size(), 50u);
  EXPECT_EQ(page.at("activityGroups").at(0).at("activityCount").as_int64(), 60);
}

TEST_F(GroupingFeedRoutes, OnlyItsOwnCursor_IsTaken) {
  const auto feed = rows().grouping_feed();
  rows().grouping_feed();
  for (const auto* key : {"a", "b", "c"}) rows().activity({.groups = {{feed, key}}});
  rows().commit();
  const std::string list = "/v1/groupingFeeds/10000/activities?limit=1&offsetId=";
  const auto cursor = get("/v1/groupingFeeds/10000/activities?limit=1").next();
  EXPECT_EQ(outcome(list + cursor), "200");
  for (const auto& bad : {std::string("10002"), std::string(""), std::string("g"), std::string("c"),
                          cursor + "0", cursor.substr(1), cursor + std::string(16, 'g')}) {
    EXPECT_EQ(outcome(list + bad), "400 bad_offset") << bad;
  }
  EXPECT_EQ(outcome("/v1/groupingFeeds/10001/activities?offsetId=" + cursor), "400 bad_offset");
  EXPECT_EQ(outcome("/v1/groupingFeeds/10000/groups/activities?groupKey=a&offsetId=" + cursor),
            "400 bad_offset");
  for (const std::string bad : {"0", "1001", "x", ""}) {
    EXPECT_EQ(outcome("/v1/groupingFeeds/10000/activities?activityLimit=" + bad),
              "400 bad_parameter");
  }
}

TEST_F(GroupingFeedRoutes, GroupThatMoved_IsNotMissedNorRepeated) {
  const auto feed = rows().grouping_feed();
  for (const auto* key : {"a", "b", "c", "d"}) rows().activity({.groups = {{feed, key}}});
  rows().commit();
  const auto next = get("/v1/groupingFeeds/10000/activities?limit=2").next();
  rows().activity({.groups = {{feed, "c"}}});  // the group that the cursor stands behind
  rows().commit();
  const auto page = get("/v1/groupingFeeds/10000/activities?offsetId=" + next).json;
  ASSERT_EQ(page.at("activityGroups").as_array().size(), 2u);
  EXPECT_EQ(page.at("activityGroups").at(0).at("groupKey").as_string(), "b");
  EXPECT_EQ(page.at("activityGroups").at(1).at("groupKey").as_string(), "a");
}

TEST_F(GroupingFeedRoutes, InsideAGroup_PagesAreOfActivities) {
  const auto feed = rows().grouping_feed();
  const std::string strange = std::string("a/b&\0+", 6);
  for (int i = 0; i < 5; ++i) rows().activity({.groups = {{feed, strange}}});
  rows().activity({.groups = {{feed, ""}}});
  rows().activity({.groups = {{feed, "a"}}});
  rows().commit();
  const std::string inside = "/v1/groupingFeeds/10000/groups/activities";
  EXPECT_EQ(walk(inside + "?groupKey=a%2fb%26%00%2B&limit=2", "activities"),
            "10004 10003|10002 10001|10000");
  EXPECT_EQ(walk(inside + "?groupKey=", "activities"), "10005");
  EXPECT_EQ(walk(inside + "?groupKey=a", "activities"), "10006");
  EXPECT_EQ(get(inside + "?groupKey=none").body, R"({"activities":[],"next":null})");
  EXPECT_EQ(outcome(inside), "400 missing_parameter");
  EXPECT_EQ(outcome(inside + "?groupKey=a&offsetId=x"), "400 bad_offset");
  EXPECT_EQ(outcome(inside + "?groupKey=%ff"), "400 bad_parameter");
}

TEST_F(GroupingFeedRoutes, SimpleAndUnknownFeeds_Are404) {
  rows().feed();
  rows().grouping_feed();
  rows().commit();
  for (const std::string feed : {"10000", "10002"}) {
    const auto base = "/v1/groupingFeeds/" + feed;
    EXPECT_EQ(outcome(base), "404 no_such_grouping_feed");
    EXPECT_EQ(outcome(base + "/activities"), "404 no_such_grouping_feed");
    EXPECT_EQ(outcome(base + "/groups/activities?groupKey="), "404 no_such_grouping_feed");
  }
  EXPECT_EQ(get("/v1/groupingFeeds/10001").json.at("keyFormat").as_string(), "{{.ActivityType}}");
  EXPECT_EQ(get("/v1/groupingFeeds/10001/activities").body, R"({"activityGroups":[],"next":null})");
  EXPECT_EQ(outcome("/v1/groupingFeeds/x"), "400 bad_path");
}

TEST_F(GroupingFeedRoutes, CascadeUnderWay_LeavesNoEmptyGroup) {
  const auto feed = rows().grouping_feed();
  const test::WantedActivity pizza{.object = "pizza", .collection = "food"};
  const auto add = [&](bool about_pizza, const char* key) {
    auto wanted = about_pizza ? pizza : test::WantedActivity{};
    wanted.groups = {{feed, key}};
    rows().activity(wanted);
  };
  add(false, "a");
  add(true, "b");
  add(true, "a");
  add(false, "c");
  add(true, "d");
  rows().pending(1, {DeletionKind::kObjectCascade, 0, rows().next_activity(), "food", "pizza"});
  rows().commit();
  EXPECT_EQ(groups(), "c×1[10003] a×2[10000]") << "counts and order may lag";
  EXPECT_EQ(groups("limit=1"), "c×1[10003] | a×2[10000]");
  EXPECT_EQ(groups("limit=2"), "c×1[10003] a×2[10000]");
}

TEST_F(GroupingFeedRoutes, ManyRowsGone_GoesOnInsideTheGroup) {
  const auto feed = rows().grouping_feed();
  rows().activity({.groups = {{feed, "old"}}});
  rows().activity({.groups = {{feed, "big"}}});
  for (std::uint64_t i = 0; i < 2 * limits::kSkippedRows + 10; ++i) {
    rows().activity({.object = "pizza", .collection = "food", .groups = {{feed, "big"}}});
    if (i % 1000 == 0) rows().commit();
  }
  rows().pending(1, {DeletionKind::kObjectCascade, 0, rows().next_activity(), "food", "pizza"});
  rows().commit();
  EXPECT_EQ(groups(),
            fmt::format(" |  | big×{}[10001] old×1[10000]", 2 * limits::kSkippedRows + 11));
}

}  // namespace
}  // namespace feeds
