// What lies ahead of the end of a log: zeros, and after a power failure what it left of a commit.
#include "common/store/log_files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/file_system.h>
#include <rocksdb/utilities/checkpoint.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <random>

#include "common/store/log_end.h"
#include "common/store/wal_tail.h"
#include "common/store/writer.h"
#include "tests/support/seed.h"
#include "tests/support/temp_dir.h"

namespace feeds::store {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kSector = 512;

class Log : public testing::Test {
 protected:
  void SetUp() override {
    open(true);
  }

  void open(bool create) {
    writer_.reset();
    database_.reset();
    database_ = *Database::open(home(), Access::kReadWrite, create);
    writer_ = std::make_unique<Writer>(database_);
  }

  // A commit of about so many bytes in the log, which has no zeros.
  PositionRecord commit(std::size_t bytes) {
    std::string value(bytes, '\0');
    for (auto& byte : value) byte = static_cast<char>('a' + random_() % 26);
    Batch batch;
    batch.put(fmt::format("key {}", ++commits_), value);
    auto record = *writer_->commit(batch, 1);
    ends_.push_back(end());
    return record;
  }

  fs::path home() const { return dir_.path() / "db"; }
  fs::path file() const {
    rocksdb::VectorLogPtr files;
    EXPECT_TRUE(database_->rocks().GetSortedWalFiles(files).ok());
    return home() / files.back()->PathName().substr(1);
  }
  std::size_t end() const {
    rocksdb::VectorLogPtr files;
    EXPECT_TRUE(database_->rocks().GetSortedWalFiles(files).ok());
    return files.back()->SizeFileBytes();
  }
  static std::string bytes_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void replace(const fs::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }
  // The directory as a power failure or `kill -9` would leave it now, with `log` for the log.
  fs::path left(const std::string& log) {
    const auto copy = dir_.path() / fmt::format("left {}", ++copies_);
    fs::copy(home(), copy);
    replace(copy / file().filename(), log);
    return copy;
  }

  // `log` with the zeros that were there before in some sectors of what its last commit wrote. Never in all.
  std::string torn(std::string log) {
    const auto first = ends_.at(ends_.size() - 2);
    const auto last = ends_.back();
    std::vector<std::size_t> sectors;
    for (auto at = first; at < last; at = (at / kSector + 1) * kSector) sectors.push_back(at);
    std::shuffle(sectors.begin(), sectors.end(), random_);
    sectors.resize(1 + random_() % sectors.size());
    for (const auto at : sectors) {
      const auto next = std::min(last, (at / kSector + 1) * kSector);
      std::fill(log.begin() + static_cast<std::ptrdiff_t>(at),
                log.begin() + static_cast<std::ptrdiff_t>(next), '\0');
    }
    return log;
  }

