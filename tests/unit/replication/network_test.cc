// A network that cuts, delays, stops passing bytes or changes them.
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "tests/support/proxy.h"
#include "tests/unit/replication/nodes.h"

namespace feeds::tests {
namespace {

using Direction = Proxy::Direction;

class Network : public ::testing::Test {
 protected:
  void SetUp() override {
    RecordProperty("seed", std::to_string(seed_));
    std::cout << "seed " << seed_ << '\n';
  }

  void begin(std::chrono::milliseconds peer_timeout = 2'000ms) {
    primary_.peer_timeout = peer_timeout;
    replica_.peer_timeout = peer_timeout;
    primary_.commit(20);
    primary_.start();
    proxy_ = std::make_unique<Proxy>(primary_.address());
    replica_.start(proxy_->address());
    ASSERT_TRUE(eventually([&] { return replica_.level_with(primary_); }));
    ASSERT_TRUE(eventually([&] { return replica_.status().lag == 0ms; }));
    // The primary knows it too: what befalls the network next may keep that from it.
    ASSERT_TRUE(eventually([&] { return primary_.source().peers().at(0).lag_sequences == 0u; }));
  }

  void expect_level_without_snapshot() {
    ASSERT_TRUE(eventually([&] { return replica_.level_with(primary_); }));
    EXPECT_EQ(contents(*replica_.store), contents(primary_.store));
    EXPECT_EQ(resyncs(replica_.metrics), 1);  // the first one
  }

  void expect_new_connection(std::uint64_t than) {
    ASSERT_TRUE(eventually([&] { return proxy_->connections() > than; }));
    primary_.commit(1);
    ASSERT_TRUE(eventually([&] { return replica_.level_with(primary_); }));
  }

  double checksum_errors() const {
    return metric(primary_.metrics, "feeds_checksum_errors_total") +
           metric(replica_.metrics, "feeds_checksum_errors_total");
  }

  std::uint64_t random(std::uint64_t below) { return random_() % below; }

