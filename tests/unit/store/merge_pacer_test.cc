#include "common/store/merge_pacer.h"

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/listener.h>

#include <atomic>
#include <memory>
#include <thread>

#include "tests/support/temp_dir.h"

namespace feeds::store {
namespace {

using namespace std::chrono_literals;

// Counts the files that merges began with.
class Merges : public rocksdb::EventListener {
 public:
  void OnCompactionBegin(rocksdb::DB*, const rocksdb::CompactionJobInfo& job) override {
    if (begun++ == 0) files_of_first = job.input_files.size();
  }
  std::atomic<int> begun = 0;
  std::atomic<std::size_t> files_of_first = 0;
};

class PacedDatabase : public testing::Test {
 protected:
  void open(MergePacer::Pace pace) {
    pacer_ = std::make_unique<MergePacer>(rocksdb::Env::Default(), pace);
    rocksdb::Options options;
    options.create_if_missing = true;
    options.env = pacer_.get();
    options.max_background_jobs = 2;
    options.level0_file_num_compaction_trigger = 2;
    options.listeners = {merges_};
    rocksdb::DB* raw = nullptr;
    ASSERT_TRUE(rocksdb::DB::Open(options, (dir_.path() / "db").string(), &raw).ok());
    database_.reset(raw);
  }
  // Another file. Their keys overlap, so that they cannot just be moved.
  void flush() {
    ASSERT_TRUE(database_->Put(rocksdb::WriteOptions(), "a", "v").ok());
    ASSERT_TRUE(database_->Put(rocksdb::WriteOptions(), "b", "v").ok());
    ASSERT_TRUE(database_->Flush(rocksdb::FlushOptions()).ok());
  }
  void wait_for_merge() const {
    while (merges_->begun == 0) std::this_thread::yield();
  }

  test::TempDir dir_;
  std::shared_ptr<Merges> merges_ = std::make_shared<Merges>();
  std::unique_ptr<MergePacer> pacer_;
  std::unique_ptr<rocksdb::DB> database_;
};

TEST_F(PacedDatabase, UnderALoad_MergesManyFilesAtOnce) {
  open({.pause = 1h, .flushes = 6});
  for (int i = 0; i < 5; ++i) flush();
  EXPECT_EQ(merges_->begun, 0);
  flush();
  wait_for_merge();
  EXPECT_GE(merges_->files_of_first, 5U);  // the sixth may still be being written
}

TEST_F(PacedDatabase, WhenTheLoadPauses_MergesWhatThereIs) {
  open({.pause = 1ms, .flushes = 1000});
  flush();
  flush();
  wait_for_merge();
  EXPECT_EQ(merges_->files_of_first, 2U);
}

TEST_F(PacedDatabase, Closing_DoesNotWaitForThePause) {
  open({.pause = 1h, .flushes = 1000});
  for (int i = 0; i < 4; ++i) flush();
  database_.reset();
  EXPECT_EQ(merges_->begun, 0);
  open({.pause = 0ms, .flushes = 1000});
  wait_for_merge();
  EXPECT_EQ(merges_->files_of_first, 4U);
}

}  // namespace
}  // namespace feeds::store
