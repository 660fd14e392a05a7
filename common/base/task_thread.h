#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace feeds {

// A thread for work that would hold up an io thread. Tasks run one after the other, in order.
// Thread-safe; destroying it waits for the running task and drops the others.
class TaskThread {
 public:
  explicit TaskThread(std::size_t queue_max);
  ~TaskThread();
  TaskThread(const TaskThread&) = delete;
  TaskThread& operator=(const TaskThread&) = delete;

  // False if `queue_max` tasks wait already.
  bool post(std::function<void()> task);

 private:
  void run();

  const std::size_t queue_max_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace feeds
