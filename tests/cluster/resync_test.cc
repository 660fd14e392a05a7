// When the log does not do: a new replica, one too far behind, one with another history, another
// cluster.
#include <gtest/gtest.h>

#include "tests/cluster/load.h"

namespace feeds::test {
namespace {

using namespace std::chrono_literals;

std::string resyncs_for(const std::string& reason) {
  return "feeds_resync_total{reason=\"" + reason + "\"}";
}

void copy_data(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::filesystem::remove_all(to);
  std::filesystem::copy(
      from, to,
      std::filesystem::copy_options::recursive | std::filesystem::copy_options::copy_symlinks);
}

void publish(TestNode& primary, std::uint64_t feed, const std::string& prefix, int count) {
  const auto target = "/v1/feeds/" + std::to_string(feed);
  for (int i = 0; i < count; ++i) {
    ASSERT_EQ(primary.post(target, prefix + std::to_string(i)).status, 201);
  }
}

// Reads a page again and again until told to stop; counts what came by status or code.
class Reader {
 public:
  Reader(std::string address, std::string target)
      : thread_([this, address = std::move(address), target = std::move(target)] {
          HttpClient client(address);
          while (!stopping_) {
            const auto reply = client.get(target);
            ++seen_[reply.code().empty() ? std::to_string(reply.status) : reply.code()];
          }
        }) {}
  ~Reader() { finish(); }
  std::map<std::string, std::uint64_t> finish() {
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
    return seen_;
  }

