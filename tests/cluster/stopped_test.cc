// Processes that are stopped, not dead: TCP says nothing about them.
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/cluster/load.h"

namespace feeds::test {
namespace {

using namespace std::chrono_literals;

Settings short_timers() {
  return {{"replication.peer_timeout", "1s"}, {"replication.heartbeat", "100ms"}};
}

TEST(Stopped, Replica_CostsThePrimaryNoMemoryAndCatchesUp) {
  TestCluster cluster(short_timers());
  auto& primary = cluster.primary();
  auto& replica = cluster.start_replica();
  auto& other = cluster.start_replica();
  Load load(primary.http(), {make_feed(primary), make_feed(primary)}, 4, 20'000);
  ASSERT_TRUE(cluster.level());
  load.start();
  ASSERT_TRUE(load.wait_for(500));
  const auto id = replica.status("nodeId");
  const auto memory = primary.process().resident();

  replica.process().signal(SIGSTOP);
  ASSERT_TRUE(eventually([&] { return primary.peer(id).at("state") == "disconnected"; }));
  const auto peer = primary.peer(id);
  EXPECT_FALSE(peer.at("connected").as_bool());
  EXPECT_TRUE(peer.at("lagMs").is_null());
  ASSERT_TRUE(load.wait_for(3000));
  // 60 MB were written since: less than that may be kept for it (memtables have their own 32 MiB).
  EXPECT_LT(primary.process().resident(), memory + (50u << 20));
  // The other one keeps up.
  ASSERT_TRUE(eventually([&] { return other.lag() == 0; }));

  replica.process().signal(SIGCONT);
  ASSERT_TRUE(load.wait_for(200));
  load.stop();
  expect_equal(cluster);
  EXPECT_EQ(load.refusals().size(), 0u);
  load.expect_all_on(replica);
}

TEST(Stopped, Primary_LeavesReplicasServingWithALagThatGrows) {
  TestCluster cluster(short_timers());
  auto& primary = cluster.primary();
  auto& replica = cluster.start_replica({{"replication.max_lag", "1s"}});
  const auto target = "/v1/feeds/" + std::to_string(make_feed(primary));
  ASSERT_EQ(primary.post(target, "before").status, 201);
  ASSERT_TRUE(cluster.level());
  ASSERT_TRUE(eventually([&] { return replica.lag() == 0; }));
  const auto page = replica.get(target);

  primary.process().signal(SIGSTOP);
  ASSERT_TRUE(eventually([&] { return replica.lag().value_or(0) > 1000; }));
  EXPECT_EQ(replica.get("/readyz").status, 503);
  ASSERT_TRUE(eventually([&] { return replica.metric("feeds_replication_connected") == 0; }));
  const auto first = replica.lag();
  ASSERT_TRUE(first.has_value());
  ASSERT_TRUE(eventually([&] { return replica.lag() > *first + 1000; }));
  EXPECT_EQ(replica.get(target).body, page.body);
  EXPECT_EQ(replica.get(target).position(), page.position());
  // It still knows where writes go.
  EXPECT_EQ(replica.post(target, "x").status, 307);

  primary.process().signal(SIGCONT);
  EXPECT_TRUE(eventually([&] { return replica.get("/readyz").status == 200; }));
  ASSERT_EQ(primary.post(target, "after").status, 201);
  expect_equal(cluster);
}

}  // namespace
}  // namespace feeds::test
