// Source and link over loopback TCP, with real stores.
#include "tests/unit/replication/nodes.h"

#include <gtest/gtest.h>

namespace feeds::tests {
namespace {

TEST(Cluster, EmptyReplica_ReceivesSnapshotThenTails) {
  PrimaryNode primary;
  primary.commit(100);
  primary.start();
  ReplicaNode replica;
  replica.start(primary.address());
  ASSERT_TRUE(eventually([&] { return replica.level_with(primary); }));
  primary.commit(50);
  ASSERT_TRUE(eventually([&] { return replica.level_with(primary); }));
  EXPECT_EQ(contents(*replica.store), contents(primary.store));
  EXPECT_EQ(metric(replica.metrics, "feeds_resync_total{reason=\"empty\"}"), 1);
  ASSERT_TRUE(eventually([&] { return replica.status().lag == 0ms; }));
  EXPECT_EQ(replica.status().state, "tail");
  EXPECT_TRUE(replica.status().connected);
  EXPECT_EQ(replica.status().cluster_id, "c1");
  EXPECT_EQ(replica.status().primary, "127.0.0.1:8080");
  ASSERT_TRUE(eventually([&] {
    const auto peers = primary.source().peers();
    return peers.size() == 1 && peers[0].position == primary.head().position;
  }));
  const auto peer = primary.source().peers()[0];
  EXPECT_EQ(peer.node_id, "r1");
  EXPECT_EQ(peer.advertise, "127.0.0.1:8081");
  EXPECT_EQ(peer.state, "tail");
  EXPECT_EQ(peer.lag, 0ms);
  EXPECT_EQ(peer.lag_sequences, 0u);
}

}  // namespace
}  // namespace feeds::tests
