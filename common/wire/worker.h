#pragma once

#include <kj/async.h>
#include <kj/function.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <type_traits>

namespace feeds::wire {

// A thread for what would block a kj loop: file work, syncs. Jobs run one after the other.
// Belongs to the loop's thread; destroying it waits for the running job and drops the others.
class Worker {
 public:
  explicit Worker(const char* name = "worker");  // of the thread; at most 15 bytes
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // The result comes back to the loop that calls this. Letting go of the promise does not stop the
  // job: what it uses must be its own.
  template <class F>
  kj::Promise<std::invoke_result_t<F>> run(F job) {
    using T = std::invoke_result_t<F>;
    auto pair = kj::newPromiseAndCrossThreadFulfiller<T>();
    push([job = kj::mv(job), fulfiller = kj::mv(pair.fulfiller)]() mutable {
      if constexpr (std::is_void_v<T>) {
        job();
        fulfiller->fulfill();
      } else {
        fulfiller->fulfill(job());
      }
    });
    return kj::mv(pair.promise);
  }

 private:
  void push(kj::Function<void()> job);
  void loop();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<kj::Function<void()>> jobs_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace feeds::wire
