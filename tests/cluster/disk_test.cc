// Disks that are full, and then are not.
#include <gtest/gtest.h>

#include "tests/cluster/load.h"
#include "tests/support/small_disk.h"

namespace feeds::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kMiB = 1 << 20;

// True if tests can have disks of their own here; says so if not.
bool can_mount() {
  TempDir dir;
  if (SmallDisk(dir.path() / "try", kMiB).mounted()) return true;
  std::cout << "not tested: mounting is not permitted here\n";
  return false;
}

TEST(FullDisk, Primary_RefusesWritesServesReadsAndRecoversByItself) {
  if (!can_mount()) return;
  TempDir dir;
  SmallDisk disk(dir.path() / "disk", 160 * kMiB);
  disk.ballast(130 * kMiB);
  TestCluster cluster;
  auto& primary = cluster.primary();
  ASSERT_EQ(primary.stop(), 0);
  primary.set_data(disk.path() / "data");
  ASSERT_TRUE(primary.start());
  auto& replica = cluster.start_replica();
  const auto feed = make_feed(primary);
  const auto target = "/v1/feeds/" + std::to_string(feed) + "?limit=1";
  ASSERT_TRUE(cluster.level());

  for (int round = 0; round < 2; ++round) {
    Load load(primary.http(), {make_feed(primary)}, 4, 50'000);
    load.start();
    ASSERT_TRUE(eventually([&] { return load.refusals().contains("disk_full"); }));
    ASSERT_TRUE(eventually([&] { return primary.get("/readyz").status == 503; }));
    EXPECT_TRUE(primary.process().running());
    for (int i = 0; i < 20; ++i) {
      const auto write = primary.post(target, "no room");
      ASSERT_EQ(write.status, 507) << write.body;
      ASSERT_EQ(write.code(), "disk_full");
      ASSERT_EQ(primary.get(target).status, 200);
      ASSERT_EQ(primary.get("/healthz").status, 200);
    }
    // Less than can be counted on is not enough.
    const auto answered = load.answered();
    ASSERT_EQ(primary.post(target, "no room").status, 507);
    disk.ballast((round == 0 ? 65 : 1) * kMiB);
    ASSERT_TRUE(load.wait_for(100));
    EXPECT_GT(load.answered(), answered);
    load.stop();
    ASSERT_TRUE(eventually([&] { return primary.get("/readyz").status == 200; }));
    EXPECT_EQ(primary.status("state"), "serving");
    for (const auto& [code, count] : load.refusals()) {
      EXPECT_THAT(code,
                  testing::AnyOf("disk_full", "reopening", "write_failed", "outcome_unknown"));
    }
    load.expect_all_on(primary);
    expect_equal(cluster);
    load.expect_all_on(replica);
  }
}

TEST(FullDisk, Replica_ServesReadsAndGoesOnByTailWhenThereIsRoom) {
  if (!can_mount()) return;
  TempDir dir;
  SmallDisk disk(dir.path() / "disk", 160 * kMiB);
  disk.ballast(130 * kMiB);
  TestCluster cluster;
  auto& primary = cluster.primary();
  auto& replica = cluster.add_replica({{"replication.max_lag", "1s"}});
  replica.set_data(disk.path() / "data");
  ASSERT_TRUE(replica.start());
  const auto feed = make_feed(primary);
  const auto target = "/v1/feeds/" + std::to_string(feed) + "?limit=1";
  ASSERT_TRUE(cluster.level());
  ASSERT_TRUE(eventually([&] { return replica.lag() == 0; }));

  Load load(primary.http(), {make_feed(primary)}, 4, 50'000);
  load.start();
  ASSERT_TRUE(eventually([&] { return replica.process().event("write_failed").has_value(); }));
  ASSERT_TRUE(eventually([&] { return replica.get("/readyz").status == 503; }));
  // The primary and its writers go on.
  ASSERT_TRUE(load.wait_for(100));
  EXPECT_TRUE(replica.process().running());
  EXPECT_EQ(replica.get(target).status, 200);
  EXPECT_GT(replica.lag().value_or(0), 0);
  load.stop();
  EXPECT_EQ(load.refusals().size(), 0u);
  EXPECT_NE(replica.position(), primary.position());

  disk.ballast(0);
  disk.resize(2048 * kMiB);  // the writers went on meanwhile, and logs are kept beside the data
  expect_equal(cluster);
  load.expect_all_on(replica);
  EXPECT_TRUE(eventually([&] { return replica.get("/readyz").status == 200; }));
}

TEST(FullDisk, SnapshotThatDoesNotFit_IsTriedAgain) {
  if (!can_mount()) return;
  TempDir dir;
  SmallDisk disk(dir.path() / "disk", 8 * kMiB);
  TestCluster cluster;
  auto& primary = cluster.primary();
  publish_many(primary.http(), make_feed(primary), 1500, 16'000);
  auto& replica = cluster.add_replica();
  replica.set_data(disk.path() / "data");
  ASSERT_TRUE(replica.start());
  const auto tried = [&] {
    const auto log = replica.process().output();
    int count = 0;
    for (auto at = log.find("snapshot_receive "); at != std::string::npos;
         at = log.find("snapshot_receive ", at + 1)) {
      ++count;
    }
    return count;
  };
  ASSERT_TRUE(eventually([&] { return tried() >= 3; }));
  EXPECT_TRUE(replica.process().running());
  EXPECT_EQ(replica.get("/readyz").status, 503);
  EXPECT_EQ(replica.get("/v1/feeds").code(), "replica_behind");
  disk.resize(200 * kMiB);
  expect_equal(cluster);
  EXPECT_THAT(replica.entries("incoming"), testing::IsEmpty());
  EXPECT_TRUE(eventually([&] { return primary.entries("checkpoint-").empty(); }));
}

}  // namespace
}  // namespace feeds::test