  const std::uint64_t seed_ = std::random_device{}();
  std::mt19937_64 random_{seed_};
  PrimaryNode primary_;
  ReplicaNode replica_;
  std::unique_ptr<Proxy> proxy_;
};

TEST_F(Network, CutOftenUnderLoad_NothingIsLostOrRepeated) {
  begin();
  std::atomic<bool> done{false};
  std::thread writer([&] {
    while (!done) primary_.commit(1, 100 + random(3) * 5'000);
  });
  for (int i = 0; i < 20; ++i) {
    const auto connections = proxy_->connections();
    proxy_->cut();
    EXPECT_TRUE(eventually([&] { return proxy_->connections() > connections; }));
    const auto applied = replica_.head().position;
    EXPECT_TRUE(eventually([&] { return replica_.head().position > applied; }));
  }
  done = true;
  writer.join();
  expect_level_without_snapshot();
}

TEST_F(Network, AnyFlippedByteOfTheSource_IsCountedOnceAndRepaired) {
  begin();
  // Offsets over heartbeats, returns, the headers of frames and their data.
  for (int i = 1; i <= 25; ++i) {
    const auto connections = proxy_->connections();
    proxy_->flip(Direction::kToClient, random(1500));
    ASSERT_TRUE(eventually([&] {
      primary_.commit(1, 700);
      return checksum_errors() >= i;
    })) << "flip "
        << i << ", flipped: " << proxy_->flipped();
    EXPECT_EQ(metric(replica_.metrics, "feeds_checksum_errors_total"), i);
    expect_new_connection(connections);
  }
  EXPECT_EQ(metric(primary_.metrics, "feeds_checksum_errors_total"), 0);
  expect_level_without_snapshot();
  // And RocksDB opens what it wrote.
  replica_.stop();
  replica_.start(proxy_->address());
  expect_level_without_snapshot();
}

TEST_F(Network, AnyFlippedByteOfTheReplica_IsCountedOnceAndRepaired) {
  begin();
  for (int i = 1; i <= 25; ++i) {
    const auto connections = proxy_->connections();
    proxy_->flip(Direction::kToTarget, random(600));
    ASSERT_TRUE(eventually([&] {
      primary_.commit(1);
      return checksum_errors() >= i;
    })) << "flip "
        << i << ", flipped: " << proxy_->flipped();
    EXPECT_EQ(metric(primary_.metrics, "feeds_checksum_errors_total"), i);
    expect_new_connection(connections);
  }
  EXPECT_EQ(metric(replica_.metrics, "feeds_checksum_errors_total"), 0);
  expect_level_without_snapshot();
}

TEST_F(Network, FlippedByteOfASnapshot_IsNotOpened) {
  primary_.commit(20, 200'000);
  primary_.start();
  proxy_ = std::make_unique<Proxy>(primary_.address());
  proxy_->flip(Direction::kToClient, 1'000'000 + random(2'000'000));
  replica_.start(proxy_->address());
  ASSERT_TRUE(eventually([&] { return replica_.level_with(primary_); }));
  EXPECT_TRUE(proxy_->flipped());
  EXPECT_EQ(checksum_errors(), 1);
  expect_level_without_snapshot();
}

TEST_F(Network, BlackHole_BothSidesNoticeAndCatchUpAfter) {
  begin();
  proxy_->blackhole(Direction::kBoth);
  primary_.commit(10);
  // Before it is dropped, the primary knows how old the first commit is that was not acknowledged.
  EXPECT_TRUE(eventually([&] {
    const auto peer = primary_.source().peers()[0];
    return peer.lag > 200ms && peer.lag_sequences == 20u;
  }));
  ASSERT_TRUE(eventually(
      [&] { return !replica_.status().connected && !primary_.source().peers()[0].connected; }));
  EXPECT_EQ(primary_.source().peers()[0].lag, std::nullopt);
  EXPECT_EQ(replica_.status().state, "connecting");
  // The replica was last level until its newest heartbeat was 2 s old.
  ASSERT_TRUE(eventually([&] { return replica_.status().lag > 300ms; }));
  const auto earlier = *replica_.status().lag;
  ASSERT_TRUE(eventually([&] { return *replica_.status().lag > earlier + 200ms; }));
  proxy_->resume();
  proxy_->cut();
  expect_level_without_snapshot();
  ASSERT_TRUE(eventually([&] { return replica_.status().lag == 0ms; }));
}

TEST_F(Network, ReplicaIsNotHeard_TheSourceDropsIt) {
  begin(600ms);
  proxy_->blackhole(Direction::kToTarget);
  primary_.commit(10);
  ASSERT_TRUE(eventually([&] { return !primary_.source().peers()[0].connected; }));
  proxy_->resume();
  proxy_->cut();
  expect_level_without_snapshot();
}

TEST_F(Network, SourceIsNotHeard_TheReplicaDialsAgain) {
  begin(600ms);
  proxy_->blackhole(Direction::kToClient);
  primary_.commit(10);
  ASSERT_TRUE(eventually([&] { return !replica_.status().connected; }));
  EXPECT_FALSE(replica_.level_with(primary_));
  const auto connections = proxy_->connections();
  ASSERT_TRUE(eventually([&] { return proxy_->connections() > connections; }));
  proxy_->resume();
  expect_level_without_snapshot();
}

TEST_F(Network, IdleForLongerThanTheTimeout_StaysConnected) {
  begin(800ms);
  const auto connections = proxy_->connections();
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(eventually([&] {
    EXPECT_EQ(replica_.status().lag, 0ms);
    return std::chrono::steady_clock::now() - start > 2'000ms;
  }));
  EXPECT_EQ(proxy_->connections(), connections);
}

TEST_F(Network, LongDelay_OnlyDelays) {
  begin();
  const auto connections = proxy_->connections();
  proxy_->delay(200ms);
  const auto start = std::chrono::steady_clock::now();
  primary_.commit(200);
  ASSERT_TRUE(eventually([&] { return replica_.level_with(primary_); }));
  EXPECT_GE(std::chrono::steady_clock::now() - start, 200ms);
  EXPECT_EQ(proxy_->connections(), connections);
  expect_level_without_snapshot();
}

TEST_F(Network, SlowLink_LagGrowsWithoutReconnects) {
  begin(1'000ms);
  const auto connections = proxy_->connections();
  proxy_->throttle(400'000);
  primary_.commit(1, 2'000'000);  // a frame that takes 5 s, longer than the timeout
  ASSERT_TRUE(eventually([&] {
    const auto lag = replica_.status().lag;
    return lag && *lag > 1'500ms;
  }));
  EXPECT_EQ(proxy_->connections(), connections);
  EXPECT_TRUE(replica_.status().connected);
  proxy_->resume();
  expect_level_without_snapshot();
}

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  file >> pages >> pages;
  return pages * 4096;
}

TEST_F(Network, ReplicaThatDoesNotRead_CostsABoundedBuffer) {
  begin(20'000ms);
  // The memtables are full after this, so what grows later is not theirs.
  primary_.commit(40, 2'000'000);
  ASSERT_TRUE(eventually([&] { return replica_.level_with(primary_); }));
  proxy_->blackhole(Direction::kToClient);
  primary_.commit(10, 2'000'000);
  const auto before = resident_bytes();
  primary_.commit(60, 2'000'000);
  const auto after = resident_bytes();
  EXPECT_LT(after, before + 60'000'000) << "of 120 MB written";
  EXPECT_TRUE(primary_.source().peers()[0].connected);
  proxy_->resume();
  expect_level_without_snapshot();
}

TEST_F(Network, StopsAtOnceWhateverTheNetworkDoes) {
  begin(20'000ms);
  proxy_->blackhole(Direction::kBoth);
  primary_.commit(10, 1'000'000);
  const auto start = std::chrono::steady_clock::now();
  replica_.stop();
  primary_.stop();
  EXPECT_LT(std::chrono::steady_clock::now() - start, 15s);
}

TEST_F(Network, GarbageOnThePort_HarmsNobody) {
  begin();
  // A second link whose every connection is to something else than a source, and the other way
  // round.
  Proxy crossed(primary_.address());
  crossed.flip(Direction::kToTarget, 3);
  ReplicaNode stranger;
  stranger.node_id = "r2";
  stranger.start(crossed.address());
  ASSERT_TRUE(eventually([&] { return crossed.flipped(); }));
  primary_.commit(10);
  expect_level_without_snapshot();
  ASSERT_TRUE(eventually([&] { return stranger.level_with(primary_); }));
}

}  // namespace
}  // namespace feeds::tests
