// What RocksDB does that the replication relies on, or guards against. If one of these fails with
// another version of RocksDB, the code that it names must be looked at.
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/transaction_log.h>
#include <rocksdb/utilities/checkpoint.h>
#include <rocksdb/write_batch.h>

#include <fstream>

#include "common/store/database_options.h"
#include "tests/unit/replication/nodes.h"

namespace feeds::tests {
namespace {

namespace fs = std::filesystem;
using Iterator = std::unique_ptr<rocksdb::TransactionLogIterator>;

class RocksDb : public ::testing::Test {
 protected:
  void SetUp() override { open(); }
  void TearDown() override { rocks_.reset(); }

  rocksdb::Status try_open() {
    rocksdb::DB* rocks = nullptr;
    const auto status =
        rocksdb::DB::Open(store::database_options(true), (dir_.path() / "db").string(), &rocks);
    rocks_.reset(rocks);
    return status;
  }
  void open() {
    rocks_.reset();
    const auto status = try_open();
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

  // A batch of `entries` puts; its first sequence is returned.
  std::uint64_t write(int entries, bool sync = false) {
    rocksdb::WriteBatch batch;
    for (int i = 0; i < entries; ++i) {
      EXPECT_TRUE(batch.Put("key" + std::to_string(++rows_), "value").ok());
    }
    rocksdb::WriteOptions options;
    options.sync = sync;
    EXPECT_TRUE(rocks_->Write(options, &batch).ok());
    return rocks_->GetLatestSequenceNumber() + 1 - static_cast<std::uint64_t>(entries);
  }
  void flush() { ASSERT_TRUE(rocks_->Flush(rocksdb::FlushOptions()).ok()); }
  rocksdb::Status since(std::uint64_t sequence, Iterator& iterator) {
    return rocks_->GetUpdatesSince(sequence, &iterator);
  }
  rocksdb::VectorLogPtr logs() {
    rocksdb::VectorLogPtr files;
    EXPECT_TRUE(rocks_->GetSortedWalFiles(files).ok());
    return files;
  }
  fs::path database() const { return dir_.path() / "db"; }

  TempDir dir_;
  std::unique_ptr<rocksdb::DB> rocks_;
  int rows_ = 0;
};

// WalTail::take: a position inside a batch is seen as a start that is too early.
TEST_F(RocksDb, StartInsideABatch_GivesTheWholeBatch) {
  write(3);
  write(2);
  Iterator iterator;
  ASSERT_TRUE(since(2, iterator).ok());
  ASSERT_TRUE(iterator->Valid());
  const auto batch = iterator->GetBatch();  // once only: it is moved out
  EXPECT_EQ(batch.sequence, 1u);
  EXPECT_EQ(batch.writeBatchPtr->Count(), 3);
}

// WalTail::open compares with the newest sequence first: the status cannot tell level from ahead.
TEST_F(RocksDb, StartPastTheEnd_IsNotFoundWhetherLevelOrAhead) {
  write(3);
  Iterator iterator;
  const auto level = since(4, iterator);
  const auto ahead = since(40, iterator);
  EXPECT_TRUE(level.IsNotFound());
  EXPECT_EQ(level.ToString(), ahead.ToString());
  EXPECT_EQ(iterator, nullptr);
}

// WalTail::take compares sequences: nothing else shows that the start was purged.
TEST_F(RocksDb, PurgedStart_IsOkAndStartsLater) {
  for (int i = 0; i < 3; ++i) {
    write(4);
    flush();
  }
  write(1);
  const auto files = logs();
  ASSERT_GE(files.size(), 3u);
  ASSERT_TRUE(rocks_->DeleteFile(files[0]->PathName()).ok());
  Iterator iterator;
  ASSERT_TRUE(since(1, iterator).ok());
  ASSERT_TRUE(iterator->Valid());
  EXPECT_EQ(iterator->GetBatch().sequence, 5u);
}

// WalTail::advance: a hole met on the way ends the iterator, it is not passed over.
TEST_F(RocksDb, HoleOnTheWay_EndsTheIterator) {
  for (int i = 0; i < 3; ++i) {
    write(4);
    flush();
  }
  write(1);
  Iterator iterator;
  ASSERT_TRUE(since(1, iterator).ok());
  ASSERT_TRUE(iterator->Valid());
  const auto files = logs();
  ASSERT_TRUE(rocks_->DeleteFile(files[1]->PathName()).ok());
  iterator->Next();
  EXPECT_FALSE(iterator->Valid());
  EXPECT_FALSE(iterator->status().ok());
}

// WalTail::wrong: damage in an archived log looks like a gap, and a new start jumps over it with
// OK.
TEST_F(RocksDb, DamagedArchivedLog_IsJumpedOver) {
  for (int i = 0; i < 100; ++i) write(1);
  flush();
  write(1);
  const auto files = logs();
  const auto damaged = database().string() + files[0]->PathName();
  std::fstream file(damaged, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(files[0]->SizeFileBytes() / 2));
  file.put('\x7f');
  file.close();
  Iterator iterator;
  ASSERT_TRUE(since(1, iterator).ok());
  std::uint64_t last = 0;
  while (iterator->Valid() && iterator->status().ok()) {
    last = iterator->GetBatch().sequence;
    iterator->Next();
  }
  EXPECT_LT(last, 100u);
  EXPECT_GT(last, 10u);
  ASSERT_TRUE(since(last + 1, iterator).ok());
  EXPECT_TRUE(!iterator->Valid() || iterator->GetBatch().sequence > last + 1);
}

// TailPump keeps one iterator: at the end it waits, and goes on in the same file.
TEST_F(RocksDb, IteratorAtTheEnd_GoesOnAfterNewWrites) {
  write(1);
  Iterator iterator;
  ASSERT_TRUE(since(1, iterator).ok());
  ASSERT_TRUE(iterator->Valid());
  write(1);
  iterator->Next();
  ASSERT_TRUE(iterator->Valid());
  EXPECT_EQ(iterator->GetBatch().sequence, 2u);
  iterator->Next();
  EXPECT_FALSE(iterator->Valid());
  EXPECT_TRUE(iterator->status().ok());
  write(1);
  iterator->Next();
  ASSERT_TRUE(iterator->Valid());
  EXPECT_EQ(iterator->GetBatch().sequence, 3u);
}

// WalTail::advance makes a new one then; the old one never recovers.
TEST_F(RocksDb, LogFileSwitch_IsTryAgainForEver) {
  write(1);
  Iterator iterator;
  ASSERT_TRUE(since(1, iterator).ok());
  ASSERT_TRUE(iterator->Valid());
  flush();
  write(1);
  iterator->Next();
  EXPECT_FALSE(iterator->Valid());
  EXPECT_TRUE(iterator->status().IsTryAgain());
  Iterator again;
  ASSERT_TRUE(since(2, again).ok());
  ASSERT_TRUE(again->Valid());
  EXPECT_EQ(again->GetBatch().sequence, 2u);
}

// WalTail::open throws such an iterator away: Next() on it aborts the process.
TEST_F(RocksDb, FreshDatabase_GivesAnIteratorThatIsNotValid) {
  Iterator iterator;
  ASSERT_TRUE(since(0, iterator).ok());
  EXPECT_FALSE(iterator->Valid());
}

// TailPump ships only what `durable` has announced: the log shows more.
TEST_F(RocksDb, UnsyncedWrites_AreSeenInTheLogAtOnce) {
  write(1, false);
  Iterator iterator;
  ASSERT_TRUE(since(1, iterator).ok());
  EXPECT_TRUE(iterator->Valid());
}

// Applier: a batch written as it came has the same sequences, and is the same in the log.
TEST_F(RocksDb, ReplayedBatches_AreTheSameInTheOtherLog) {
  TempDir other_dir;
  rocksdb::DB* raw = nullptr;
  ASSERT_TRUE(
      rocksdb::DB::Open(store::database_options(true), other_dir.path().string(), &raw).ok());
  const std::unique_ptr<rocksdb::DB> other(raw);
  for (int i = 0; i < 50; ++i) write(1 + i % 4);
  Iterator iterator;
  ASSERT_TRUE(since(1, iterator).ok());
  std::vector<std::string> sent;
  for (; iterator->Valid(); iterator->Next()) {
    sent.push_back(iterator->GetBatch().writeBatchPtr->Data());
    rocksdb::WriteBatch batch(sent.back());
    ASSERT_TRUE(other->Write(rocksdb::WriteOptions(), &batch).ok());
  }
  ASSERT_EQ(sent.size(), 50u);
  EXPECT_EQ(other->GetLatestSequenceNumber(), rocks_->GetLatestSequenceNumber());
  Iterator theirs;
  ASSERT_TRUE(other->GetUpdatesSince(1, &theirs).ok());
  for (const auto& bytes : sent) {
    ASSERT_TRUE(theirs->Valid());
    EXPECT_EQ(theirs->GetBatch().writeBatchPtr->Data(), bytes);
    theirs->Next();
  }
}

// store::follows guards Writer::apply: RocksDB does not look at the sequence in a batch.
TEST_F(RocksDb, SequenceInABatch_IsIgnoredByWrite) {
  write(2);
  Iterator iterator;
  ASSERT_TRUE(since(1, iterator).ok());
  rocksdb::WriteBatch again(iterator->GetBatch().writeBatchPtr->Data());
  ASSERT_TRUE(rocks_->Write(rocksdb::WriteOptions(), &again).ok());
  EXPECT_EQ(rocks_->GetLatestSequenceNumber(), 4u);
}

// store::check_batch comes before Writer::apply: RocksDB logs first and parses later.
TEST_F(RocksDb, MalformedBatch_MakesTheDatabaseUnopenable) {
  write(2);
  Iterator iterator;
  ASSERT_TRUE(since(1, iterator).ok());
  auto bytes = iterator->GetBatch().writeBatchPtr->Data();
  iterator.reset();
  bytes.resize(bytes.size() - 3);
  EXPECT_FALSE(store::check_batch(bytes).ok());
  rocksdb::WriteBatch bad(bytes);
  EXPECT_FALSE(rocks_->Write(rocksdb::WriteOptions(), &bad).ok());
  rocks_.reset();
  EXPECT_FALSE(try_open().ok());
}

// A replica that was away is served from the archive after a restart of the primary.
TEST_F(RocksDb, Archive_IsReadAcrossReopening) {
  for (int i = 0; i < 4; ++i) {
    write(3);
    flush();
  }
  open();
  write(1);
  Iterator iterator;
  ASSERT_TRUE(since(1, iterator).ok());
  std::uint64_t next = 1;
  for (; iterator->Valid(); iterator->Next()) {
    const auto batch = iterator->GetBatch();
    EXPECT_EQ(batch.sequence, next);
    next += static_cast<std::uint64_t>(batch.writeBatchPtr->Count());
  }
  EXPECT_EQ(next, 14u);
}

// Digests prove histories because sequences alone do not: they are used again.
TEST_F(RocksDb, LostTail_IsWrittenOverWithTheSameSequences) {
  for (int i = 0; i < 20; ++i) write(1);
  rocks_.reset();
  for (const auto& entry : fs::directory_iterator(database())) {
    if (entry.path().extension() == ".log") {
      fs::resize_file(entry.path(), entry.file_size() - 200);
    }
  }
  open();
  const auto lost_from = rocks_->GetLatestSequenceNumber() + 1;
  EXPECT_LT(lost_from, 20u);
  EXPECT_EQ(write(1), lost_from);
}

// FileDeletionsHeld in wal_tail.cc: holds are counted, if they are not given back by force.
TEST_F(RocksDb, FileDeletions_AreHeldByCount) {
  ASSERT_TRUE(rocks_->DisableFileDeletions().ok());
  ASSERT_TRUE(rocks_->DisableFileDeletions().ok());
  ASSERT_TRUE(rocks_->EnableFileDeletions(false).ok());
  write(1);
  flush();
  write(1);
  const auto files = logs();
  ASSERT_GE(files.size(), 2u);
  EXPECT_EQ(files[0]->Type(), rocksdb::kAliveLogFile);  // not even archived while one hold is left
  ASSERT_TRUE(rocks_->EnableFileDeletions(false).ok());
  EXPECT_EQ(logs()[0]->Type(), rocksdb::kArchivedLogFile);
}

// purge_archived_wal: the one thing DeleteFile still does, and what it refuses.
TEST_F(RocksDb, DeleteFile_RemovesArchivedLogsOnly) {
  write(1);
  flush();
  write(1);
  auto files = logs();
  ASSERT_EQ(files.size(), 2u);
  EXPECT_FALSE(rocks_->DeleteFile(files[1]->PathName()).ok());
  EXPECT_TRUE(rocks_->DeleteFile(files[0]->PathName()).ok());
  EXPECT_EQ(logs().size(), 1u);
}

// purge_archived_wal leaves the last file that has anything, so it needs the one after it to be
// listed.
TEST_F(RocksDb, EmptyLog_IsNotListed) {
  write(1);
  flush();
  ASSERT_EQ(logs().size(), 1u);
  EXPECT_EQ(logs()[0]->StartSequence(), 1u);
  EXPECT_EQ(logs()[0]->Type(), rocksdb::kArchivedLogFile);
  write(1);
  EXPECT_EQ(logs().size(), 2u);
}

// A copy is at a commit's end, has no archive, and says itself where it is.
TEST_F(RocksDb, Checkpoint_HasItsOwnPositionAndNoArchive) {
  for (int i = 0; i < 3; ++i) {
    write(2);
    flush();
  }
  write(2);
  rocksdb::Checkpoint* raw = nullptr;
  ASSERT_TRUE(rocksdb::Checkpoint::Create(rocks_.get(), &raw).ok());
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(raw);
  const auto copy = dir_.path() / "copy";
  ASSERT_TRUE(checkpoint->CreateCheckpoint(copy.string()).ok());
  EXPECT_FALSE(fs::exists(copy / "archive"));
  EXPECT_FALSE(checkpoint->CreateCheckpoint(copy.string()).ok());  // exists
  rocksdb::DB* opened = nullptr;
  ASSERT_TRUE(rocksdb::DB::Open(store::database_options(false), copy.string(), &opened).ok());
  const std::unique_ptr<rocksdb::DB> held(opened);
  EXPECT_EQ(held->GetLatestSequenceNumber(), 8u);
}

}  // namespace
}  // namespace feeds::tests
