// A position taken from one node holds on every other.
#include <gtest/gtest.h>

#include "tests/cluster/load.h"

namespace feeds::test {
namespace {

using namespace std::chrono_literals;
using Headers = HttpClient::Headers;

std::string newest_text(const HttpReply& page) {
  const auto value = boost::json::parse(page.body);
  const auto& articles = value.at("articles").as_array();
  return articles.empty() ? "" : std::string(articles.back().at("text").as_string());
}

TEST(ReadYourWrites, NewestPageOnReplica_HoldsTheArticleJustPublished) {
  TestCluster cluster;
  auto& replica = cluster.start_replica();
  const auto feed = make_feed(cluster.primary());
  ASSERT_TRUE(cluster.level());
  // Others write too, so that the replica has something to do.
  Load load(cluster.primary().http(), {make_feed(cluster.primary())}, 2);
  load.start();
  const auto target = "/v1/feeds/" + std::to_string(feed);
  for (int i = 0; i < 300; ++i) {
    const auto text = "mine " + std::to_string(i);
    const auto written = cluster.primary().post(target, text);
    ASSERT_EQ(written.status, 201);
    const auto read = replica.get(
        target, {{"Feeds-Min-Position", written.position()}, {"Feeds-Wait-Ms", "20000"}});
    ASSERT_EQ(read.status, 200) << read.body;
    ASSERT_EQ(newest_text(read), text);
  }
}

TEST(ReadYourWrites, NewFeedAndNewUser_AreNever404OnReplica) {
  TestCluster cluster;
  auto& replica = cluster.start_replica();
  ASSERT_TRUE(cluster.level());
  for (const std::string kind : {"/v1/feeds", "/v1/users"}) {
    for (int i = 0; i < 100; ++i) {
      const auto made = cluster.primary().post(kind);
      const auto target = kind + "/" + std::to_string(created_id(made));
      const auto read = replica.get(
          target, {{"Feeds-Min-Position", made.position()}, {"Feeds-Wait-Ms", "20000"}});
      ASSERT_EQ(read.status, 200) << target << " " << read.body;
    }
  }
}

TEST(ReadYourWrites, DeletedFeed_IsGoneOnReplica) {
  TestCluster cluster;
  auto& replica = cluster.start_replica();
  for (int i = 0; i < 50; ++i) {
    const auto target = "/v1/feeds/" + std::to_string(make_feed(cluster.primary()));
    const auto deleted = cluster.primary().del(target);
    ASSERT_EQ(deleted.status, 204);
    const auto read = replica.get(
        target, {{"Feeds-Min-Position", deleted.position()}, {"Feeds-Wait-Ms", "20000"}});
    ASSERT_EQ(read.status, 404);
  }
}

TEST(ReadYourWrites, CutOffReplica_SaysThatItIsBehindAfterTheWait) {
  TestCluster cluster;
  Proxy proxy(cluster.primary().replication());
  auto& replica = cluster.start_replica({}, proxy.address());
  const auto target = "/v1/feeds/" + std::to_string(make_feed(cluster.primary()));
  ASSERT_TRUE(cluster.level());
  proxy.cut(true);
  const auto position = cluster.primary().post(target, "unseen").position();
  const auto began = std::chrono::steady_clock::now();
  const auto late =
      replica.get(target, {{"Feeds-Min-Position", position}, {"Feeds-Wait-Ms", "700"}});
  EXPECT_GE(std::chrono::steady_clock::now() - began, 700ms);
  EXPECT_EQ(late.status, 503);
  EXPECT_EQ(late.code(), "replica_behind");
  EXPECT_NE(late.header("retry-after"), "");
  EXPECT_EQ(late.position(), replica.position());
  const auto now = replica.get(target, {{"Feeds-Min-Position", position}, {"Feeds-Wait-Ms", "0"}});
  EXPECT_EQ(now.code(), "replica_behind");
  // Without the header it serves what it has.
  EXPECT_EQ(replica.get(target).status, 200);

  // A read that waits is answered as soon as the data comes.
  auto client = replica.client();
  client->send("GET", target, "", {{"Feeds-Min-Position", position}, {"Feeds-Wait-Ms", "30000"}});
  ASSERT_TRUE(eventually([&] { return replica.metric("feeds_waiting_reads") == 1; }));
  proxy.resume();
  const auto answer = client->receive();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(newest_text(answer), "unseen");
  EXPECT_TRUE(eventually([&] { return replica.metric("feeds_waiting_reads") == 0; }));
}

TEST(ReadYourWrites, PositionPastThePrimary_IsLost) {
  TestCluster cluster;
  const auto target = "/v1/feeds/" + std::to_string(make_feed(cluster.primary()));
  const auto reply = cluster.primary().get(target, {{"Feeds-Min-Position", "1-99999999"}});
  EXPECT_EQ(reply.status, 409);
  EXPECT_EQ(reply.code(), "position_lost");
  EXPECT_EQ(reply.position(), cluster.primary().position());
  for (const auto* malformed :
       {"", "1", "1-", "-1", "1-2-3", "01-1", "1-+1", "1-99999999999999999999"}) {
    EXPECT_EQ(cluster.primary().get(target, {{"Feeds-Min-Position", malformed}}).status, 400)
        << malformed;
  }
}

TEST(ReadYourWrites, ReplicaWithoutData_HasNoPosition) {
  TestCluster cluster;
  const auto nowhere = free_address();
  auto& replica = cluster.add_replica({}, nowhere);
  ASSERT_TRUE(replica.start());
  const auto reply = replica.get("/v1/feeds");
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.code(), "replica_behind");
  EXPECT_EQ(reply.position(), "");
  EXPECT_EQ(replica.get("/readyz").status, 503);
  EXPECT_EQ(replica.get("/healthz").status, 200);
  EXPECT_EQ(replica.status("position"), "null");
  EXPECT_EQ(replica.status("lagMs"), "null");
  EXPECT_EQ(replica.status("state"), "connecting");
  EXPECT_EQ(replica.metric("feeds_lag_seconds"), std::nullopt);
  const auto write = replica.post("/v1/feeds");
  EXPECT_EQ(write.status, 503);
  EXPECT_EQ(write.code(), "no_primary");
}

TEST(ReadYourWrites, WriteSentToReplica_IsSentToThePrimary) {
  TestCluster cluster;
  auto& replica = cluster.start_replica();
  const auto feed = std::to_string(make_feed(cluster.primary()));
  ASSERT_TRUE(cluster.level());
  const auto before = replica.position();
  const auto reply = replica.post("/v1/feeds/" + feed, "text");
  EXPECT_EQ(reply.status, 307);
  EXPECT_EQ(reply.header("location"), cluster.primary().url() + "/v1/feeds/" + feed);
  EXPECT_EQ(replica.position(), before);
}

}  // namespace
}  // namespace feeds::test
