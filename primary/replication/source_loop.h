#pragma once

#include <kj/async-io.h>

#include <atomic>
#include <list>
#include <memory>

#include "common/store/log_upkeep.h"
#include "common/wire/wake.h"
#include "primary/replication/context.h"
#include "primary/replication/session.h"

namespace feeds::replication {

// What others tell the loop; each flag is set before the wake is signalled.
struct SourceSignals {
  wire::Wake wake;
  std::atomic<bool> stop{false};
  std::atomic<bool> retired{false};
  Relay relay;
};

// Listens, owns the sessions, and looks after the archived log. The replication thread's.
class SourceLoop final : private kj::TaskSet::ErrorHandler {
 public:
  SourceLoop(kj::AsyncIoContext& io, const Source::Options& options, store::Store& store,
             SequenceGate& durable, obs::Metrics& metrics, Peers& peers, SourceSignals& signals);
  ~SourceLoop() noexcept(false);

  // The address that is listened on. Fails if that cannot be.
  kj::Promise<std::string> listen();
  // Until told to stop.
  kj::Promise<void> run();

 private:
  kj::Promise<void> accept();
  void add_session(kj::Own<kj::AsyncIoStream> stream);
  void end_session(Peers::SessionId id, const kj::Exception& why);
  kj::Promise<void> follow_signals();
  kj::Promise<void> look_after_log(kj::Duration after);
  void taskFailed(kj::Exception&& exception) override;

  kj::AsyncIoContext& io_;
  SourceSignals& signals_;
  wire::Waker waker_;
  wire::Worker disk_{"source-disk"};
  SourceContext context_;
  kj::Own<kj::ConnectionReceiver> listener_;
  Peers::SessionId next_id_ = 1;
  store::LogUpkeep upkeep_;
  struct Entry {
    kj::Own<SourceSession> session;
    kj::Promise<void> run;  // refers to the session, so it goes first
  };
  std::list<Entry> sessions_;
  kj::TaskSet tasks_;  // last: what it runs uses the rest
};

}  // namespace feeds::replication
