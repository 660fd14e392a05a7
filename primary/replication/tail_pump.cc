#include "primary/replication/tail_pump.h"

#include <kj/debug.h>

#include "common/base/limits.h"

namespace feeds::replication {

using Outcome = store::WalTail::Outcome;

TailPump::TailPump(SourceContext& context, wire::Sink::Client sink, OpenTail tail)
    : context_(context), sink_(kj::mv(sink)), tail_(std::move(tail)) {}

kj::Promise<Outcome> TailPump::run() {
  if (tail_.tail->database()->retired()) {
    return KJ_EXCEPTION(DISCONNECTED, "the database is being replaced");
  }
  const auto outcome = gather();
  if (!batches_.empty()) {
    return send().then([this] { return run(); });
  }
  switch (outcome) {
    case Outcome::kBatch:
    case Outcome::kEnd:
      return idle().then([this] { return run(); });
    case Outcome::kRetry:
      context_.metrics.tail_reopen();
      return context_.timer.afterDelay(++retries_ * kj::MILLISECONDS).then([this] {
        return run();
      });
    case Outcome::kPurged:
    case Outcome::kUnreadable:
    case Outcome::kDiverged:
      break;
  }
  return outcome;
}

// Fills the frame. kBatch: it is full.
Outcome TailPump::gather() {
  const auto durable = context_.durable.current().sequence;
  if (tail_.first) {
    bytes_ += tail_.first->bytes.size();
    batches_.push_back(std::move(*tail_.first));
    tail_.first.reset();
  }
  while (bytes_ < limits::kFrameBytes) {
    store::CheckedBatch batch;
    const auto outcome = tail_.tail->next(durable, batch);
    if (outcome != Outcome::kBatch) return outcome;
    retries_ = 0;
    if (!batches_.empty() && bytes_ + batch.bytes.size() > limits::kFrameBytes) {
      tail_.first = std::move(batch);  // of the next frame
      return Outcome::kBatch;
    }
    bytes_ += batch.bytes.size();
    batches_.push_back(std::move(batch));
  }
  return Outcome::kBatch;
}

kj::Promise<void> TailPump::send() {
  const std::uint64_t words = bytes_ / sizeof(capnp::word) + 2 * batches_.size() + 16;
  auto request = sink_.frameRequest(capnp::MessageSize{words, 0});
  auto frame = request.initFrame();
  const auto durable = context_.durable.current();
  frame.setEpoch(durable.epoch.value);
  frame.setHead(durable.sequence.value);
  auto list = frame.initBatches(static_cast<unsigned>(batches_.size()));
  for (unsigned i = 0; i < batches_.size(); ++i) {
    const auto& bytes = batches_[i].bytes;
    list.set(i, kj::arrayPtr(reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()));
  }
  batches_.clear();
  bytes_ = 0;
  return request.send();
}

kj::Promise<void> TailPump::idle() {
  auto pair = kj::newPromiseAndFulfiller<void>();
  idle_ = kj::mv(pair.fulfiller);
  return kj::mv(pair.promise);
}

void TailPump::wake() {
  KJ_IF_MAYBE (fulfiller, idle_) {
    (*fulfiller)->fulfill();
    idle_ = nullptr;
  }
}

}  // namespace feeds::replication
