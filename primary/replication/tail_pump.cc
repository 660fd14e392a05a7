#include "primary/replication/tail_pump.h"

#include <kj/debug.h>

#include "common/base/limits.h"

namespace feeds::replication {

using Outcome = store::WalTail::Outcome;

TailPump::TailPump(SourceContext& context, wire::Sink::Client sink, OpenTail tail)
    : context_(context), sink_(kj::mv(sink)), tail_(std::move(tail.tail)) {
  if (tail.first) first_ = std::make_shared<store::CheckedBatch>(std::move(*tail.first));
}

kj::Promise<Outcome> TailPump::run() {
  if (tail_->database()->retired()) {
    return KJ_EXCEPTION(DISCONNECTED, "the database is being replaced");
  }
  const auto durable = context_.durable.current();
  auto outcome = gather(durable.sequence);
  if (batches_.empty() && outcome == Outcome::kEnd) outcome = early(durable.sequence);
  if (!batches_.empty()) {
    return send(durable).then([this] { return run(); });
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
Outcome TailPump::gather(Sequence durable) {
  if (first_ != nullptr) add(std::move(first_));
  while (bytes_ < limits::kFrameBytes) {
    Relay::CommitPtr commit;
    const auto outcome = next(durable, commit);
    if (outcome != Outcome::kBatch) return outcome;
    retries_ = 0;
    if (!batches_.empty() && bytes_ + commit->bytes.size() > limits::kFrameBytes) {
      first_ = std::move(commit);
      return Outcome::kBatch;
    }
    add(std::move(commit));
  }
  return Outcome::kBatch;
}

// The next durable commit. Opening the log costs up to 20 ms, so it is not left before its end.
Outcome TailPump::next(Sequence durable, Relay::CommitPtr& out) {
  if (!in_log_) {
    out = context_.relay.find(tail_->position().position.sequence.value + 1);
    if (out != nullptr) {
      if (out->record.position.sequence > durable) return Outcome::kEnd;
      return tail_->pass(*out) ? Outcome::kBatch : Outcome::kDiverged;
    }
  }
  store::CheckedBatch batch;
  const auto outcome = tail_->next(durable, batch);
  in_log_ = outcome != Outcome::kEnd;
  if (outcome == Outcome::kBatch) out = std::make_shared<store::CheckedBatch>(std::move(batch));
  return outcome;
}

// The commit that is being synced, if there is one.
Outcome TailPump::early(Sequence durable) {
  auto commit = context_.relay.find(durable.value + 1);
  if (commit == nullptr || tail_->position().position.sequence != durable) return Outcome::kEnd;
  if (!Relay::can_leave_early(*commit)) return Outcome::kEnd;
  if (!tail_->pass(*commit)) return Outcome::kDiverged;
  add(std::move(commit));
  return Outcome::kBatch;
}

void TailPump::add(Relay::CommitPtr commit) {
  bytes_ += commit->bytes.size();
  batches_.push_back(std::move(commit));
}

kj::Promise<void> TailPump::send(Position durable) {
  const std::uint64_t words = bytes_ / sizeof(capnp::word) + 2 * batches_.size() + 16;
  auto request = sink_.frameRequest(capnp::MessageSize{words, 0});
  auto frame = request.initFrame();
  frame.setEpoch(durable.epoch.value);
  // The frame leaves only once its head is durable.
  frame.setHead(std::max(durable.sequence, batches_.back()->record.position.sequence).value);
  auto list = frame.initBatches(static_cast<unsigned>(batches_.size()));
  for (unsigned i = 0; i < batches_.size(); ++i) {
    const auto& bytes = batches_[i]->bytes;
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
