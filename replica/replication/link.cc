#include "replica/replication/link.h"

#include <kj/async-io.h>

#include <thread>

#include "replica/replication/link_loop.h"

namespace feeds::replication {

struct Link::Impl {
  Impl(Options chosen, store::DataDirectory& place, store::Store& data, SequenceGate& gate,
       obs::Metrics& counters)
      : options(std::move(chosen)),
        directory(place),
        store(data),
        applied(gate),
        metrics(counters) {}

  const Options options;
  store::DataDirectory& directory;
  store::Store& store;
  SequenceGate& applied;
  obs::Metrics& metrics;
  OnApplied on_applied;
  LinkState state;
  LinkSignals signals;
  std::thread thread;

  void run() {
    ::pthread_setname_np(::pthread_self(), "link");
    auto io = kj::setupAsyncIo();
    io.waitScope.setBusyPollInterval(wire::kPollEveryEvents);
    LinkLoop loop(io, options, directory, store, applied, on_applied, metrics, state, signals);
    loop.run().wait(io.waitScope);
  }
};

Link::Link(Options options, store::DataDirectory& directory, store::Store& store,
           SequenceGate& applied, obs::Metrics& metrics)
    : impl_(std::make_unique<Impl>(std::move(options), directory, store, applied, metrics)) {
  impl_->state.cluster(directory.identity().cluster_id);
}

Link::~Link() {
  stop();
}

void Link::on_applied(OnApplied callback) {
  impl_->on_applied = std::move(callback);
}

void Link::start() {
  impl_->thread = std::thread([impl = impl_.get()] { impl->run(); });
}

void Link::stop() {
  if (!impl_->thread.joinable()) return;
  impl_->signals.stop.store(true, std::memory_order_release);
  impl_->signals.wake.signal();
  impl_->thread.join();
  impl_->state.phase("connecting", false);
}

obs::LinkStatus Link::status() const {
  return impl_->state.status(std::chrono::steady_clock::now());
}

}  // namespace feeds::replication
