#include "primary/replication/source.h"

#include <kj/async-io.h>

#include <future>
#include <thread>

#include "primary/replication/source_loop.h"

namespace feeds::replication {

struct Source::Impl {
  Impl(Options chosen, store::Store& data, SequenceGate& gate, obs::Metrics& counters)
      : options(std::move(chosen)), store(data), durable(gate), metrics(counters) {}

  const Options options;
  store::Store& store;
  SequenceGate& durable;
  obs::Metrics& metrics;
  // Shared with callbacks of the store and of the gate, which may outlive this.
  std::shared_ptr<Peers> peers = std::make_shared<Peers>();
  std::shared_ptr<SourceSignals> signals = std::make_shared<SourceSignals>();
  std::shared_ptr<void> listening;
  std::string address;
  std::thread thread;

  void run(std::promise<Result<std::string>>& started) {
    ::pthread_setname_np(::pthread_self(), "source");
    auto io = kj::setupAsyncIo();
    io.waitScope.setBusyPollInterval(wire::kPollEveryEvents);
    SourceLoop loop(io, options, store, durable, metrics, *peers, *signals);
    std::string bound;
    KJ_IF_MAYBE (exception,
                 kj::runCatchingExceptions([&] { bound = loop.listen().wait(io.waitScope); })) {
      started.set_value(Error{Code::kBadParameter, options.listen + " cannot be listened on: " +
                                                       exception->getDescription().cStr()});
      return;
    }
    started.set_value(bound);
    loop.run().wait(io.waitScope);
  }
};

Source::Source(Options options, store::Store& store, SequenceGate& durable, obs::Metrics& metrics)
    : impl_(std::make_unique<Impl>(std::move(options), store, durable, metrics)) {
  impl_->store.on_retire([signals = impl_->signals] {
    signals->relay.retired();
    signals->retired.store(true, std::memory_order_release);
    signals->wake.signal();
  });
}

Source::~Source() {
  stop();
}

Status Source::start() {
  auto& impl = *impl_;
  impl.peers->durable(impl.durable.current(), std::chrono::steady_clock::now());
  impl.listening = impl.durable.listen([signals = impl.signals, peers = impl.peers](Position now) {
    const bool rouse = signals->relay.durable(now.sequence);
    peers->durable(now, std::chrono::steady_clock::now());
    if (rouse) signals->wake.signal();
  });
  std::promise<Result<std::string>> started;
  auto outcome = started.get_future();
  impl.thread = std::thread([&impl, &started] { impl.run(started); });
  const auto address = outcome.get();
  if (!address) {
    impl.thread.join();
    return address.error();
  }
  impl.address = *address;
  return done();
}

std::string Source::address() const {
  return impl_->address;
}

void Source::writing(const store::SealedBatch& batch) {
  if (impl_->signals->relay.writing(batch)) impl_->signals->wake.signal();
}

void Source::stop() {
  if (!impl_->thread.joinable()) return;
  impl_->listening.reset();
  impl_->signals->stop.store(true, std::memory_order_release);
  impl_->signals->wake.signal();
  impl_->thread.join();
}

std::vector<obs::PeerStatus> Source::peers() const {
  return impl_->peers->list(std::chrono::steady_clock::now());
}

}  // namespace feeds::replication
