#pragma once

#include <kj/async-unix.h>
#include <kj/async.h>

#include <atomic>

namespace feeds::wire {

// Rouses a kj loop from any thread, for the price of one write to an eventfd, or of nothing when
// a signal is under way already. What it is about must be published before signal() is called.
class Wake {
 public:
  Wake();
  ~Wake();
  Wake(const Wake&) = delete;
  Wake& operator=(const Wake&) = delete;

  void signal();

 private:
  friend class Waker;
  int fd_;
  std::atomic<bool> pending_{false};
};

// The loop's end of a Wake. Belongs to the loop's thread.
class Waker {
 public:
  Waker(Wake& wake, kj::UnixEventPort& port);

  // Resolves after a signal. Ask for the next one in the same turn as the answer was handled in.
  kj::Promise<void> next();

 private:
  Wake& wake_;
  kj::UnixEventPort::FdObserver observer_;
};

}  // namespace feeds::wire
