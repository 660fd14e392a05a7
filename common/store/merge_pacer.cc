#include "common/store/merge_pacer.h"

#include <memory>

namespace feeds::store {

struct MergePacer::Merge {
  MergePacer& pacer;
  void (*work)(void*);
  void* argument;
  void* tag;
  void (*unscheduled)(void*);
  bool hurried = false;
};

// RocksDB gives flushes the high priority and merges the low one, and both a tag, the database. What has
// none removes old files.
void MergePacer::Schedule(void (*work)(void*), void* argument, Priority priority, void* tag,
                          void (*unscheduled)(void*)) {
  if (priority == Priority::HIGH && tag != nullptr) {
    std::lock_guard lock(mutex_);
    ++flushes_;
    last_flush_ = std::chrono::steady_clock::now();
    changed_.notify_all();
  }
  if (priority != Priority::LOW || tag == nullptr) {
    return EnvWrapper::Schedule(work, argument, priority, tag, unscheduled);
  }
  const auto run = [](void* scheduled) {
    const std::unique_ptr<Merge> merge(static_cast<Merge*>(scheduled));
    merge->pacer.wait(*merge);
    merge->work(merge->argument);
  };
  const auto drop = [](void* scheduled) {
    const std::unique_ptr<Merge> merge(static_cast<Merge*>(scheduled));
    if (merge->unscheduled != nullptr) merge->unscheduled(merge->argument);
  };
  EnvWrapper::Schedule(run, new Merge{*this, work, argument, tag, unscheduled}, priority, tag,
                       drop);
}

int MergePacer::UnSchedule(void* tag, Priority priority) {
  {
    std::lock_guard lock(mutex_);
    for (auto* merge : waiting_) merge->hurried |= merge->tag == tag;
    changed_.notify_all();
  }
  return EnvWrapper::UnSchedule(tag, priority);
}

void MergePacer::wait(Merge& merge) {
  std::unique_lock lock(mutex_);
  waiting_.push_back(&merge);
  while (!merge.hurried && flushes_ < pace_.flushes) {
    const auto end = last_flush_ + pace_.pause;
    if (std::chrono::steady_clock::now() >= end) break;
    changed_.wait_until(lock, end);
  }
  std::erase(waiting_, &merge);
  flushes_ = 0;
}

}  // namespace feeds::store
