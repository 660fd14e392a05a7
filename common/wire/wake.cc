#include "common/wire/wake.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cassert>
#include <cstdint>

namespace feeds::wire {

Wake::Wake() : fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  assert(fd_ >= 0);
}

Wake::~Wake() {
  ::close(fd_);
}

void Wake::signal() {
  if (pending_.exchange(true, std::memory_order_acq_rel)) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(fd_, &one, sizeof one);
  assert(written == sizeof one);
}

Waker::Waker(Wake& wake, kj::UnixEventPort& port)
    : wake_(wake), observer_(port, wake.fd_, kj::UnixEventPort::FdObserver::OBSERVE_READ) {}

kj::Promise<void> Waker::next() {
  return observer_.whenBecomesReadable().then([this] {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto got = ::read(wake_.fd_, &count, sizeof count);
    // An exchange, not a store: it takes part in the order of signal()'s, so what a signaller that
    // found the flag set had published before is seen after this.
    wake_.pending_.exchange(false, std::memory_order_acq_rel);
  });
}

}  // namespace feeds::wire
