#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <fstream>
#include <thread>

#include "common/base/limits.h"
#include "common/store/log_upkeep.h"
#include "common/store/snapshot_files.h"
#include "common/store/wal_tail.h"
#include "tests/unit/replication/nodes.h"

namespace feeds::tests {
namespace {

namespace fs = std::filesystem;
using store::WalTail;
using Outcome = WalTail::Outcome;

// The outcome after its retries.
Outcome settled(WalTail& tail, Sequence durable, store::CheckedBatch& out) {
  int retries = 0;
  Outcome outcome;
  while ((outcome = tail.next(durable, out)) == Outcome::kRetry) {
    EXPECT_LE(++retries, limits::kTailReopens);
  }
  return outcome;
}

class WalTailTest : public ::testing::Test {
 protected:
  WalTail tail(store::PositionRecord after = {}) { return {*primary_.store.acquire(), after}; }
  Sequence durable() const { return primary_.head().position.sequence; }

  // Reads to the end; the number of commits.
  int drain(WalTail& tail) {
    int commits = 0;
    store::CheckedBatch batch;
    Outcome outcome;
    while ((outcome = settled(tail, durable(), batch)) == Outcome::kBatch) ++commits;
    EXPECT_EQ(outcome, Outcome::kEnd);
    EXPECT_EQ(tail.position(), primary_.head());
    return commits;
  }