 private:
  std::atomic<bool> stopping_{false};
  std::map<std::string, std::uint64_t> seen_;
  std::thread thread_;
};

TEST(Resync, LateReplica_TakesOneSnapshotThenTails) {
  TestCluster cluster;
  const auto filled = run_program({program("feedctl"), "populate", "--url", cluster.primary().url(),
                                   "--feeds", "20", "--articles", "100", "--users", "20"});
  ASSERT_EQ(filled.code, 0) << filled.err;
  Load load(cluster.primary().http(), {10000, 10001}, 4);
  load.start();
  auto& replica = cluster.start_replica();
  ASSERT_TRUE(load.wait_for(200));
  cluster.start_replica();
  ASSERT_TRUE(load.wait_for(200));
  load.stop();
  expect_equal(cluster);
  EXPECT_EQ(replica.metric(resyncs_for("empty")), 1);
  EXPECT_EQ(load.refusals().size(), 0u);
  EXPECT_EQ(replica.status("clusterId"), cluster.primary().status("clusterId"));
  EXPECT_NE(replica.status("nodeId"), cluster.primary().status("nodeId"));
}

// The log is kept at 1 MiB, so that it ends before what a replica missed.
class ShortLog : public testing::Test {
 protected:
  ShortLog() : cluster_(Settings{{"replication.retain_wal", "1MiB"}}) {
    feed_ = make_feed(cluster_.primary());
  }
  void outrun() {
    const auto purges = [&] { return cluster_.primary().process().event("wal_purged", true); };
    const auto before = purges();
    // Rotations come with each write buffer of 16 MiB.
    publish_many(cluster_.primary().http(), feed_, 2500, 16'000);
    ASSERT_TRUE(eventually([&] { return purges() != before; }));
  }
  TestCluster cluster_;
  std::uint64_t feed_ = 0;
};

TEST_F(ShortLog, StoppedReplicaLeftBehind_TakesSnapshot) {
  auto& replica = cluster_.start_replica();
  publish(cluster_.primary(), feed_, "seen ", 20);
  ASSERT_TRUE(cluster_.level());
  ASSERT_EQ(replica.stop(), 0);
  outrun();
  ASSERT_TRUE(replica.start());
  expect_equal(cluster_);
  EXPECT_EQ(replica.metric(resyncs_for("wal_purged")), 1);
  EXPECT_EQ(replica.metric("feeds_diverged_total"), 0);
  publish(cluster_.primary(), feed_, "by tail again ", 20);
  expect_equal(cluster_);
}

TEST_F(ShortLog, RunningReplicaLeftBehind_SwapsUnderItsReaders) {
  Proxy proxy(cluster_.primary().replication());
  auto& replica = cluster_.start_replica({}, proxy.address());
  publish(cluster_.primary(), feed_, "seen ", 60);
  ASSERT_TRUE(cluster_.level());
  proxy.cut(true);
  Reader pages(replica.http(), "/v1/feeds/" + std::to_string(feed_));
  Reader lists(replica.http(), "/v1/feeds");
  Reader counters(replica.http(), "/v1/counters");
  outrun();
  proxy.resume();
  expect_equal(cluster_, 2);
  EXPECT_EQ(replica.metric(resyncs_for("wal_purged")), 1);
  for (auto* reader : {&pages, &lists, &counters}) {
    const auto seen = reader->finish();
    EXPECT_THAT(seen, testing::ElementsAre(testing::Key("200")));
  }
  EXPECT_TRUE(eventually([&] { return replica.entries("db-").size() == 1; }));
  EXPECT_THAT(replica.entries("incoming"), testing::IsEmpty());
}

// A primary that was put back to an older copy of its data.
class PutBack : public testing::Test {
 protected:
  void SetUp() override {
    feed_ = make_feed(cluster_.primary());
    publish(cluster_.primary(), feed_, "common ", 30);
    cluster_.start_replica();
    ASSERT_TRUE(cluster_.level());
    ASSERT_EQ(cluster_.primary().stop(), 0);
    copy_data(cluster_.primary().data(), cluster_.path() / "copy");
    ASSERT_TRUE(cluster_.primary().start());
    publish(cluster_.primary(), feed_, "lost ", 30);
    ASSERT_TRUE(cluster_.level());
    cluster_.primary().kill();
    copy_data(cluster_.path() / "copy", cluster_.primary().data());
  }
  void expect_repaired() {
    expect_equal(cluster_, 2);
    auto& replica = cluster_.replica(0);
    EXPECT_EQ(replica.metric(resyncs_for("diverged")), 1);
    EXPECT_EQ(replica.metric("feeds_diverged_total"), 1);
    EXPECT_TRUE(eventually([&] { return replica.get("/readyz").status == 200; }));
    const auto target = "/v1/feeds/" + std::to_string(feed_);
    EXPECT_EQ(replica.get(target).body, cluster_.primary().get(target).body);
  }
  TestCluster cluster_;
  std::uint64_t feed_ = 0;
};

TEST_F(PutBack, ReplicaAhead_IsDivergedAndRepaired) {
  ASSERT_TRUE(cluster_.primary().start());
  expect_repaired();
}

TEST_F(PutBack, ReplicaOnAnotherHistory_IsDivergedAndRepaired) {
  // The primary writes as much and more, other than before, while nobody looks.
  auto& replica = cluster_.replica(0);
  replica.process().signal(SIGSTOP);
  ASSERT_TRUE(cluster_.primary().start());
  publish(cluster_.primary(), feed_, "other ", 60);
  replica.process().signal(SIGCONT);
  expect_repaired();
}

TEST_F(PutBack, RestartedReplicaOnAnotherHistory_IsDivergedAndRepaired) {
  auto& replica = cluster_.replica(0);
  replica.kill();
  ASSERT_TRUE(cluster_.primary().start());
  // The same number of commits of the same size: only the digests differ.
  publish(cluster_.primary(), feed_, "tsol ", 30);
  ASSERT_TRUE(replica.start());
  // It stands at the primary's position from the first moment on: only the swap tells.
  ASSERT_TRUE(
      eventually([&] { return replica.process().event("snapshot_swapped_in").has_value(); }));
  expect_equal(cluster_);
  EXPECT_EQ(replica.metric(resyncs_for("diverged")), 1);
  EXPECT_EQ(replica.metric("feeds_diverged_total"), 1);
}

TEST(OtherCluster, Replica_IsRefusedKeepsItsDataAndComesBack) {
  TestCluster ours;
  TestCluster theirs;
  const auto feed = make_feed(ours.primary());
  publish(ours.primary(), feed, "ours ", 10);
  publish(theirs.primary(), make_feed(theirs.primary()), "theirs ", 10);
  Proxy proxy(ours.primary().replication());
  auto& replica = ours.start_replica({}, proxy.address());
  ASSERT_TRUE(ours.level());
  const auto target = "/v1/feeds/" + std::to_string(feed);
  const auto before = replica.get(target);

  proxy.set_target(theirs.primary().replication());
  proxy.cut();
  ASSERT_TRUE(eventually([&] { return replica.status("state") == "refused"; }));
  EXPECT_EQ(replica.status("clusterId"), ours.primary().status("clusterId"));
  // It dials on, is refused each time, and never goes away.
  const auto connections = proxy.connections();
  ASSERT_TRUE(eventually([&] { return proxy.connections() >= connections + 3; }));
  EXPECT_TRUE(replica.process().running());
  EXPECT_EQ(replica.get("/healthz").status, 200);
  ASSERT_TRUE(eventually([&] { return replica.get("/readyz").status == 503; }));
  const auto now = replica.get(target);
  EXPECT_EQ(now.body, before.body);
  EXPECT_EQ(now.position(), before.position());
  const auto log = replica.process().output();
  EXPECT_NE(log.find("link_refused"), std::string::npos);
  EXPECT_NE(log.find(ours.primary().status("clusterId")), std::string::npos);
  EXPECT_NE(log.find(theirs.primary().status("clusterId")), std::string::npos);

  // Also over a restart.
  ASSERT_EQ(replica.stop(), 0);
  ASSERT_TRUE(replica.start());
  ASSERT_TRUE(eventually([&] { return replica.status("state") == "refused"; }));
  EXPECT_EQ(replica.get(target).body, before.body);
  EXPECT_EQ(replica.get("/readyz").status, 503);

  publish(ours.primary(), feed, "meanwhile ", 10);
  proxy.set_target(ours.primary().replication());
  proxy.cut();
  expect_equal(ours, 0);
  EXPECT_TRUE(eventually([&] { return replica.get("/readyz").status == 200; }));
}

}  // namespace
}  // namespace feeds::test
