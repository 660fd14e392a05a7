// What the source cannot prove, or the log no longer holds, ends in a snapshot, once, with its
// reason.
#include <gtest/gtest.h>

#include <fstream>

#include "common/store/log_upkeep.h"
#include "common/store/view.h"
#include "tests/support/proxy.h"
#include "tests/unit/replication/nodes.h"

namespace feeds::tests {
namespace {

namespace fs = std::filesystem;

void flip_byte(const fs::path& path, std::uintmax_t offset) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(static_cast<std::streamoff>(offset));
  const char byte = static_cast<char>(file.get() ^ 0x20);
  file.seekp(static_cast<std::streamoff>(offset));
  file.put(byte);
  ASSERT_TRUE(file.good());
}

// A replica that followed `primary` and was then stopped.
void follow_and_stop(PrimaryNode& primary, ReplicaNode& replica) {
  replica.start(primary.address());
  ASSERT_TRUE(eventually([&] { return replica.level_with(primary); }));
  // The snapshot flushed what came before: these are in the log.
  primary.commit(10);
  ASSERT_TRUE(eventually([&] { return replica.level_with(primary); }));
  replica.stop();
}

void expect_one_resync(PrimaryNode& primary, ReplicaNode& replica, const std::string& reason) {
  ASSERT_TRUE(eventually([&] { return replica.level_with(primary); }));
  EXPECT_EQ(contents(*replica.store), contents(primary.store));
  EXPECT_EQ(resyncs(replica.metrics, reason), 1);
  EXPECT_EQ(resyncs(replica.metrics), 2);  // with the first one, of the empty replica
  EXPECT_EQ(metric(replica.metrics, "feeds_diverged_total"), reason == "diverged" ? 1 : 0);
  primary.commit(5);
  EXPECT_TRUE(eventually([&] { return replica.level_with(primary); }));
}

TEST(Resync, LogPurgedWhileAway) {
  PrimaryNode primary;
  primary.commit(10);
  primary.start();
  ReplicaNode replica;
  follow_and_stop(primary, replica);
  for (int i = 0; i < 5; ++i) {
    primary.commit(10);
    primary.flush();
  }
  store::purge_archived_wal(*primary.store.acquire(), 0, Sequence{UINT64_MAX});
  replica.start(primary.address());
  expect_one_resync(primary, replica, "wal_purged");
}

TEST(Resync, PrimaryLostItsTail_ReplicaIsAhead) {
  PrimaryNode primary;
  primary.commit(10);
  primary.start();
  ReplicaNode replica;
  follow_and_stop(primary, replica);
  primary.stop();
  primary.reopen([](const fs::path& directory) {
    for (const auto& entry : fs::directory_iterator(directory)) {
      if (entry.path().extension() == ".log") {
        fs::resize_file(entry.path(), entry.file_size() - 300);
      }
    }
  });
  ASSERT_LT(primary.head().position, replica.head().position);
  primary.start();
  replica.start(primary.address());
  expect_one_resync(primary, replica, "diverged");
}

TEST(Resync, PrimaryLostItsTailAndWroteOn) {
  PrimaryNode primary;
  primary.commit(10);
  primary.start();
  ReplicaNode replica;
  follow_and_stop(primary, replica);
  primary.stop();
  primary.reopen([](const fs::path& directory) {
    for (const auto& entry : fs::directory_iterator(directory)) {
      if (entry.path().extension() == ".log") {
        fs::resize_file(entry.path(), entry.file_size() - 300);
      }
    }
  });
  // The same sequences again, with other commits, and more.
  primary.commit(20, 77);
  ASSERT_GT(primary.head().position, replica.head().position);
  primary.start();
  replica.start(primary.address());
  expect_one_resync(primary, replica, "diverged");
}

TEST(Resync, DamagedLog_IsNeverSkipped) {
  PrimaryNode primary;
  primary.commit(10);
  primary.start();
  ReplicaNode replica;
  follow_and_stop(primary, replica);
  primary.commit(100);
  primary.flush();
  primary.commit(5);
  const auto log = primary.newest_archived_log();
  ASSERT_FALSE(log.empty());
  flip_byte(log, fs::file_size(log) / 2);
  replica.start(primary.address());
  expect_one_resync(primary, replica, "wal_unreadable");
  EXPECT_GE(metric(primary.metrics, "feeds_tail_reopen_total"), 1);
}

TEST(Resync, OtherCluster_IsRefusedAndNothingIsTouched) {
  PrimaryNode home("c1");
  home.commit(10);
  home.start();
  PrimaryNode other("c2");
  other.commit(30, 50);
  other.start();
  Proxy proxy(home.address());
  ReplicaNode replica;
  replica.start(proxy.address());
  ASSERT_TRUE(eventually([&] { return replica.level_with(home); }));
  const auto before = contents(*replica.store);
  proxy.set_target(other.address());
  proxy.cut();
  ASSERT_TRUE(eventually([&] { return replica.status().state == "refused"; }));
  EXPECT_FALSE(replica.status().connected);
  EXPECT_EQ(contents(*replica.store), before);
  EXPECT_EQ(replica.directory->identity().cluster_id, "c1");
  EXPECT_TRUE(other.source().peers().empty());
  // It dials on, and is home again without a snapshot.
  proxy.set_target(home.address());
  home.commit(5);
  ASSERT_TRUE(eventually([&] { return replica.level_with(home); }));
  EXPECT_EQ(resyncs(replica.metrics), 1);
}

TEST(Resync, NewerEpoch_IsRefused) {
  PrimaryNode primary;
  primary.commit(10);
  primary.start();
  ReplicaNode replica;
  follow_and_stop(primary, replica);
  // As if the source had been put back to a time before the epoch.
  primary.durable.reset(Position{{0}, {40}});
  replica.start(primary.address());
  ASSERT_TRUE(eventually([&] { return replica.status().state == "refused"; }));
  EXPECT_EQ(resyncs(replica.metrics), 1);
}

TEST(Resync, CutInTheMiddle_StartsAgainAndCountsOnce) {
  PrimaryNode primary;
  primary.commit(10, 3'000'000);
  primary.start();
  Proxy proxy(primary.address());
  proxy.throttle(4'000'000);
  ReplicaNode replica;
  replica.start(proxy.address());
  for (int i = 1; i <= 3; ++i) {
    const auto passed = proxy.bytes(Proxy::Direction::kToClient);
    ASSERT_TRUE(
        eventually([&] { return proxy.bytes(Proxy::Direction::kToClient) > passed + 1'500'000; }));
    EXPECT_EQ(replica.status().state, "snapshot");
    EXPECT_EQ(replica.head().position.sequence.value, 0u);
    proxy.cut();
  }
  proxy.resume();
  ASSERT_TRUE(eventually([&] { return replica.level_with(primary); }));
  EXPECT_EQ(resyncs(replica.metrics), 1);
  EXPECT_EQ(contents(*replica.store), contents(primary.store));
  EXPECT_FALSE(fs::exists(replica.path() / "incoming"));
  // Nothing of the abandoned checkpoints stays on the primary.
  ASSERT_TRUE(eventually([&] {
    for (const auto& entry : fs::directory_iterator(primary.path())) {
      if (entry.path().filename().string().starts_with("checkpoint-")) return false;
    }
    return true;
  }));
}

TEST(Resync, HeartbeatsGoOnDuringASlowSnapshot) {
  PrimaryNode primary;
  primary.peer_timeout = 1'000ms;
  primary.commit(4, 3'000'000);
  primary.start();
  Proxy proxy(primary.address());
  proxy.throttle(4'000'000);  // 3 s and more, several times the timeout
  ReplicaNode replica;
  replica.peer_timeout = 1'000ms;
  replica.start(proxy.address());
  primary.commit(5);
  ASSERT_TRUE(eventually([&] { return replica.level_with(primary); }));
  EXPECT_EQ(proxy.connections(), 1u);
}

TEST(Resync, LogIsKeptForASnapshotUnderWay) {
  PrimaryNode primary;
  primary.commit(4, 3'000'000);
  primary.start(0);  // keeps no archived log of its own accord
  Proxy proxy(primary.address());
  proxy.throttle(4'000'000);
  ReplicaNode replica;
  replica.start(proxy.address());
  ASSERT_TRUE(eventually([&] { return replica.status().state == "snapshot"; }));
  ASSERT_TRUE(eventually([&] {
    if (replica.status().state == "tail") return true;
    primary.commit(5);
    primary.flush();
    return false;
  }));
  ASSERT_TRUE(eventually([&] { return replica.level_with(primary); }));
  EXPECT_EQ(resyncs(replica.metrics), 1);
  EXPECT_EQ(proxy.connections(), 1u);
  EXPECT_EQ(contents(*replica.store), contents(primary.store));
}

TEST(Resync, ReadersGoOnDuringTheSwap) {
  PrimaryNode primary;
  primary.commit(10);
  primary.start();
  ReplicaNode replica;
  follow_and_stop(primary, replica);
  for (int i = 0; i < 3; ++i) {
    primary.commit(10);
    primary.flush();
  }
  store::purge_archived_wal(*primary.store.acquire(), 0, Sequence{UINT64_MAX});
  Proxy proxy(primary.address());
  proxy.blackhole(Proxy::Direction::kBoth);
  replica.start(proxy.address());
  auto old = replica.store->acquire();
  ASSERT_TRUE(old.ok());
  auto view = std::make_unique<store::View>(*old);
  proxy.resume();
  // New reads see the new database while the old one is still held.
  ASSERT_TRUE(eventually([&] { return replica.level_with(primary); }));
  EXPECT_TRUE((*old)->retired());
  EXPECT_EQ(view->position().sequence.value, 40u);
  EXPECT_TRUE(view->seek(std::string_view("\0", 1)));
  view.reset();
  *old = nullptr;
  ASSERT_TRUE(eventually([&] { return replica.status().state == "tail"; }));
  EXPECT_EQ(resyncs(replica.metrics, "wal_purged"), 1);
}

}  // namespace
}  // namespace feeds::tests
