#include "common/base/task_thread.h"

namespace feeds {

TaskThread::TaskThread(std::size_t queue_max)
    : queue_max_(queue_max), thread_([this] { run(); }) {}

TaskThread::~TaskThread() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool TaskThread::post(std::function<void()> task) {
  {
    std::lock_guard lock(mutex_);
    if (tasks_.size() >= queue_max_) return false;
    tasks_.push_back(std::move(task));
  }
  changed_.notify_one();
  return true;
}

void TaskThread::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
    if (stopping_) return;
    const auto task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

}  // namespace feeds
