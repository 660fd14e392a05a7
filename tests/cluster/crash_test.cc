// SIGKILL, again and again: what was answered is there, and nobody needs a snapshot to go on.
#include <gtest/gtest.h>

#include "tests/cluster/load.h"
#include "tests/support/seed.h"

namespace feeds::test {
namespace {

constexpr int kKills = 20;

std::vector<std::uint64_t> make_feeds(TestNode& primary, int count) {
  std::vector<std::uint64_t> feeds;
  for (int i = 0; i < count; ++i) feeds.push_back(make_feed(primary));
  return feeds;
}

TEST(Crash, KilledPrimary_KeepsEveryAnsweredWrite) {
  std::minstd_rand random(static_cast<unsigned>(seed()));
  TestCluster cluster;
  cluster.start_replica();
  cluster.start_replica();
  Load load(cluster.primary().http(), make_feeds(cluster.primary(), 4), 8);
  ASSERT_TRUE(cluster.level());
  load.start();
  for (int i = 0; i < kKills; ++i) {
    ASSERT_TRUE(load.wait_for(1 + random() % 400)) << "kill " << i;
    cluster.primary().kill();
    ASSERT_TRUE(cluster.primary().start()) << "kill " << i;
  }
  ASSERT_TRUE(load.wait_for(100));
  load.stop();
  load.expect_all_on(cluster.primary());
  expect_equal(cluster);
  load.expect_all_on(cluster.replica(0));
  load.expect_all_on(cluster.replica(1));
}

TEST(Crash, KilledReplica_GoesOnFromWhereItWas) {
  std::minstd_rand random(static_cast<unsigned>(seed()));
  TestCluster cluster;
  cluster.start_replica();
  cluster.start_replica();
  Load load(cluster.primary().http(), make_feeds(cluster.primary(), 4), 8);
  ASSERT_TRUE(cluster.level());
  load.start();
  for (int i = 0; i < kKills; ++i) {
    ASSERT_TRUE(load.wait_for(1 + random() % 400)) << "kill " << i;
    auto& victim = cluster.replica(0);
    const auto before = victim.position();
    victim.kill();
    ASSERT_TRUE(victim.start()) << "kill " << i;
    // What it showed before is not lost again to readers for long, and it moves on.
    ASSERT_TRUE(eventually([&] {
      const auto now = victim.get("/v1/feeds?limit=1", {{"Feeds-Min-Position", before}});
      return now.status == 200;
    })) << "kill "
        << i;
  }
  load.stop();
  EXPECT_EQ(load.refusals().size(), 0u);
  ASSERT_TRUE(cluster.level());
  // A restarted process counts from zero: none of its lives but the first took a snapshot.
  EXPECT_EQ(cluster.replica(0).resyncs(), 0);
  EXPECT_EQ(cluster.replica(1).resyncs(), 1);
  const auto verified = cluster.verify();
  EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
  load.expect_all_on(cluster.replica(0));
}

// All that a killed node left for a snapshot is gone once it runs again.
void expect_no_leftovers(TestNode& node) {
  EXPECT_THAT(node.entries("incoming"), testing::IsEmpty());
  EXPECT_THAT(node.entries("checkpoint-"), testing::IsEmpty());
  EXPECT_THAT(node.entries("db-"), testing::SizeIs(1));
}

TEST(Crash, KilledReplicaAmidSnapshot_BeginsAgain) {
  TestCluster cluster;
  const auto feed = make_feed(cluster.primary());
  publish_many(cluster.primary().http(), feed, 3000, 8000);
  Proxy proxy(cluster.primary().replication());
  proxy.throttle(4 << 20);
  auto& replica = cluster.add_replica({}, proxy.address());
  for (int i = 0; i < 5; ++i) {
    const auto before = proxy.bytes(Proxy::Direction::kToClient);
    ASSERT_TRUE(replica.start());
    ASSERT_TRUE(eventually([&] {
      return replica.status("state") == "snapshot" &&
             proxy.bytes(Proxy::Direction::kToClient) > before + (1u << 20) * (i + 1);
    }));
    EXPECT_EQ(replica.get("/readyz").status, 503);
    EXPECT_EQ(replica.get("/v1/feeds").code(), "replica_behind");
    EXPECT_THAT(replica.entries("incoming"), testing::SizeIs(1));
    replica.kill();
  }
  proxy.resume();
  ASSERT_TRUE(replica.start());
  expect_equal(cluster);
  expect_no_leftovers(replica);
  EXPECT_TRUE(eventually([&] { return cluster.primary().entries("checkpoint-").empty(); }));
}

TEST(Crash, KilledPrimaryAmidSnapshot_LeavesNothingBehind) {
  TestCluster cluster;
  const auto feed = make_feed(cluster.primary());
  publish_many(cluster.primary().http(), feed, 3000, 8000);
  Proxy proxy(cluster.primary().replication());
  proxy.throttle(4 << 20);
  auto& replica = cluster.start_replica({}, proxy.address());
  for (int i = 0; i < 5; ++i) {
    const auto before = proxy.bytes(Proxy::Direction::kToClient);
    ASSERT_TRUE(eventually([&] {
      return replica.status("state") == "snapshot" &&
             proxy.bytes(Proxy::Direction::kToClient) > before + (1u << 20) * (i + 1);
    }));
    EXPECT_THAT(cluster.primary().entries("checkpoint-"), testing::SizeIs(1));
    cluster.primary().kill();
    ASSERT_TRUE(cluster.primary().start());
    EXPECT_EQ(cluster.primary().get("/v1/feeds?limit=1").status, 200);
  }
  proxy.resume();
  expect_equal(cluster);
  expect_no_leftovers(replica);
  EXPECT_TRUE(eventually([&] { return cluster.primary().entries("checkpoint-").empty(); }));
}

}  // namespace
}  // namespace feeds::test
