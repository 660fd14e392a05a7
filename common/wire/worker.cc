#include "common/wire/worker.h"

namespace feeds::wire {

Worker::Worker(const char* name)
    : thread_([this, name] {
        ::pthread_setname_np(::pthread_self(), name);
        loop();
      }) {}

Worker::~Worker() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    jobs_.clear();
  }
  changed_.notify_all();
  thread_.join();
}

void Worker::push(kj::Function<void()> job) {
  {
    std::lock_guard lock(mutex_);
    jobs_.push_back(kj::mv(job));
  }
  changed_.notify_one();
}

void Worker::loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    {
      auto job = kj::mv(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
      // The job and what it holds go before the lock is taken again.
    }
    lock.lock();
  }
}

}  // namespace feeds::wire
