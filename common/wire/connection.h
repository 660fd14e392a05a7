#pragma once

#include <capnp/rpc-twoparty.h>
#include <kj/async-io.h>
#include <kj/timer.h>

#include <chrono>

#include "common/wire/checked_stream.h"

namespace feeds::wire {

// An RPC connection between two nodes over any byte stream (TCP, or a pipe in tests).
// One kj loop's. Destroying it closes the stream and fails all calls under way.
class Connection {
 public:
  // The side that dialled.
  Connection(kj::Own<kj::AsyncIoStream> stream, kj::Timer& timer);
  // The side that accepted; offers `bootstrap` to the other.
  Connection(kj::Own<kj::AsyncIoStream> stream, kj::Timer& timer,
             capnp::Capability::Client bootstrap);
  KJ_DISALLOW_COPY(Connection);

  // What the accepting side offers.
  capnp::Capability::Client bootstrap();

  // Fails, saying why, when the other side is gone: closed, a failed read or write, a wrong
  // checksum; or no byte came for `timeout`: TCP says nothing of a stopped process or a cut cable.
  kj::Promise<void> lost(kj::Duration timeout);

  // When the newest byte came.
  kj::TimePoint last_heard() const { return checked_.last_heard(); }
  bool checksum_failed() const { return checked_.checksum_failed(); }
  const std::shared_ptr<Outlet>& outlet() const { return checked_.outlet(); }

 private:
  kj::Promise<void> silent_for(kj::Duration timeout);

  kj::Timer& timer_;
  kj::Own<kj::AsyncIoStream> stream_;
  CheckedStream checked_;
  capnp::TwoPartyVatNetwork network_;
  capnp::RpcSystem<capnp::rpc::twoparty::VatId> rpc_;
};

// For TCP: no delay, and the kernel's own timers as a second line behind silent_for().
void tune_socket(kj::AsyncIoStream& stream, std::chrono::milliseconds peer_timeout);

// For WaitScope::setBusyPollInterval(): kj looks at timers and other descriptors only when it has
// nothing to do, and a peer that always has more to send would keep it from that.
inline constexpr unsigned kPollEveryEvents = 50;

inline kj::Duration duration(std::chrono::nanoseconds time) {
  return time.count() * kj::NANOSECONDS;
}

}  // namespace feeds::wire
