// Source and link over loopback TCP, with real stores: what happens when nothing is wrong, or when
// one side was away.
#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <atomic>
#include <thread>

#include "tests/unit/replication/nodes.h"

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
  EXPECT_EQ(resyncs(replica.metrics, "empty"), 1);
  EXPECT_EQ(replica.applied.current(), primary.head().position);
}

TEST(Cluster, LevelReplica_ShowsWhatItKnows) {
  PrimaryNode primary;
  primary.commit(10);
  primary.start();
  ReplicaNode replica;
  replica.start(primary.address());
  ASSERT_TRUE(eventually([&] { return replica.status().lag == 0ms; }));
  const auto status = replica.status();
  EXPECT_EQ(status.state, "tail");
  EXPECT_TRUE(status.connected);
  EXPECT_EQ(status.cluster_id, "c1");
  EXPECT_EQ(status.primary, "127.0.0.1:8080");
  EXPECT_EQ(status.head, primary.head().position);
  EXPECT_EQ(status.lag_sequences, 0u);
  EXPECT_EQ(replica.directory->identity().cluster_id, "c1");
  ASSERT_TRUE(eventually([&] {
    const auto peers = primary.source().peers();
    return peers.size() == 1 && peers[0].position == primary.head().position;
  }));
  const auto peer = primary.source().peers()[0];
  EXPECT_EQ(peer.node_id, "r1");
  EXPECT_EQ(peer.advertise, "127.0.0.1:8081");
  EXPECT_TRUE(peer.connected);
  EXPECT_EQ(peer.state, "tail");
  EXPECT_EQ(peer.lag, 0ms);
  EXPECT_EQ(peer.lag_sequences, 0u);
}

TEST(Cluster, BeforeAnyContact_NothingIsKnown) {
  ReplicaNode replica;
  replica.start("127.0.0.1:1");
  const auto status = replica.status();
  EXPECT_EQ(status.state, "connecting");
  EXPECT_FALSE(status.connected);
  EXPECT_EQ(status.lag, std::nullopt);
  EXPECT_EQ(status.lag_sequences, std::nullopt);
  EXPECT_EQ(status.head, std::nullopt);
  EXPECT_EQ(status.primary, std::nullopt);
}

TEST(Cluster, EmptyPrimary_IsFollowedFromItsFirstCommit) {
  PrimaryNode primary;
  primary.start();
  ReplicaNode replica;
  replica.start(primary.address());
  ASSERT_TRUE(eventually([&] { return replica.status().state == "tail"; }));
  primary.commit(3);
  ASSERT_TRUE(eventually([&] { return replica.level_with(primary); }));
  EXPECT_EQ(contents(*replica.store), contents(primary.store));
  EXPECT_EQ(resyncs(replica.metrics), 1);
}

