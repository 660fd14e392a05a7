// Deleting a feed of many articles: gone at once, cleaned up later, whatever dies meanwhile.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/cluster/load.h"

namespace feeds::test {
namespace {

constexpr std::uint64_t kArticles = 50'000;

// Lines of feedctl dump that start with `prefix`, of a running node.
std::size_t rows(const TestNode& node, const std::string& prefix) {
  const auto dumped = run_program({program("feedctl"), "dump", "--data", node.data().string()});
  EXPECT_EQ(dumped.code, 0) << dumped.err;
  std::size_t count = 0;
  std::istringstream lines(dumped.out);
  for (std::string line; std::getline(lines, line);) count += line.starts_with(prefix);
  return count;
}

class Deletion : public testing::Test {
 protected:
  void SetUp() override {
    auto& primary = cluster_.primary();
    feed_ = make_feed(primary);
    other_ = make_feed(primary);
    cluster_.start_replica();
    publish_many(primary.http(), feed_, kArticles, 10);
    user_ = created_id(primary.post("/v1/users"));
    for (const auto feed : {feed_, other_}) {
      const auto target = "/v1/users/" + std::to_string(user_) + "/subscribe?feedId=";
      ASSERT_EQ(primary.post(target + std::to_string(feed)).status, 200);
    }
    ASSERT_TRUE(cluster_.level());
  }

  std::string target() const { return "/v1/feeds/" + std::to_string(feed_); }
  std::string articles() const { return "/data/articles/" + std::to_string(feed_) + "/"; }

  // By every route that could show it, at or past `position`.
  void expect_gone_on(TestNode& node, const std::string& position) {
    const HttpClient::Headers there = {{"Feeds-Min-Position", position},
                                       {"Feeds-Wait-Ms", "20000"}};
    EXPECT_EQ(node.get(target(), there).status, 404);
    EXPECT_EQ(node.get(target() + "?startId=10000", there).status, 404);
    const auto id = std::to_string(feed_);
    EXPECT_EQ(node.get("/v1/feeds", there).body.find(id), std::string::npos);
    EXPECT_EQ(node.get("/v1/counters", there).body.find("/articles/" + id), std::string::npos);
    const auto consumed =
        node.post("/v1/users/" + std::to_string(user_) + "/consumeFeeds", "", there);
    EXPECT_EQ(consumed.status, 200);
    const auto feeds = boost::json::parse(consumed.body).as_array();
    ASSERT_EQ(feeds.size(), 1u);
    EXPECT_EQ(feeds[0].at("id").to_number<std::uint64_t>(), other_);
  }
  void expect_cleaned() {
    ASSERT_TRUE(eventually([&] { return rows(cluster_.primary(), articles()) == 0; }));
    ASSERT_TRUE(eventually([&] { return rows(cluster_.primary(), "/system/pending/") == 0; }));
    const auto cleaned = cluster_.primary().position();
    ASSERT_TRUE(eventually([&] {
      return cluster_.replica(0).get("/v1/feeds", {{"Feeds-Min-Position", cleaned}}).status == 200;
    }));
    EXPECT_EQ(rows(cluster_.replica(0), articles()), 0u);
    EXPECT_EQ(rows(cluster_.replica(0), "/system/pending/"), 0u);
    const auto verified = cluster_.verify();
    EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
  }

  TestCluster cluster_;
  std::uint64_t feed_ = 0;
  std::uint64_t other_ = 0;
  std::uint64_t user_ = 0;
};

TEST_F(Deletion, LargeFeed_IsGoneAtOnceAndCleanedBesideOtherWrites) {
  auto& primary = cluster_.primary();
  ASSERT_EQ(rows(primary, articles()), kArticles);
  Load load(primary.http(), {other_}, 4);
  load.start();
  const auto deleted = primary.del(target());
  ASSERT_EQ(deleted.status, 204);
  expect_gone_on(primary, deleted.position());
  expect_gone_on(cluster_.replica(0), deleted.position());
  EXPECT_EQ(primary.del(target()).status, 404);
  EXPECT_EQ(primary.post(target(), "too late").status, 404);
  ASSERT_TRUE(load.wait_for(50));
  // Its id is not given out again.
  EXPECT_GT(make_feed(primary), other_);
  expect_cleaned();
  load.stop();
  EXPECT_EQ(load.refusals().size(), 0u);
  load.expect_all_on(primary);
  expect_equal(cluster_);
}

TEST_F(Deletion, PrimaryKilledAmidCleaning_GoesOn) {
  auto& primary = cluster_.primary();
  const auto deleted = primary.del(target());
  ASSERT_EQ(deleted.status, 204);
  bool amid = false;
  for (int i = 0; i < 3; ++i) {
    primary.kill();
    amid = amid || rows(primary, "/system/pending/") == 1;
    ASSERT_TRUE(primary.start());
    expect_gone_on(primary, deleted.position());
  }
  if (!amid) std::cout << "it was cleaned before the first kill\n";
  expect_gone_on(cluster_.replica(0), deleted.position());
  expect_cleaned();
  EXPECT_EQ(cluster_.replica(0).resyncs(), 1);
}

TEST_F(Deletion, ReplicaKilledAmidCleaning_GoesOn) {
  auto& primary = cluster_.primary();
  auto& replica = cluster_.replica(0);
  const auto deleted = primary.del(target());
  ASSERT_EQ(deleted.status, 204);
  for (int i = 0; i < 3; ++i) {
    replica.kill();
    ASSERT_TRUE(replica.start());
    expect_gone_on(replica, deleted.position());
  }
  expect_cleaned();
  EXPECT_EQ(replica.resyncs(), 0);
}

}  // namespace
}  // namespace feeds::test
