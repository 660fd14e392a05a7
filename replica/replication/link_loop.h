#pragma once

#include <kj/async-io.h>

#include <atomic>
#include <chrono>
#include <random>

#include "common/wire/wake.h"
#include "replica/replication/applier.h"
#include "replica/replication/context.h"
#include "replica/replication/resyncs.h"
#include "replica/replication/session.h"
#include "replica/replication/store_keeper.h"

namespace feeds::replication {

// How long to wait before the next dial: exponential, with full jitter, so that replicas of a
// source that comes back do not come all at once.
class Backoff {
 public:
  std::chrono::milliseconds next();
  void reset() { step_ = 0; }

 private:
  int step_ = 0;
  std::minstd_rand random_{std::random_device{}()};
};

struct LinkSignals {
  wire::Wake wake;
  std::atomic<bool> stop{false};
};

// Dials, runs one session after the other, and keeps the store fit to be written to. The link's
// thread's.
class LinkLoop final : private kj::TaskSet::ErrorHandler {
 public:
  LinkLoop(kj::AsyncIoContext& io, const Link::Options& options, store::DataDirectory& directory,
           store::Store& store, SequenceGate& applied, Link::OnApplied on_applied,
           obs::Metrics& metrics, LinkState& state, LinkSignals& signals);
  ~LinkLoop() noexcept(false);

  // Until told to stop.
  kj::Promise<void> run();

 private:
  kj::Promise<void> dial();
  kj::Promise<void> connected(kj::Own<kj::AsyncIoStream> stream);
  kj::Promise<void> ended(const kj::Exception& why);
  void taskFailed(kj::Exception&& exception) override;

  kj::AsyncIoContext& io_;
  wire::Waker waker_;
  wire::Worker disk_{"link-disk"};  // joined last: a swap under way waits for the applier to let go
  wire::Worker syncs_{"link-sync"};
  LinkContext context_;
  Resyncs resyncs_;
  Applier applier_;
  StoreKeeper keeper_;
  Backoff backoff_;
  kj::Maybe<kj::Own<LinkSession>> session_;
  std::chrono::steady_clock::time_point session_began_;
  kj::TaskSet tasks_;  // last: what it runs uses the rest
};

}  // namespace feeds::replication
