#pragma once

#include <rocksdb/env.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

namespace feeds::store {

// When RocksDB merges the files of flushed write buffers into the others. Every file costs a page a seek, so
// RocksDB asks for a merge as soon as there are two. But a merge writes all of the lowest level again: under
// a load, where the next flush is a moment away, half of the server's CPU time went there. So a merge that was
// asked for waits until no flush has come for a while, or many have; it takes all that there is by then.
//
// Thread-safe; shared by all databases of the process. Private to common/store.
class MergePacer : public rocksdb::EnvWrapper {
 public:
  struct Pace {
    std::chrono::milliseconds pause;  // without a flush
    std::uint64_t flushes;            // since the last merge began
  };
  // Only `target`'s threads are wrapped: its files are used as they are.
  MergePacer(rocksdb::Env* target, Pace pace) : EnvWrapper(target), pace_(pace) {
    file_system_ = target->GetFileSystem();
  }

  const char* Name() const override { return "feeds.merge_pacer"; }
  void Schedule(void (*work)(void*), void* argument, Priority priority, void* tag,
                void (*unscheduled)(void*)) override;
  // Of a database that is being closed: a merge that waits does not hold that up.
  int UnSchedule(void* tag, Priority priority) override;

 private:
  struct Merge;
  void wait(Merge& merge);

  const Pace pace_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Merge*> waiting_;
  std::uint64_t flushes_ = 0;
  std::chrono::steady_clock::time_point last_flush_{};
};

}  // namespace feeds::store
