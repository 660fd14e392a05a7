#include "primary/replication/source_loop.h"

#include <kj/debug.h>

#include <limits>

#include "common/base/limits.h"
#include "common/base/log.h"

namespace feeds::replication {
namespace {

constexpr auto kUpkeepPause = store::LogUpkeep::kPause.count() * kj::SECONDS;
// Out of file descriptors: the pause before the next try to accept.
constexpr auto kAcceptPause = 100 * kj::MILLISECONDS;

std::string host_of(const std::string& listen) {
  return listen.substr(0, listen.rfind(':'));
}

}  // namespace

SourceLoop::SourceLoop(kj::AsyncIoContext& io, const Source::Options& options, store::Store& store,
                       SequenceGate& durable, obs::Metrics& metrics, Peers& peers,
                       SourceSignals& signals)
    : io_(io),
      signals_(signals),
      waker_(signals.wake, io.unixEventPort),
      context_{options, store, durable, metrics, peers, signals.relay, io.provider->getTimer(),
               disk_},
      tasks_(*this) {}

SourceLoop::~SourceLoop() noexcept(false) = default;

kj::Promise<std::string> SourceLoop::listen() {
  const auto& address = context_.options.listen;
  return io_.provider->getNetwork()
      .parseAddress(address.c_str())
      .then([this](kj::Own<kj::NetworkAddress> parsed) {
        listener_ = parsed->listen();
        return host_of(context_.options.listen) + ':' + std::to_string(listener_->getPort());
      });
}

kj::Promise<void> SourceLoop::run() {
  tasks_.add(accept());
  // At once: a node that always ends before its time came would fill its disk.
  tasks_.add(look_after_log(0 * kj::SECONDS));
  return follow_signals();
}

kj::Promise<void> SourceLoop::accept() {
  return listener_->accept()
      .then([this](kj::Own<kj::AsyncIoStream> stream) { add_session(kj::mv(stream)); })
      .catch_([this](kj::Exception&& exception) {
        log::warn("accept_failed", {{"reason", exception.getDescription().cStr()}});
        return context_.timer.afterDelay(kAcceptPause);
      })
      .then([this] { return accept(); });
}

void SourceLoop::add_session(kj::Own<kj::AsyncIoStream> stream) {
  // Those beyond kReplicas are told so; far beyond, connections that say nothing are not kept.
  if (sessions_.size() >= 2 * limits::kReplicas) return;
  wire::tune_socket(*stream, context_.options.peer_timeout);
  const auto id = next_id_++;
  auto session = kj::heap<SourceSession>(context_, kj::mv(stream), id);
  auto run = session->run().eagerlyEvaluate([this, id](kj::Exception&& why) {
    // Later: this runs inside the promise that goes with the session.
    tasks_.add(kj::evalLater([this, id, why = kj::mv(why)] { end_session(id, why); }));
  });
  sessions_.push_back(Entry{kj::mv(session), kj::mv(run)});
}

void SourceLoop::end_session(Peers::SessionId id, const kj::Exception& why) {
  for (auto it = sessions_.begin(); it != sessions_.end(); ++it) {
    auto& session = *it->session;
    if (session.id() != id) continue;
    if (session.checksum_failed()) context_.metrics.checksum_error();
    log::info("replica_gone",
              {{"node", session.node_id()}, {"reason", why.getDescription().cStr()}});
    sessions_.erase(it);
    return;
  }
}

kj::Promise<void> SourceLoop::follow_signals() {
  return waker_.next().then([this]() -> kj::Promise<void> {
    if (signals_.stop.load(std::memory_order_acquire)) return kj::READY_NOW;
    if (signals_.retired.exchange(false, std::memory_order_acq_rel)) {
      log::info("replicas_dropped", {{"reason", "the database is being replaced"}});
      sessions_.clear();
    }
    for (auto& entry : sessions_) entry.session->wake();
    return follow_signals();
  });
}

kj::Promise<void> SourceLoop::look_after_log(kj::Duration after) {
  return context_.timer.afterDelay(after).then([this]() -> kj::Promise<void> {
    auto database = context_.store.acquire();
    if (!database) return look_after_log(kUpkeepPause);
    Sequence keep_from{std::numeric_limits<std::uint64_t>::max()};
    for (const auto& entry : sessions_) {
      if (const auto pin = entry.session->pin()) keep_from = std::min(keep_from, *pin);
    }
    auto work = upkeep_.look(std::move(*database), context_.options.retain_wal, keep_from);
    if (work == nullptr) return look_after_log(kUpkeepPause);
    return disk_.run(std::move(work)).then([this](std::uint64_t) {
      return look_after_log(kUpkeepPause);
    });
  });
}

void SourceLoop::taskFailed(kj::Exception&& exception) {
  log::error("replication_task_failed", {{"reason", exception.getDescription().cStr()}});
}

}  // namespace feeds::replication
