// A network that cuts, delays, falls silent and damages what it carries.
#include <gtest/gtest.h>

#include "tests/cluster/load.h"

namespace feeds::test {
namespace {

using namespace std::chrono_literals;
using Direction = Proxy::Direction;

constexpr const char* kChecksumErrors = "feeds_checksum_errors_total";

// A primary, a replica behind a proxy, and a feed; timers short.
class Network : public testing::Test {
 protected:
  Network() : cluster_(settings()), proxy_(cluster_.primary().replication()) {
    cluster_.start_replica({{"replication.max_lag", "1s"}}, proxy_.address());
    target_ = "/v1/feeds/" + std::to_string(make_feed(primary()));
  }

  static Settings settings() {
    return {{"replication.peer_timeout", "1s"}, {"replication.heartbeat", "100ms"}};
  }

  void SetUp() override {
    ASSERT_TRUE(cluster_.level());
    ASSERT_TRUE(eventually([&] { return replica().lag() == 0; }));
    ASSERT_EQ(replica().get("/readyz").status, 200);
  }

  TestNode& primary() { return cluster_.primary(); }
  TestNode& replica() { return cluster_.replica(0); }
  void publish(const std::string& text) { ASSERT_EQ(primary().post(target_, text).status, 201); }

  // What both sides say while they cannot reach each other.
  void expect_apart() {
    const auto id = replica().status("nodeId");
    // The timers are 1 s, and the fresh head of a heartbeat is one for 2 s.
    ASSERT_TRUE(eventually([&] { return replica().lag().value_or(0) > 1000; }));
    EXPECT_EQ(replica().get("/readyz").status, 503);
    ASSERT_TRUE(eventually([&] { return replica().metric("feeds_replication_connected") == 0; }));
    ASSERT_TRUE(eventually([&] { return primary().peer(id).at("state") == "disconnected"; }));
    // A replica that can still be heard dials again, and counts as connected until the timer: then
    // the age of what it lacks is known. Else nothing is.
    const auto peer = primary().peer(id);
    if (peer.at("connected").as_bool()) {
      EXPECT_GT(peer.at("lagMs").to_number<std::int64_t>(), 1000);
    } else {
      EXPECT_TRUE(peer.at("lagMs").is_null());
      EXPECT_TRUE(peer.at("lagSequences").is_null());
    }
    // It grows, and is never nothing or unknown again.
    std::int64_t before = 0;
    const auto until = std::chrono::steady_clock::now() + 1500ms;
    while (std::chrono::steady_clock::now() < until) {
      const auto lag = replica().lag();
      ASSERT_TRUE(lag.has_value());
      ASSERT_GE(*lag, before);
      before = *lag;
    }
    EXPECT_GT(before, 2000);
    EXPECT_GT(replica().metric("feeds_lag_seconds").value_or(0), 2.0);
    EXPECT_EQ(replica().get(target_).status, 200);
  }

  void expect_together() {
    expect_equal(cluster_);
    EXPECT_TRUE(eventually([&] { return replica().get("/readyz").status == 200; }));
    EXPECT_TRUE(eventually([&] { return replica().lag() == 0; }));
    const auto id = replica().status("nodeId");
    EXPECT_TRUE(eventually([&] { return primary().peer(id).at("lagMs") == 0; }));
    const auto peer = primary().peer(id);
    EXPECT_TRUE(peer.at("connected").as_bool());
    EXPECT_EQ(peer.at("state").as_string(), "tail");
    EXPECT_EQ(peer.at("position").as_string(), primary().position());
    EXPECT_EQ(peer.at("advertise").as_string(), replica().http());
  }

