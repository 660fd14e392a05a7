#pragma once

#include <kj/async.h>
#include <kj/debug.h>
#include <kj/refcount.h>

namespace feeds::wire {

// How a capability's server reaches the session it speaks for. RPC may keep a server, and calls
// under way on it, for some turns after the session was destroyed. One kj loop's.
template <class T>
class Leash final : public kj::Refcounted {
 public:
  explicit Leash(T& target) : target_(&target) {}

  // The session is being destroyed: what calls wait for is dropped at once, later calls fail.
  void cut() {
    target_ = nullptr;
    canceler_.cancel("the session is over");
  }

  // Runs `handle(T&)`, which returns a promise, for as long as the session lives.
  template <class F>
  auto call(F&& handle) -> decltype(handle(kj::instance<T&>())) {
    if (target_ == nullptr) return KJ_EXCEPTION(DISCONNECTED, "the session is over");
    return canceler_.wrap(handle(*target_));
  }

 private:
  T* target_;
  kj::Canceler canceler_;
};

}  // namespace feeds::wire