TEST(Cluster, ReplicaThatWasAway_CatchesUpWithoutSnapshot) {
  PrimaryNode primary;
  primary.commit(10);
  primary.start();
  ReplicaNode replica;
  replica.start(primary.address());
  ASSERT_TRUE(eventually([&] { return replica.level_with(primary); }));
  replica.stop();
  primary.commit(300, 20'000);  // several frames
  primary.flush();              // and an archived log
  primary.commit(100);
  replica.start(primary.address());
  ASSERT_TRUE(eventually([&] { return replica.level_with(primary); }));
  EXPECT_EQ(resyncs(replica.metrics), 1);
  EXPECT_EQ(contents(*replica.store), contents(primary.store));
}

TEST(Cluster, SourceRestarts_ReplicaGoesOn) {
  PrimaryNode primary;
  primary.commit(10);
  primary.start();
  ReplicaNode replica;
  replica.start(primary.address());
  ASSERT_TRUE(eventually([&] { return replica.level_with(primary); }));
  for (int i = 0; i < 5; ++i) {
    primary.stop();
    primary.commit(20);
    primary.start();
    ASSERT_TRUE(eventually([&] { return replica.level_with(primary); })) << i;
  }
  EXPECT_EQ(resyncs(replica.metrics), 1);
  EXPECT_EQ(contents(*replica.store), contents(primary.store));
}

TEST(Cluster, PrimaryReopensItsDatabase_ReplicaComesBack) {
  PrimaryNode primary;
  primary.commit(10);
  primary.start();
  ReplicaNode replica;
  replica.start(primary.address());
  ASSERT_TRUE(eventually([&] { return replica.status().state == "tail"; }));
  // close() waits for every handle: the sessions must let go of their tails by themselves.
  primary.reopen();
  primary.commit(20);
  ASSERT_TRUE(eventually([&] { return replica.level_with(primary); }));
  EXPECT_EQ(resyncs(replica.metrics), 1);
}

TEST(Cluster, LogRotatesUnderATail_NothingIsMissed) {
  PrimaryNode primary;
  primary.commit(1);
  primary.start();
  ReplicaNode replica;
  replica.start(primary.address());
  ASSERT_TRUE(eventually([&] { return replica.level_with(primary); }));
  for (int i = 0; i < 20; ++i) {
    primary.commit(7);
    primary.flush();
  }
  ASSERT_TRUE(eventually([&] { return replica.level_with(primary); }));
  EXPECT_EQ(resyncs(replica.metrics), 1);
  EXPECT_EQ(contents(*replica.store), contents(primary.store));
}

TEST(Cluster, BatchLargerThanAFrame_Travels) {
  PrimaryNode primary;
  primary.commit(1);
  primary.start();
  ReplicaNode replica;
  replica.start(primary.address());
  primary.commit(3, 2'000'000);
  ASSERT_TRUE(eventually([&] { return replica.level_with(primary); }));
  primary.commit(3, 3'900'000);
  ASSERT_TRUE(eventually([&] { return replica.level_with(primary); }));
  EXPECT_EQ(contents(*replica.store), contents(primary.store));
}

TEST(Cluster, ReplicaWaitsForItsDisk_WithoutAReconnect) {
  PrimaryNode primary;
  primary.peer_timeout = 800ms;
  primary.commit(10);
  primary.start();
  ReplicaNode replica;
  replica.peer_timeout = 800ms;
  replica.start(primary.address());
  ASSERT_TRUE(eventually([&] { return replica.status().lag == 0ms; }));
  auto database = *replica.store->acquire();
  auto& rocks = database->rocks();
  // One file in level 0 stops writes now, as if flushes and compactions were behind.
  ASSERT_TRUE(rocks.PauseBackgroundWork().ok());
  ASSERT_TRUE(rocks
                  .SetOptions({{"level0_file_num_compaction_trigger", "1"},
                               {"level0_slowdown_writes_trigger", "1"},
                               {"level0_stop_writes_trigger", "1"}})
                  .ok());
  primary.commit(5);
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < 2s) {
    ASSERT_TRUE(replica.status().connected);
    ASSERT_TRUE(primary.source().peers()[0].connected);
    std::this_thread::sleep_for(5ms);
  }
  EXPECT_FALSE(replica.level_with(primary));
  EXPECT_GT(replica.status().lag, 500ms);
  ASSERT_TRUE(rocks
                  .SetOptions({{"level0_slowdown_writes_trigger", "20"},
                               {"level0_stop_writes_trigger", "36"}})
                  .ok());
  ASSERT_TRUE(rocks.ContinueBackgroundWork().ok());
  ASSERT_TRUE(eventually([&] { return replica.level_with(primary); }));
  EXPECT_EQ(resyncs(replica.metrics), 1);
}

TEST(Cluster, TwoReplicas_AreServedSideBySide) {
  PrimaryNode primary;
  primary.commit(200);
  primary.start();
  ReplicaNode one;
  ReplicaNode two;
  two.node_id = "r2";
  one.start(primary.address());
  two.start(primary.address());
  primary.commit(50);
  ASSERT_TRUE(eventually([&] { return one.level_with(primary) && two.level_with(primary); }));
  EXPECT_EQ(contents(*one.store), contents(*two.store));
  const auto peers = primary.source().peers();
  ASSERT_EQ(peers.size(), 2u);
  EXPECT_EQ(peers[0].node_id, "r1");
  EXPECT_EQ(peers[1].node_id, "r2");
}