  TestCluster cluster_;
  Proxy proxy_;
  std::string target_;
};

TEST_F(Network, Cut_IsShownAndCaughtUpByTail) {
  proxy_.cut(true);
  publish("while apart");
  expect_apart();
  proxy_.resume();
  expect_together();
}

TEST_F(Network, CutWithoutWrites_IsShownToo) {
  proxy_.cut(true);
  expect_apart();
  proxy_.resume();
  expect_together();
}

TEST_F(Network, CutAgainAndAgainUnderLoad_LosesNothing) {
  Load load(primary().http(), {10000}, 4);
  load.start();
  for (int i = 0; i < 20; ++i) {
    const auto connections = proxy_.connections();
    proxy_.cut();
    ASSERT_TRUE(eventually([&] { return proxy_.connections() > connections; }));
    ASSERT_TRUE(load.wait_for(20));
  }
  load.stop();
  expect_together();
  load.expect_all_on(replica());
}

class Silence : public Network, public testing::WithParamInterface<Direction> {};

TEST_P(Silence, EndsByTheTimersAndIsCaughtUpByTail) {
  proxy_.blackhole(GetParam());
  publish("in silence");
  expect_apart();
  // Whoever dials meanwhile gets no answer; that must not be mistaken for one.
  publish("in silence still");
  proxy_.resume();
  expect_together();
}

std::string direction_name(const testing::TestParamInfo<Direction>& direction) {
  switch (direction.param) {
    case Direction::kToTarget:
      return "ToPrimary";
    case Direction::kToClient:
      return "ToReplica";
    case Direction::kBoth:
      break;
  }
  return "Both";
}

INSTANTIATE_TEST_SUITE_P(Directions, Silence,
                         testing::Values(Direction::kToTarget, Direction::kToClient,
                                         Direction::kBoth),
                         direction_name);

TEST_F(Network, SilenceUnderLoad_HoldsUpNoWriter) {
  Load load(primary().http(), {10000}, 4, 20'000);
  load.start();
  ASSERT_TRUE(load.wait_for(100));
  proxy_.blackhole(Direction::kBoth);
  const auto memory = primary().process().resident();
  ASSERT_TRUE(load.wait_for(1000));
  const auto id = replica().status("nodeId");
  ASSERT_TRUE(eventually([&] { return primary().peer(id).at("state") == "disconnected"; }));
  EXPECT_LT(primary().process().resident(), memory + (200u << 20));
  proxy_.resume();
  load.stop();
  expect_together();
  EXPECT_EQ(load.refusals().size(), 0u);
  load.expect_all_on(replica());
}

TEST_F(Network, Delay_IsSeenAsLagAndEndsNoSession) {
  const auto connections = proxy_.connections();
  proxy_.delay(300ms);
  const auto id = replica().status("nodeId");
  const auto position = [&] { return primary().peer(id).at("position").as_string(); };
  for (int i = 0; i < 5; ++i) {
    const auto began = std::chrono::steady_clock::now();
    publish("delayed " + std::to_string(i));
    const auto here = primary().position();
    ASSERT_TRUE(eventually([&] { return replica().position() == here; }));
    EXPECT_GE(std::chrono::steady_clock::now() - began, 300ms);
    ASSERT_TRUE(eventually([&] { return position() == here; }));
    EXPECT_GE(std::chrono::steady_clock::now() - began, 600ms);
  }
  Load load(primary().http(), {10000}, 4);
  load.start();
  ASSERT_TRUE(load.wait_for(50));
  ASSERT_TRUE(eventually([&] {
    const auto peer = primary().peer(id);
    return peer.at("lagMs").is_int64() && peer.at("lagMs").as_int64() >= 300;
  }));
  ASSERT_TRUE(load.wait_for(200));
  load.stop();
  EXPECT_EQ(proxy_.connections(), connections);
  proxy_.resume();
  expect_together();
}

TEST_F(Network, SlowLink_FallsBehindAndEndsNoSession) {
  // Less in all than the proxy holds: a window that it closes would end the session, by TCP's own
  // timer.
  proxy_.throttle(100'000);
  const auto connections = proxy_.connections();
  // At once, so that a slow disk is not slower than the link.
  publish_many(primary().http(), 10000, 8, 62'000);
  EXPECT_NE(replica().position(), primary().position());
  EXPECT_TRUE(eventually([&] { return replica().lag().value_or(0) > 1000; }));
  expect_together();
  EXPECT_EQ(proxy_.connections(), connections);
}

TEST_F(Network, FirstFrameOnASlowLink_MayTakeLongerThanTheTimers) {
  proxy_.cut(true);
  publish_many(primary().http(), 10000, 90, 10'000);
  proxy_.throttle(250'000);  // 3.6 s for the one frame
  proxy_.cut(false);
  ASSERT_TRUE(cluster_.level());
  const auto connections = proxy_.connections();
  expect_together();
  EXPECT_EQ(proxy_.connections(), connections);
  EXPECT_LE(connections, 3u);
}

TEST_F(Network, SnapshotOnASlowLink_MayTakeLongerThanTheTimers) {
  publish_many(primary().http(), 10000, 90, 10'000);
  Proxy slow(primary().replication());
  slow.throttle(250'000);
  cluster_.start_replica({}, slow.address());
  expect_equal(cluster_);
  EXPECT_EQ(slow.connections(), 1u);
}

TEST_F(Network, FlippedByteOfABatch_IsFoundAndSentAgain) {
  EXPECT_EQ(replica().metric(kChecksumErrors), 0);
  const auto connections = proxy_.connections();
  proxy_.flip(Direction::kToClient, 100'000);
  proxy_.flip(Direction::kToTarget, 1u << 30);
  publish(noise(500'000, 1));
  ASSERT_TRUE(eventually([&] { return replica().metric(kChecksumErrors) == 1; }));
  publish("after it");
  expect_together();
  EXPECT_EQ(replica().metric(kChecksumErrors), 1);
  EXPECT_EQ(replica().metric("feeds_diverged_total"), 0);
  EXPECT_EQ(proxy_.connections(), connections + 1);
}

// Wherever it is: in the framing of a message, in a hello, in a heartbeat, in an acknowledgement.
TEST_F(Network, FlippedByteAnywhere_CostsAtMostTheSession) {
  for (const auto direction : {Direction::kToClient, Direction::kToTarget}) {
    for (std::uint64_t offset = 0; offset < 600; offset += 23) {
      proxy_.resume();
      // One direction at a time: the other's turn never comes.
      proxy_.flip(Direction::kBoth, 1u << 30);
      proxy_.flip(direction, offset);
      proxy_.cut();
      publish("flip at " + std::to_string(offset));
      const auto here = primary().position();
      ASSERT_TRUE(eventually([&] { return replica().position() == here; }))
          << "offset " << offset << ", to "
          << (direction == Direction::kToClient ? "replica" : "primary");
      ASSERT_EQ(replica().status("state") == "refused", false);
    }
  }
  proxy_.resume();
  expect_together();
  EXPECT_EQ(replica().metric("feeds_diverged_total"), 0);
}

}  // namespace
}  // namespace feeds::test