  test::TempDir dir_;
  std::mt19937_64 random_{test::seed()};
  DatabasePtr database_;
  std::unique_ptr<Writer> writer_;
  std::vector<std::size_t> ends_;  // of each commit
  int commits_ = 0;
  int copies_ = 0;
};

TEST_F(Log, IsLongerThanItsEnd_AndShowsItsEnd) {
  commit(100);
  EXPECT_GT(fs::file_size(file()), end() + LogFiles::kAhead / 2);
  EXPECT_LT(end(), 1000U);
  EXPECT_EQ(log_end(bytes_of(file())).at, end());
}

TEST_F(Log, Closed_IsCut) {
  commit(100);
  const auto path = file();
  const auto length = end();
  writer_.reset();
  database_.reset();
  EXPECT_EQ(fs::file_size(path), length);
}

TEST_F(Log, LongWrites_DoNotLengthenIt) {
  commit(LogFiles::kLongWrite);
  EXPECT_EQ(fs::file_size(file()), end());
  commit(100);
  EXPECT_GT(fs::file_size(file()), end());
}

TEST_F(Log, EndIsFoundAfterCommitsOfAllLengths) {
  for (int i = 0; i < 300; ++i) {
    commit(random_() % (i % 10 == 0 ? 100'000 : 3000));
    if (i % 10 == 0) {
      ASSERT_EQ(log_end(bytes_of(file()) + std::string(5000, '\0')).at, end());
    }
  }
}

TEST_F(Log, OfAKilledNode_GivesAllBack) {
  PositionRecord last;
  for (int i = 0; i < 50; ++i) last = commit(random_() % 3000);
  const auto copy = left(bytes_of(file()));
  const auto found = *Database::open(copy, Access::kReadWrite, false);
  EXPECT_EQ(found->head(), last);
  WalTail tail(found, {});
  CheckedBatch batch;
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(tail.next(last.position.sequence, batch), WalTail::Outcome::kBatch);
  }
  EXPECT_EQ(tail.next(last.position.sequence, batch), WalTail::Outcome::kEnd);
}

TEST_F(Log, TornBySectors_LosesItsLastCommitOnly) {
  commit(2000);
  for (int i = 0; i < 400; ++i) {
    commit(random_() % (i % 20 == 0 ? 70'000 : 3000));
    const auto log = bytes_of(file());
    const auto damaged = torn(log);
    if (damaged == log) continue;
    ASSERT_EQ(log_end(damaged).at, ends_.at(ends_.size() - 2)) << "commit " << i;
  }
}

TEST_F(Log, TornBySectors_IsOpenedByAllWhoRead) {
  PositionRecord before = commit(3000);
  for (int i = 0; i < 20; ++i) {
    const auto last = commit(2000 + random_() % 40'000);
    const auto copy = left(torn(bytes_of(file())));
    EXPECT_EQ((*Database::open(copy, Access::kReadOnly, false))->head(), before);
    const auto found = *Database::open(copy, Access::kReadWrite, false);
    EXPECT_EQ(found->head(), before);
    // It goes on from there.
    Writer writer(found);
    Batch batch;
    batch.put("again", "v");
    EXPECT_TRUE(writer.commit(batch, 1).ok());
    before = last;
  }
}

TEST_F(Log, LosesNothingToDamage) {
  for (int i = 0; i < 40; ++i) commit(1500);
  const auto log = bytes_of(file());
  const auto refused = [&](const std::string& damaged) {
    EXPECT_TRUE(log_end(damaged).damaged);
    return !Database::open(left(damaged), Access::kReadWrite, false).ok();
  };
  // A sector of an earlier commit that reads as zeros, and one byte of the last.
  auto hole = log;
  std::fill_n(hole.begin() + 20 * kSector, kSector, '\0');
  EXPECT_TRUE(refused(hole));
  auto flipped = log;
  flipped[ends_.back() - 700] = static_cast<char>(flipped[ends_.back() - 700] ^ 4);
  EXPECT_TRUE(refused(flipped));
}

// The last byte of the commit behind the damage is a zero, as every 256th is.
TEST_F(Log, LosesNothingToDamageBeforeACommitThatEndsInAZero) {
  char last = 0;
  do {
    for (int i = 0; i < 3; ++i) commit(1500);
    std::ifstream(file(), std::ios::binary).seekg(static_cast<std::streamoff>(end() - 1)).get(last);
  } while (last != '\0');
  auto log = bytes_of(file());
  const auto sector = ends_.at(ends_.size() - 2) / kSector - 1;
  std::fill_n(log.begin() + static_cast<std::ptrdiff_t>(sector * kSector), kSector, '\0');
  EXPECT_TRUE(log_end(log).damaged);
}

// A commit that was answered, and then reads as it was before: RocksDB would take its header for none.
TEST_F(Log, LosesNothingToALostWrite) {
  for (int i = 0; i < 3; ++i) commit(2000);
  auto log = bytes_of(file());
  std::fill_n(log.begin() + static_cast<std::ptrdiff_t>(ends_.at(0)), 1000, '\0');
  EXPECT_FALSE(Database::open(left(log), Access::kReadWrite, false).ok());
  EXPECT_FALSE(Database::open(left(log), Access::kReadOnly, false).ok());
}

// What reads as torn, but another file follows, which was begun when this was synced.
TEST_F(Log, LosesNothingToDamageBeforeAnotherFile) {
  ASSERT_TRUE(database_->rocks().PauseBackgroundWork().ok());
  for (int i = 0; i < 2; ++i) commit(2000);
  const auto first = file();
  const auto log = torn(bytes_of(first));
  rocksdb::FlushOptions options;
  options.wait = false;
  ASSERT_TRUE(database_->rocks().Flush(options).ok());
  commit(2000);
  ASSERT_NE(file(), first);
  const auto copy = left(bytes_of(file()));
  EXPECT_TRUE(Database::open(copy, Access::kReadOnly, false).ok());
  replace(copy / first.filename(), log);
  EXPECT_FALSE(Database::open(copy, Access::kReadOnly, false).ok());
  EXPECT_FALSE(Database::open(copy, Access::kReadWrite, false).ok());
  ASSERT_TRUE(database_->rocks().ContinueBackgroundWork().ok());
}

// As when the write buffer is switched while a checkpoint is made, and a tail holds deletions. It is sent by the
// lengths that its files had.
TEST_F(Log, OfACheckpoint_IsNotCutLater) {
  ASSERT_TRUE(database_->rocks().DisableFileDeletions().ok());
  ASSERT_TRUE(database_->rocks().PauseBackgroundWork().ok());
  commit(2000);
  const auto first = file();
  rocksdb::FlushOptions options;
  options.wait = false;
  ASSERT_TRUE(database_->rocks().Flush(options).ok());
  const auto last = commit(2000);
  rocksdb::Checkpoint* made = nullptr;
  ASSERT_TRUE(rocksdb::Checkpoint::Create(&database_->rocks(), &made).ok());
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  const auto copy = dir_.path() / "checkpoint";
  constexpr auto kNoFlush = std::numeric_limits<std::uint64_t>::max();
  ASSERT_TRUE(checkpoint->CreateCheckpoint(copy.string(), kNoFlush).ok());
  const auto size = fs::file_size(copy / first.filename());
  ASSERT_TRUE(database_->rocks().ContinueBackgroundWork().ok());
  writer_.reset();
  database_.reset();
  EXPECT_EQ(fs::file_size(copy / first.filename()), size);
  EXPECT_EQ((*Database::open(copy, Access::kReadWrite, false))->head(), last);
}

// Without zeros, a commit that did not get done ends with the file.
TEST_F(Log, CutAnywhere_LosesItsLastCommitOnly) {
  const auto before = commit(100);
  commit(1000);
  auto log = bytes_of(file());
  for (auto size = ends_.front() + 1; size < ends_.back(); ++size) {
    auto cut = log.substr(0, size);
    cut.back() = '\0';
    ASSERT_EQ(log_end(cut).at, ends_.front()) << size;
    ASSERT_FALSE(log_end(cut).damaged) << size;
    if (size % 100 != 3) continue;
    EXPECT_EQ((*Database::open(left(cut), Access::kReadWrite, false))->head(), before);
  }
}

// Another process, such as `feedctl dump`, knows the file by itself.
TEST_F(Log, ReadByAnother_EndsWhereItDidWhenItWasOpened) {
  commit(LogFiles::kLongWrite);
  const auto before = end();
  const auto others = dir_.path() / "other.log";
  fs::create_hard_link(file(), others);
  std::unique_ptr<rocksdb::FSSequentialFile> opened;
  ASSERT_TRUE(database_->rocks()
                  .GetFileSystem()
                  ->NewSequentialFile(others.string(), {}, &opened, nullptr)
                  .ok());
  commit(100);
  std::string bytes(2 * LogFiles::kAhead, '\0');
  rocksdb::Slice read;
  ASSERT_TRUE(opened->Read(bytes.size(), {}, &read, bytes.data(), nullptr).ok());
  EXPECT_EQ(read.size(), before);
}

// The tail is read while the zeros behind it become commits.
TEST_F(Log, TailIsReadAsItGrows) {
  commit(10);
  WalTail tail(database_, {});
  CheckedBatch batch;
  ASSERT_EQ(tail.next(database_->head().position.sequence, batch), WalTail::Outcome::kBatch);
  for (int i = 0; i < 2000; ++i) {
    const auto record = commit(random_() % 500);
    ASSERT_EQ(tail.next(record.position.sequence, batch), WalTail::Outcome::kBatch);
    ASSERT_EQ(batch.record, record);
    ASSERT_EQ(tail.next(record.position.sequence, batch), WalTail::Outcome::kEnd);
  }
}

}  // namespace
}  // namespace feeds::store
