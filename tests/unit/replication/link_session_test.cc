// A link's session against a source that the test plays, over a pipe in memory.
#include "tests/unit/replication/played_source.h"

namespace feeds::tests {
namespace {

TEST_F(LinkSessionTest, Frames_AreAppliedAndAcknowledgedOnceSynced) {
  give_data();
  connect();
  ASSERT_TRUE(until([&] { return script_.started; }));
  EXPECT_TRUE(script_.had_data);
  EXPECT_EQ(script_.wanted, wire::SnapshotReason::NONE);
  send_frame(next_batches(7));
  EXPECT_TRUE(until([&] { return head() == primary_.head(); }));
  EXPECT_EQ(applied_.current(), primary_.head().position);
  EXPECT_TRUE(until([&] { return script_.acked == primary_.head().position.sequence.value; }));
}

TEST_F(LinkSessionTest, Gap_EndsTheSessionAndAsksForASnapshot) {
  give_data();
  connect();
  ASSERT_TRUE(until([&] { return script_.started; }));
  auto batches = next_batches(3);
  batches.erase(batches.begin());
  send_frame(batches);
  ASSERT_TRUE(ends());
  EXPECT_EQ(head(), before_);
  dial();
  ASSERT_TRUE(until([&] { return script_.started; }));
  EXPECT_EQ(script_.wanted, wire::SnapshotReason::WAL_UNREADABLE);
  EXPECT_EQ(tests::resyncs(metrics_, "wal_unreadable"), 1);
  EXPECT_EQ(tests::metric(metrics_, "feeds_diverged_total"), 0);
}

TEST_F(LinkSessionTest, BatchAgain_IsNotAppliedTwice) {
  give_data();
  connect();
  ASSERT_TRUE(until([&] { return script_.started; }));
  const auto batches = next_batches(2);
  send_frame(batches);
  send_frame(batches);
  EXPECT_TRUE(ends());
  EXPECT_EQ(head(), primary_.head());
}

TEST_F(LinkSessionTest, OtherHistoryUnderARightChecksum_IsDiverged) {
  give_data();
  connect();
  ASSERT_TRUE(until([&] { return script_.started; }));
  auto batches = next_batches(2);
  // A value that changed before the checksum was made: only the digest shows it.
  batches[1][batches[1].size() - 100] ^= 1;
  send_frame(batches);
  ASSERT_TRUE(ends());
  EXPECT_EQ(head().position.sequence.value, before_.position.sequence.value + 2);  // the first one
  EXPECT_EQ(tests::resyncs(metrics_, "diverged"), 1);
  EXPECT_EQ(tests::metric(metrics_, "feeds_diverged_total"), 1);
  dial();
  ASSERT_TRUE(until([&] { return script_.started; }));
  EXPECT_EQ(script_.wanted, wire::SnapshotReason::DIVERGED);
}

TEST_F(LinkSessionTest, MalformedBatch_NeverReachesTheDatabase) {
  give_data();
  connect();
  ASSERT_TRUE(until([&] { return script_.started; }));
  auto batches = next_batches(1);
  batches[0].resize(batches[0].size() - 5);
  send_frame(batches);
  ASSERT_TRUE(ends());
  EXPECT_EQ(head(), before_);
  session_ = nullptr;
  applier_->detach();
  store_->close();
  EXPECT_TRUE(store_->open(false).ok());
}

TEST_F(LinkSessionTest, SourceThatNeverAnswers_IsGivenUp) {
  options_.peer_timeout = 100ms;
  prepare_ = [](Script& script) { script.answers = false; };
  give_data();
  connect();
  EXPECT_TRUE(ends());
}

TEST_F(LinkSessionTest, SourceOfAnotherCluster_IsRefusedFromThisSideToo) {
  give_data();
  prepare_ = [](Script& script) {
    script.welcome = [](auto welcome) {
      welcome.setClusterId("c2");
      welcome.setTail();
    };
  };
  connect();
  ASSERT_TRUE(ends());
  EXPECT_TRUE(session().refused());
  EXPECT_FALSE(script_.started);
}

TEST_F(LinkSessionTest, OtherSchemaVersion_IsRefused) {
  give_data();
  prepare_ = [](Script& script) {
    script.welcome = [](auto welcome) {
      welcome.setSchemaVersion(wire::SCHEMA_VERSION + 1);
      welcome.setTail();
    };
  };
  connect();
  ASSERT_TRUE(ends());
  EXPECT_TRUE(session().refused());
}

TEST_F(LinkSessionTest, Heartbeats_AreHeardWhileNothingElseComes) {
  give_data();
  connect();
  ASSERT_TRUE(until([&] { return script_.started; }));
  auto request = KJ_ASSERT_NONNULL(script_.pulse).beatRequest();
  request.initHeartbeat().setSequence(before_.position.sequence.value);
  request.getHeartbeat().setEpoch(1);
  request.getHeartbeat().setAdvertise("elsewhere:80");
  request.send().wait(io_->waitScope);
  const auto status = state_.status(std::chrono::steady_clock::now());
  EXPECT_EQ(status.lag, 0ms);
  EXPECT_EQ(status.primary, "elsewhere:80");
}

}  // namespace
}  // namespace feeds::tests
