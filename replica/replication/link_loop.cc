#include "replica/replication/link_loop.h"

#include <algorithm>

#include "common/base/limits.h"
#include "common/base/log.h"

namespace feeds::replication {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

milliseconds Backoff::next() {
  const milliseconds most =
      std::min<milliseconds>(limits::kDialMin * (1 << step_), limits::kDialMax);
  if (most < limits::kDialMax) ++step_;
  return milliseconds(std::uniform_int_distribution<std::int64_t>(0, most.count())(random_));
}

LinkLoop::LinkLoop(kj::AsyncIoContext& io, const Link::Options& options,
                   store::DataDirectory& directory, store::Store& store, SequenceGate& applied,
                   Link::OnApplied on_applied, obs::Metrics& metrics, LinkState& state,
                   LinkSignals& signals)
    : io_(io),
      waker_(signals.wake, io.unixEventPort),
      context_{options, directory, store,       metrics, state, io.provider->getTimer(),
               disk_,   syncs_,    signals.stop},
      resyncs_(metrics),
      applier_(context_, applied, std::move(on_applied)),
      keeper_(context_, applier_, resyncs_),
      tasks_(*this) {}

LinkLoop::~LinkLoop() noexcept(false) = default;

kj::Promise<void> LinkLoop::run() {
  tasks_.add(dial());
  tasks_.add(keeper_.look_after_log(0 * kj::SECONDS));
  // The only signal is to stop.
  return waker_.next();
}

kj::Promise<void> LinkLoop::dial() {
  const auto timeout = wire::duration(context_.options.peer_timeout);
  return keeper_.ready()
      .then([this, timeout] {
        auto connecting = io_.provider->getNetwork()
                              .parseAddress(context_.options.primary.c_str())
                              .then([](kj::Own<kj::NetworkAddress> address) {
                                auto stream = address->connect();
                                return stream.attach(kj::mv(address));
                              });
        return context_.timer.timeoutAfter(timeout, kj::mv(connecting));
      })
      .then([this](kj::Own<kj::AsyncIoStream> stream) { return connected(kj::mv(stream)); })
      .catch_([this](kj::Exception&& why) { return ended(why); })
      .then([this] { return dial(); });
}

kj::Promise<void> LinkLoop::connected(kj::Own<kj::AsyncIoStream> stream) {
  wire::tune_socket(*stream, context_.options.peer_timeout);
  auto session = kj::heap<LinkSession>(context_, applier_, keeper_, resyncs_, kj::mv(stream));
  auto run = session->run();
  session_ = kj::mv(session);
  session_began_ = steady_clock::now();
  return run;
}

kj::Promise<void> LinkLoop::ended(const kj::Exception& why) {
  bool refused = false;
  KJ_IF_MAYBE (session, session_) {
    refused = (*session)->refused();
    if ((*session)->checksum_failed()) context_.metrics.checksum_error();
    if ((*session)->useful() || steady_clock::now() - session_began_ > limits::kDialMax) {
      backoff_.reset();
    }
  }
  context_.state.phase(refused ? "refused" : "connecting", false);
  const auto pause = backoff_.next();
  log::info("link_down", {{"primary", context_.options.primary},
                          {"reason", why.getDescription().cStr()},
                          {"retry_ms", pause.count()}});
  // Later than this turn: it runs inside a promise that the session made.
  return kj::evalLater([this, pause] {
    session_ = nullptr;
    return context_.timer.afterDelay(wire::duration(pause));
  });
}

void LinkLoop::taskFailed(kj::Exception&& exception) {
  log::error("link_task_failed", {{"reason", exception.getDescription().cStr()}});
}

}  // namespace feeds::replication