TEST(Cluster, EveryCommit_IsAnnouncedOnceInOrderAndVisible) {
  PrimaryNode primary;
  primary.commit(1);
  primary.start();
  ReplicaNode replica;
  std::vector<std::uint64_t> seen;
  std::atomic<bool> visible{true};
  replica.on_applied = [&](const store::DatabasePtr& database,
                           const store::PositionRecord& record) {
    if (database->head() != record) visible = false;
    if (replica.applied.current() != record.position) visible = false;
    seen.push_back(record.position.sequence.value);
  };
  replica.start(primary.address());
  ASSERT_TRUE(eventually([&] { return replica.level_with(primary); }));
  primary.commit(500);
  ASSERT_TRUE(eventually([&] { return replica.level_with(primary); }));
  replica.stop();
  EXPECT_TRUE(visible);
  ASSERT_EQ(seen.size(), 501u);  // the snapshot, and each commit after it
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], 2 * (i + 1));
}

TEST(Cluster, ReplicaLeaves_IsListedAsDisconnectedWithoutLag) {
  PrimaryNode primary;
  primary.commit(1);
  primary.start();
  ReplicaNode replica;
  replica.start(primary.address());
  ASSERT_TRUE(eventually([&] { return replica.level_with(primary); }));
  const auto position = primary.head().position;
  ASSERT_TRUE(eventually([&] { return primary.source().peers()[0].position == position; }));
  replica.stop();
  ASSERT_TRUE(eventually([&] { return !primary.source().peers()[0].connected; }));
  const auto peer = primary.source().peers()[0];
  EXPECT_EQ(peer.state, "disconnected");
  EXPECT_EQ(peer.lag, std::nullopt);
  EXPECT_EQ(peer.lag_sequences, std::nullopt);
  EXPECT_EQ(peer.position, position);
}

TEST(Cluster, ListenAddressInUse_IsAnError) {
  PrimaryNode primary;
  primary.start();
  replication::Source::Options options;
  options.listen = primary.address();
  SequenceGate gate;
  replication::Source second(options, primary.store, gate, primary.metrics);
  const auto started = second.start();
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.error().code, Code::kBadParameter);
  EXPECT_NE(started.error().detail.find(primary.address()), std::string::npos);
}

std::uintmax_t archived_bytes(const store::Store& store) {
  std::uintmax_t sum = 0;
  std::error_code ignored;
  const auto archive = (*store.acquire())->directory() / "archive";
  for (const auto& entry : std::filesystem::directory_iterator(archive, ignored)) {
    sum += entry.file_size(ignored);
  }
  return sum;
}

// One that is restarted again and again, as where its disk is full, would else fill it with logs.
TEST(Cluster, OldLogs_AreRemovedHoweverShortANodeLives) {
  PrimaryNode primary;
  primary.commit(3, 100'000);
  primary.flush();
  primary.commit(1);
  ASSERT_GT(archived_bytes(primary.store), 300'000U);
  EXPECT_TRUE(eventually([&] {
    primary.start(0);
    primary.stop();
    return archived_bytes(primary.store) == 0;
  }));
}

TEST(Cluster, OldLogs_AreRemovedOnBothSides) {
  PrimaryNode primary;
  primary.commit(1);
  primary.start(100'000);
  ReplicaNode replica;
  replica.retain_wal = 100'000;
  replica.start(primary.address());
  ASSERT_TRUE(eventually([&] { return replica.level_with(primary); }));
  // 17 MiB rotate a log file on either side.
  primary.commit(34, 500'000);
  primary.flush();
  ASSERT_TRUE(eventually([&] { return replica.level_with(primary); }));
  ASSERT_TRUE(eventually([&] {
    primary.commit(1);
    return archived_bytes(primary.store) <= 100'000 && archived_bytes(*replica.store) <= 100'000;
  }));
  ASSERT_TRUE(eventually([&] { return replica.level_with(primary); }));
  EXPECT_EQ(resyncs(replica.metrics), 1);
}

}  // namespace
}  // namespace feeds::tests
