#include "tests/unit/read_api/read_world.h"

namespace feeds {
namespace {

class ReactionRoutes : public test::ReadWorld {
 protected:
  // "10004(10009(),10007()…)": nested reactions by id, an ellipsis where `next` is set.
  static std::string tree(const boost::json::value& list) {
    std::string text;
    for (const auto& reaction : list.at("reactions").as_array()) {
      if (!text.empty()) text += ',';
      text += reaction.at("id").as_string();
      if (reaction.as_object().contains("reactions")) text += "(" + tree(reaction) + ")";
    }
    return text + (list.at("next").is_null() ? "" : "…");
  }
  static std::size_t count(const boost::json::value& list) {
    std::size_t sum = 0;
    for (const auto& reaction : list.at("reactions").as_array()) {
      ++sum;
      if (reaction.as_object().contains("reactions")) sum += count(reaction);
    }
    return sum;
  }
};

TEST_F(ReactionRoutes, DirectOnes_AreNewestFirst) {
  const auto post = rows().activity({});
  const auto first = rows().reaction(post, post);
  const auto second = rows().reaction(post, post);
  rows().reaction(post, first);
  rows().reaction(post, second);
  rows().commit();
  EXPECT_EQ(walk("/v1/activities/10000/reactions", "reactions"), "10002 10001");
  EXPECT_EQ(walk("/v1/activities/10000/reactions?limit=1", "reactions"), "10002|10001");
  EXPECT_EQ(walk("/v1/activities/10001/reactions", "reactions"), "10003") << "of a reaction";
  EXPECT_EQ(walk("/v1/activities/10003/reactions", "reactions"), "");
  EXPECT_EQ(walk("/v1/activities/10000/thread", "reactions"), "10004 10003 10002 10001");
  EXPECT_EQ(walk("/v1/activities/10004/thread?limit=3", "reactions"), "10004 10003 10002|10001");
  EXPECT_EQ(get("/v1/reactions/10003").json.at("linkedActivityId").as_string(), "10001");
  EXPECT_EQ(outcome("/v1/reactions/10000"), "404 not_a_reaction");
  EXPECT_EQ(outcome("/v1/activities/10003"), "200") << "reactions are activities";
  EXPECT_THAT(violations(), ::testing::IsEmpty());
}

TEST_F(ReactionRoutes, Depth_NestsTheNewestOfEach) {
  const auto post = rows().activity({});
  const auto a = rows().reaction(post, post);
  const auto b = rows().reaction(post, post);
  const auto aa = rows().reaction(post, a);
  rows().reaction(post, aa);
  for (int i = 0; i < 12; ++i) rows().reaction(post, b);
  rows().commit();
  const std::string list = "/v1/activities/10000/reactions";
  EXPECT_EQ(tree(get(list).json), "10002,10001");
  EXPECT_EQ(tree(get(list + "?depth=1").json), "10002,10001");
  const std::string ten = "10016,10015,10014,10013,10012,10011,10010,10009,10008,10007…";
  EXPECT_EQ(tree(get(list + "?depth=2").json), "10002(" + ten + "),10001(10003)");
  EXPECT_EQ(tree(get(list + "?depth=2&limit=1").json), "10002(" + ten + ")…");
  EXPECT_EQ(tree(get(list + "?depth=3&offsetId=10002").json), "10001(10003(10004))");
  EXPECT_EQ(tree(get(list + "?depth=8&offsetId=10002").json), "10001(10003(10004()))");
  EXPECT_EQ(get(list + "?depth=2").json.at("reactions").at(0).at("next").as_string(), "10007");
  EXPECT_EQ(walk("/v1/activities/10002/reactions?offsetId=10007", "reactions"), "10006 10005");
  for (const std::string bad : {"0", "9", "-1", "x", "", "1e0"}) {
    EXPECT_EQ(outcome(list + "?depth=" + bad), "400 bad_parameter") << bad;
  }
}

TEST_F(ReactionRoutes, Nesting_KeepsExtraDataAsSent) {
  const auto post = rows().activity({});
  rows().reaction(post, post, {.extra_data = R"({"reactions":[1.0],"next":"}"})"});
  rows().commit();
  const auto plain = get("/v1/activities/10001").body;
  EXPECT_EQ(get("/v1/activities/10000/reactions?depth=2").body,
            "{\"reactions\":[" + plain.substr(0, plain.size() - 1) +
                R"(,"reactions":[],"next":null}],"next":null})");
}

TEST_F(ReactionRoutes, OneReply_HoldsAThousand) {
  const auto post = rows().activity({});
  std::vector<ActivityId> direct;
  for (int i = 0; i < 300; ++i) direct.push_back(rows().reaction(post, post));
  for (const auto parent : direct) {
    for (int i = 0; i < 11; ++i) rows().reaction(post, parent);
  }
  rows().commit();
  const auto answer = get("/v1/activities/10000/reactions?depth=2&limit=300");
  EXPECT_EQ(count(answer.json), 1000u);
  const auto& list = answer.json.at("reactions").as_array();
  ASSERT_EQ(list.size(), 300u) << "nearer levels come first";
  EXPECT_EQ(list[69].at("reactions").as_array().size(), 10u);
  // What did not fit is empty, and its `next` leads to all of it.
  EXPECT_EQ(list[70].at("reactions").as_array().size(), 0u);
  const auto id = std::string(list[70].at("id").as_string());
  const auto next = std::string(list[70].at("next").as_string());
  EXPECT_EQ(get("/v1/activities/" + id + "/reactions?offsetId=" + next).body,
            get("/v1/activities/" + id + "/reactions").body);
  EXPECT_EQ(count(get("/v1/activities/10000/reactions?depth=8&limit=1").json), 11u);
}

TEST_F(ReactionRoutes, MarksUnderWay_AreSeen) {
  const auto post = rows().activity({});
  const auto a = rows().reaction(post, post);
  rows().reaction(post, a);
  rows().erase_row(keys::activity_key(post));
  rows().pending(1, {DeletionKind::kMarksOfReactions, post.value});
  rows().commit();
  EXPECT_EQ(outcome("/v1/activities/10000/reactions"), "404 no_such_activity");
  EXPECT_EQ(outcome("/v1/activities/10001/thread"), "404 no_such_activity") << "its top is gone";
  const auto comment = get("/v1/reactions/10001").json;
  EXPECT_EQ(comment.at("objectId").as_string(), "deleted");
  EXPECT_EQ(comment.at("linkedActivityId").as_string(), "deleted");
  const auto reply = get("/v1/activities/10001/reactions").json.at("reactions").at(0);
  EXPECT_EQ(reply.at("objectId").as_string(), "deleted");
  EXPECT_EQ(reply.at("linkedActivityId").as_string(), "10001");
  EXPECT_THAT(violations(), ::testing::IsEmpty());
}

TEST_F(ReactionRoutes, CascadeUnderWay_MarksReactions) {
  const auto post = rows().activity({.object = "pizza", .collection = "food"});
  const auto a = rows().reaction(post, post);
  const auto aa = rows().reaction(post, a);
  rows().reaction(post, aa);
  const auto other = rows().activity({.object = "pasta", .collection = "food"});
  rows().reaction(other, other);
  rows().pending(1, {DeletionKind::kObjectCascade, 0, rows().next_activity(), "food", "pizza"});
  rows().commit();
  EXPECT_EQ(outcome("/v1/activities/10000/reactions"), "404 no_such_activity");
  EXPECT_EQ(outcome("/v1/activities/10003/thread"), "404 no_such_activity");
  EXPECT_EQ(get("/v1/reactions/10001").json.at("linkedActivityId").as_string(), "deleted");
  const auto nested = get("/v1/activities/10001/reactions?depth=2").json;
  EXPECT_EQ(tree(nested), "10002(10003)");
  EXPECT_EQ(nested.at("reactions").at(0).at("objectId").as_string(), "deleted");
  EXPECT_EQ(nested.at("reactions").at(0).at("linkedActivityId").as_string(), "10001");
  EXPECT_EQ(
      get("/v1/activities/10004/reactions").json.at("reactions").at(0).at("objectId").as_string(),
      "10004");
  EXPECT_EQ(walk("/v1/activities/10005/thread", "reactions"), "10005");
  EXPECT_THAT(violations(), ::testing::IsEmpty());
}

}  // namespace
}  // namespace feeds
