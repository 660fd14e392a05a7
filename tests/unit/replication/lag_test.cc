#include <gtest/gtest.h>

#include "common/base/limits.h"
#include "primary/replication/peers.h"
#include "replica/replication/link_loop.h"
#include "replica/replication/link_state.h"

namespace feeds::replication {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

const TimePoint kStart = TimePoint() + 1h;

TEST(LagClock, IsUnknownUntilLevel) {
  LagClock clock;
  EXPECT_EQ(clock.lag(kStart), std::nullopt);
  clock.applied(10, kStart);
  EXPECT_EQ(clock.lag(kStart), std::nullopt);
  clock.told(20, kStart);
  EXPECT_EQ(clock.lag(kStart + 5s), std::nullopt);
  clock.applied(20, kStart + 1s);
  EXPECT_EQ(clock.lag(kStart + 1s), 0ms);
}

TEST(LagClock, IsZeroWhileLevelWithAFreshHead) {
  LagClock clock;
  clock.applied(10, kStart);
  clock.told(10, kStart);
  EXPECT_EQ(clock.lag(kStart), 0ms);
  EXPECT_EQ(clock.lag(kStart + 1999ms), 0ms);
  EXPECT_EQ(clock.lag(kStart + 2s), 0ms);
  EXPECT_EQ(clock.lag(kStart + 7s), 5s);
}

TEST(LagClock, CountsFromTheMomentItFellBehind) {
  LagClock clock;
  clock.applied(10, kStart);
  clock.told(10, kStart);
  clock.told(12, kStart + 500ms);
  EXPECT_EQ(clock.lag(kStart + 500ms), 0ms);
  EXPECT_EQ(clock.lag(kStart + 800ms), 300ms);
  clock.told(14, kStart + 1000ms);
  clock.applied(12, kStart + 1100ms);
  EXPECT_EQ(clock.lag(kStart + 1100ms), 600ms);
  clock.applied(14, kStart + 1200ms);
  EXPECT_EQ(clock.lag(kStart + 1200ms), 0ms);
}

TEST(LagClock, HeadThatIsStale_ProvesNothing) {
  LagClock clock;
  clock.applied(10, kStart);
  clock.told(10, kStart);
  clock.told(20, kStart + 100ms);
  // Level with it only when nobody knows any more whether it is the head.
  clock.applied(20, kStart + 5s);
  EXPECT_EQ(clock.lag(kStart + 6s), 5900ms);
  clock.told(20, kStart + 7s);
  EXPECT_EQ(clock.lag(kStart + 7s), 0ms);
}

TEST(LagClock, ComingBackAfterSilence_IsLevelAtOnce) {
  LagClock clock;
  clock.applied(10, kStart);
  clock.told(10, kStart);
  EXPECT_EQ(clock.lag(kStart + 60s), 58s);
  clock.told(11, kStart + 60s);
  EXPECT_EQ(clock.lag(kStart + 60s), 58s);
  clock.applied(11, kStart + 60s);
  EXPECT_EQ(clock.lag(kStart + 60s), 0ms);
}

TEST(LagClock, AnotherHistory_IsUnknownAgain) {
  LagClock clock;
  clock.applied(10, kStart);
  clock.told(10, kStart);
  clock.reset(4);
  EXPECT_EQ(clock.lag(kStart), std::nullopt);
}

TEST(CommitTimes, AgeIsThatOfTheFirstCommitPast) {
  CommitTimes times;
  times.note(10, kStart);
  times.note(12, kStart + 1s);
  times.note(20, kStart + 2s);
  const auto now = kStart + 10s;
  EXPECT_EQ(times.age_past(20, now), 0ms);
  EXPECT_EQ(times.age_past(25, now), 0ms);
  EXPECT_EQ(times.age_past(19, now), 8s);
  EXPECT_EQ(times.age_past(12, now), 8s);
  EXPECT_EQ(times.age_past(11, now), 9s);
  EXPECT_EQ(times.age_past(10, now), 9s);
  EXPECT_EQ(times.age_past(3, now), 10s);
}

TEST(CommitTimes, ManyCommits_StayRightToAPercent) {
  CommitTimes times;
  constexpr std::uint64_t kCommits = 1'000'000;
  for (std::uint64_t i = 1; i <= kCommits; ++i) times.note(i, kStart + milliseconds(10 * i));
  const auto now = kStart + milliseconds(10 * kCommits);
  for (std::uint64_t behind : {1u, 10u, 1'000u, 100'000u, 900'000u}) {
    const auto age = times.age_past(kCommits - behind, now);
    const auto right = milliseconds(10 * (behind - 1));
    EXPECT_GE(age, right);
    EXPECT_LE(age, right + right / 20 + 20ms) << behind;
  }
}

TEST(Peers, NewerSessionOfANode_TakesOver) {
  Peers peers;
  peers.durable(Position{{1}, {10}}, kStart);
  peers.connected(1, "r1", "a:1", "tail");
  peers.acked(1, Position{{1}, {4}});
  peers.connected(2, "r1", "a:2", "tail");
  peers.disconnected(1, kStart);
  auto list = peers.list(kStart);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].position, std::nullopt);  // what the older session acknowledged may be gone
  peers.acked(1, Position{{1}, {5}});
  peers.acked(2, Position{{1}, {4}});
  list = peers.list(kStart);
  EXPECT_TRUE(list[0].connected);
  EXPECT_EQ(list[0].advertise, "a:2");
  EXPECT_EQ(list[0].lag_sequences, 6u);
  peers.disconnected(2, kStart);
  EXPECT_FALSE(peers.list(kStart)[0].connected);
}

TEST(Peers, OnesThatLeft_AreForgottenAfterTenMinutes) {
  Peers peers;
  peers.connected(1, "r1", "a:1", "tail");
  peers.disconnected(1, kStart);
  EXPECT_EQ(peers.list(kStart + 10min).size(), 1u);
  EXPECT_EQ(peers.list(kStart + 10min + 1ms).size(), 0u);
}

TEST(Peers, ManyNames_AreBounded) {
  Peers peers;
  peers.connected(1, "here", "a:1", "tail");
  for (std::uint64_t i = 2; i < 2000; ++i) {
    peers.connected(i, "r" + std::to_string(i), "a:1", "tail");
    peers.disconnected(i, kStart + milliseconds(i));
  }
  const auto list = peers.list(kStart);
  EXPECT_LE(list.size(), 4 * limits::kReplicas);
  EXPECT_EQ(list[0].node_id, "here");
  EXPECT_EQ(list.back().node_id, "r1999");
}

TEST(Backoff, GrowsToItsBoundAndStartsAgain) {
  Backoff backoff;
  milliseconds longest{0};
  for (int i = 0; i < 7; ++i) {
    EXPECT_LE(backoff.next(), limits::kDialMin * (1 << i));
  }
  for (int i = 0; i < 1000; ++i) longest = std::max(longest, backoff.next());
  EXPECT_LE(longest, limits::kDialMax);
  EXPECT_GT(longest, limits::kDialMax / 2);
  backoff.reset();
  EXPECT_LE(backoff.next(), limits::kDialMin);
}

}  // namespace
}  // namespace feeds::replication
