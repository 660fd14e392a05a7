// Ids of more than five digits, and of more than 32 bits.
#include <gtest/gtest.h>

#include "tests/cluster/load.h"

namespace feeds::test {
namespace {

std::vector<std::uint64_t> ids_of(const HttpReply& reply) {
  std::vector<std::uint64_t> ids;
  if (reply.status != 200) return ids;
  const auto page = boost::json::parse(reply.body);
  for (const auto& article : page.at("articles").as_array()) {
    ids.push_back(article.at("id").to_number<std::uint64_t>());
  }
  return ids;
}

std::vector<std::uint64_t> range(std::uint64_t first, std::uint64_t end) {
  std::vector<std::uint64_t> ids;
  for (auto id = first; id < end; ++id) ids.push_back(id);
  return ids;
}

TEST(Ids, ArticlesPast99999_StayInOrder) {
  TestCluster cluster;
  auto& replica = cluster.start_replica();
  const auto feed = make_feed(cluster.primary());
  constexpr std::uint64_t kLast = 100'100;
  publish_many(cluster.primary().http(), feed, kLast - 10'000 + 1, 4);
  ASSERT_TRUE(cluster.level());
  const auto target = "/v1/feeds/" + std::to_string(feed);
  for (auto* node : {&cluster.primary(), &replica}) {
    const auto page = node->get(target + "?startId=99995&limit=35");
    EXPECT_EQ(ids_of(page), range(99'995, 100'030));
    EXPECT_EQ(boost::json::parse(page.body).at("next").to_number<std::uint64_t>(), 100'030u);
    EXPECT_EQ(ids_of(node->get(target + "?startId=99999&limit=2")), range(99'999, 100'001));
    EXPECT_EQ(ids_of(node->get(target + "?startId=100000&limit=1")), range(100'000, 100'001));
    EXPECT_EQ(ids_of(node->get(target)), range(kLast - 49, kLast + 1));
    EXPECT_EQ(ids_of(node->get(target + "?startId=" + std::to_string(kLast + 1))), range(0, 0));
    auto client = node->client();
    const auto all = all_articles(*client, feed);
    ASSERT_EQ(all.size(), kLast - 10'000 + 1);
    for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i].first, 10'000 + i);
  }
  expect_equal(cluster);
}

std::string counter(TestNode& node, const std::string& name) {
  const auto counters = boost::json::parse(node.get("/v1/counters").body);
  for (const auto& entry : counters.as_array()) {
    if (entry.at("name").as_string() == name) return boost::json::serialize(entry.at("value"));
  }
  return "none";
}

TEST(Ids, CountersStartWhereTheConfigurationSays) {
  constexpr std::uint64_t kFeeds = (1ull << 32) - 2;
  constexpr std::uint64_t kUsers = (1ull << 53) - 3;
  TestCluster cluster;
  auto& primary = cluster.primary();
  auto& replica = cluster.start_replica();
  EXPECT_EQ(counter(primary, "/feeds"), "10000");
  ASSERT_EQ(primary.stop(), 0);
  primary.settings()["db.counters"] = "{/feeds: " + std::to_string(kFeeds) +
                                      ", /users: " + std::to_string(kUsers) + ", /activities: 77}";
  ASSERT_TRUE(primary.start());
  ASSERT_TRUE(cluster.level());
  for (auto* node : {&primary, &replica}) {
    EXPECT_EQ(counter(*node, "/feeds"), std::to_string(kFeeds));
    EXPECT_EQ(counter(*node, "/users"), std::to_string(kUsers));
    EXPECT_EQ(counter(*node, "/activities"), "77");
  }

  for (std::uint64_t i = 0; i < 5; ++i) {
    ASSERT_EQ(make_feed(primary), kFeeds + i);
    ASSERT_EQ(created_id(primary.post("/v1/users")), kUsers + i);
    const auto feed = std::to_string(kFeeds + i);
    ASSERT_EQ(created_id(primary.post("/v1/feeds/" + feed, "text " + feed)), 10'000u);
    ASSERT_EQ(
        primary.post("/v1/users/" + std::to_string(kUsers) + "/subscribe?feedId=" + feed).status,
        200);
  }
  ASSERT_TRUE(cluster.level());
  for (auto* node : {&primary, &replica}) {
    const auto feeds = boost::json::parse(node->get("/v1/feeds").body);
    std::vector<std::uint64_t> ids;
    for (const auto& feed : feeds.as_array())
      ids.push_back(feed.at("id").to_number<std::uint64_t>());
    EXPECT_EQ(ids, range(kFeeds, kFeeds + 5));
    const auto after = node->get("/v1/feeds?limit=2&after=" + std::to_string(kFeeds + 1));
    EXPECT_EQ(after.header("link"),
              "</v1/feeds?limit=2&after=" + std::to_string(kFeeds + 3) + ">; rel=\"next\"");
    const auto feed = "/v1/feeds/" + std::to_string(kFeeds + 4);
    EXPECT_EQ(ids_of(node->get(feed)), range(10'000, 10'001));
    const auto user = "/v1/users/" + std::to_string(kUsers);
    EXPECT_EQ(boost::json::parse(node->get(user).body).at("feeds").as_object().size(), 5u);
    const auto consumed = boost::json::parse(node->post(user + "/consumeFeeds").body);
    ASSERT_EQ(consumed.as_array().size(), 5u);
    EXPECT_EQ(consumed.as_array()[3].at("id").to_number<std::uint64_t>(), kFeeds + 3);
  }

  // A counter that was used is left alone, and that is said.
  ASSERT_EQ(primary.stop(), 0);
  primary.settings()["db.counters"] = "{/feeds: 5}";
  ASSERT_TRUE(primary.start());
  EXPECT_TRUE(primary.process().event("counter_start_ignored").has_value());
  EXPECT_EQ(make_feed(primary), kFeeds + 5);
  expect_equal(cluster);
}

}  // namespace
}  // namespace feeds::test