  PrimaryNode primary_;
  store::CheckedBatch batch_;
};

// What a writer shows before it writes is what the log then holds.
TEST_F(WalTailTest, CommitComeByWithoutTheLog_IsPassed) {
  const auto database = *primary_.store.acquire();
  store::Writer writer(database);
  std::vector<store::CheckedBatch> shown;
  for (int i = 0; i < 4; ++i) {
    store::Batch batch;
    batch.put("a" + std::to_string(i), std::string(200, 'x'));
    batch.erase("b");
    ASSERT_TRUE(writer.commit(batch, 5, [&](const store::SealedBatch& sealed) {
      shown.push_back(sealed.as_logged());
    }).ok());
  }
  auto reader = tail();
  for (const auto& each : shown) {
    ASSERT_EQ(reader.next(durable(), batch_), Outcome::kBatch);
    EXPECT_EQ(batch_.bytes, each.bytes);
    EXPECT_EQ(batch_.first_sequence, each.first_sequence);
    EXPECT_EQ(batch_.entries, each.entries);
    EXPECT_EQ(batch_.record, each.record);
  }
  auto t = tail();
  ASSERT_EQ(t.next(durable(), batch_), Outcome::kBatch);
  EXPECT_FALSE(t.pass(shown[2])) << "a gap";
  EXPECT_TRUE(t.pass(shown[1]));
  EXPECT_TRUE(t.pass(shown[2]));
  ASSERT_EQ(t.next(durable(), batch_), Outcome::kBatch);
  EXPECT_EQ(batch_.bytes, shown[3].bytes);
}

TEST_F(WalTailTest, ReadsEveryCommitInOrder) {
  primary_.commit(30);
  auto t = tail();
  std::uint64_t next = 1;
  for (int i = 0; i < 30; ++i) {
    ASSERT_EQ(t.next(durable(), batch_), Outcome::kBatch);
    EXPECT_EQ(batch_.first_sequence, next);
    next += batch_.entries;
    EXPECT_EQ(batch_.record, t.position());
  }
  EXPECT_EQ(t.next(durable(), batch_), Outcome::kEnd);
}

TEST_F(WalTailTest, StopsAtWhatIsDurable) {
  primary_.commit(3);
  auto t = tail();
  EXPECT_EQ(t.next(Sequence{0}, batch_), Outcome::kEnd);
  EXPECT_EQ(t.next(Sequence{4}, batch_), Outcome::kBatch);
  EXPECT_EQ(t.next(Sequence{4}, batch_), Outcome::kBatch);
  EXPECT_EQ(t.next(Sequence{4}, batch_), Outcome::kEnd);
  EXPECT_EQ(t.next(Sequence{6}, batch_), Outcome::kBatch);
}

TEST_F(WalTailTest, GoesOnAfterTheEnd) {
  primary_.commit(1);
  auto t = tail();
  EXPECT_EQ(drain(t), 1);
  for (int i = 0; i < 10; ++i) {
    primary_.commit(2);
    EXPECT_EQ(drain(t), 2);
  }
}

TEST_F(WalTailTest, FollowsThroughRotations) {
  primary_.commit(1);
  auto t = tail();
  for (int i = 0; i < 20; ++i) {
    primary_.commit(3);
    if (i % 3 == 0) primary_.flush();
    primary_.commit(1);
    if (i % 4 == 0) primary_.flush();
    if (i % 5 == 0) drain(t);
  }
  drain(t);
  auto fresh = tail();
  EXPECT_EQ(drain(fresh), 81);
}

TEST_F(WalTailTest, StartsAtAnyCommit) {
  primary_.commit(5);
  const auto middle = primary_.head();
  primary_.flush();
  primary_.commit(7);
  auto t = tail(middle);
  EXPECT_EQ(drain(t), 7);
}

TEST_F(WalTailTest, ReadsAcrossReopening) {
  primary_.commit(5);
  primary_.flush();
  primary_.commit(5);
  primary_.reopen();
  primary_.commit(5);
  auto t = tail();
  EXPECT_EQ(drain(t), 15);
}

TEST_F(WalTailTest, PurgedStart_IsProvenAfterRetries) {
  for (int i = 0; i < 4; ++i) {
    primary_.commit(5);
    primary_.flush();
  }
  primary_.commit(1);
  EXPECT_GT(store::purge_archived_wal(*primary_.store.acquire(), 0, Sequence{UINT64_MAX}), 0u);
  auto t = tail();
  for (int i = 0; i < limits::kTailReopens; ++i) {
    EXPECT_EQ(t.next(durable(), batch_), Outcome::kRetry);
  }
  EXPECT_EQ(t.next(durable(), batch_), Outcome::kPurged);
}

TEST_F(WalTailTest, EverythingPurged_IsPurgedToo) {
  primary_.commit(5);
  primary_.flush();
  // Only the empty log of the new memtable is left.
  store::purge_archived_wal(*primary_.store.acquire(), 0, Sequence{UINT64_MAX});
  const auto left = primary_.newest_archived_log();
  if (!left.empty()) fs::remove(left);
  auto t = tail();
  EXPECT_EQ(settled(t, durable(), batch_), Outcome::kPurged);
}

TEST_F(WalTailTest, FlippedByteInTheArchive_IsUnreadable) {
  primary_.commit(100);
  primary_.flush();
  primary_.commit(5);
  const auto log = primary_.newest_archived_log();
  {
    std::fstream file(log, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(fs::file_size(log) / 2));
    file.put('\x55');
  }
  auto t = tail();
  int commits = 0;
  Outcome outcome;
  while ((outcome = settled(t, durable(), batch_)) == Outcome::kBatch) ++commits;
  EXPECT_EQ(outcome, Outcome::kUnreadable);
  EXPECT_GT(commits, 20);
  EXPECT_LT(commits, 80);
}

TEST_F(WalTailTest, ShortenedArchivedLog_IsUnreadable) {
  primary_.commit(100);
  primary_.flush();
  primary_.commit(5);
  const auto log = primary_.newest_archived_log();
  fs::resize_file(log, fs::file_size(log) / 2);
  auto t = tail();
  Outcome outcome;
  while ((outcome = settled(t, durable(), batch_)) == Outcome::kBatch) continue;
  EXPECT_EQ(outcome, Outcome::kUnreadable);
}

TEST_F(WalTailTest, MissingFileInTheMiddle_IsNeverPassedOver) {
  primary_.commit(10);
  primary_.flush();
  primary_.commit(10);
  primary_.flush();
  const auto middle = primary_.newest_archived_log();
  primary_.commit(10);
  auto t = tail();
  ASSERT_EQ(t.next(durable(), batch_), Outcome::kBatch);
  fs::remove(middle);
  int commits = 1;
  Outcome outcome;
  while ((outcome = settled(t, durable(), batch_)) == Outcome::kBatch) ++commits;
  EXPECT_TRUE(outcome == Outcome::kUnreadable || outcome == Outcome::kPurged);
  EXPECT_EQ(commits, 10);
}

TEST_F(WalTailTest, OtherDigest_IsDiverged) {
  primary_.commit(5);
  auto position = primary_.head();
  primary_.commit(5);
  position.digest.bytes[7] ^= 1;
  auto t = tail(position);
  EXPECT_EQ(settled(t, durable(), batch_), Outcome::kDiverged);
}

TEST_F(WalTailTest, PositionInsideACommit_IsDiverged) {
  primary_.commit(5);
  auto position = primary_.head();
  primary_.commit(5);
  position.position.sequence.value += 1;
  auto t = tail(position);
  EXPECT_EQ(settled(t, durable(), batch_), Outcome::kDiverged);
}

TEST_F(WalTailTest, CommitsByAnotherWriteThanOurs_AreUnreadable) {
  primary_.commit(5);
  auto& rocks = (*primary_.store.acquire())->rocks();
  ASSERT_TRUE(rocks.Put(rocksdb::WriteOptions(), "stray", "write").ok());
  auto t = tail();
  Outcome outcome;
  while ((outcome = settled(t, Sequence{11}, batch_)) == Outcome::kBatch) continue;
  EXPECT_EQ(outcome, Outcome::kUnreadable);
}

// A start that is wrong for a moment, while many files are archived, never ends a tail.
TEST_F(WalTailTest, ManyReadersWhileLogsAreArchived_NeverLoseTheirPlace) {
  primary_.commit(20);
  std::atomic<bool> done{false};
  std::atomic<int> bad{0};
  std::vector<std::thread> readers;
  for (int r = 0; r < 2; ++r) {
    readers.emplace_back([&] {
      while (!done) {
        WalTail t(*primary_.store.acquire(), {});
        store::CheckedBatch batch;
        Outcome outcome;
        while ((outcome = settled(t, primary_.durable.current().sequence, batch)) ==
               Outcome::kBatch) {
        }
        if (outcome != Outcome::kEnd) ++bad;
      }
    });
  }
  for (int i = 0; i < 30; ++i) {
    primary_.commit(2);
    primary_.flush();
  }
  done = true;
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(bad, 0);
}

class SnapshotFilesTest : public WalTailTest {};

TEST_F(SnapshotFilesTest, Checkpoint_OpensAtACommitAndIsRemoved) {
  primary_.commit(50);
  const auto directory = primary_.path() / "checkpoint-1";
  {
    auto made = store::Checkpoint::create(*primary_.store.acquire(), directory);
    ASSERT_TRUE(made.ok()) << made.error().detail;
    EXPECT_EQ((*made)->directory(), directory);
    std::set<std::string> names;
    for (const auto& file : (*made)->files()) {
      EXPECT_EQ(fs::file_size(directory / file.name), file.bytes);
      names.insert(file.name);
    }
    EXPECT_TRUE(names.contains("CURRENT"));
    auto copy = store::Database::open(directory, store::Access::kReadOnly, false);
    ASSERT_TRUE(copy.ok()) << copy.error().detail;
    EXPECT_EQ((*copy)->head(), primary_.head());
  }
  EXPECT_FALSE(fs::exists(directory));
}

TEST_F(SnapshotFilesTest, Checkpoint_UnderWrites_IsNeverInsideACommit) {
  primary_.commit(10);
  std::atomic<bool> done{false};
  std::thread writer([&] {
    while (!done) primary_.commit(1, 1000);
  });
  for (int i = 0; i < 5; ++i) {
    const auto directory = primary_.path() / ("checkpoint-" + std::to_string(i));
    auto made = store::Checkpoint::create(*primary_.store.acquire(), directory);
    ASSERT_TRUE(made.ok()) << made.error().detail;
    // The open itself compares the newest sequence with the position record.
    auto copy = store::Database::open(directory, store::Access::kReadWrite, false);
    EXPECT_TRUE(copy.ok());
  }
  done = true;
  writer.join();
}

TEST_F(SnapshotFilesTest, Checkpoint_WhereThereIsNoRoomForIt_IsAnError) {
  primary_.commit(1);
  EXPECT_FALSE(store::Checkpoint::create(*primary_.store.acquire(), "/proc/no/such/place").ok());
}

TEST_F(SnapshotFilesTest, Purge_KeepsWhatIsAskedFor) {
  for (int i = 0; i < 5; ++i) {
    primary_.commit(5, 10'000);  // 10 sequences a file
    primary_.flush();
  }
  primary_.commit(1);
  const auto database = *primary_.store.acquire();
  const Sequence all{UINT64_MAX};
  EXPECT_EQ(store::purge_archived_wal(database, 1'000'000, all), 0u);
  // Two of the five files go; the pin is in the third.
  EXPECT_GT(store::purge_archived_wal(database, 0, Sequence{25}), 100'000u);
  auto t = tail();
  EXPECT_EQ(settled(t, durable(), batch_), Outcome::kPurged);
  rocksdb::VectorLogPtr files;
  ASSERT_TRUE(database->rocks().GetSortedWalFiles(files).ok());
  EXPECT_EQ(files[0]->StartSequence(), 21u);
  // By bytes: about two files' worth.
  store::purge_archived_wal(database, 110'000, all);
  ASSERT_TRUE(database->rocks().GetSortedWalFiles(files).ok());
  EXPECT_EQ(files[0]->StartSequence(), 31u);
  store::purge_archived_wal(database, 0, all);
  ASSERT_TRUE(database->rocks().GetSortedWalFiles(files).ok());
  EXPECT_EQ(files.size(), 1u);
}

}  // namespace
}  // namespace feeds::tests
