#include "replica/replication/applier.h"

#include "common/base/log.h"

namespace feeds::replication {

Applier::Applier(LinkContext& context, SequenceGate& applied, Link::OnApplied on_applied)
    : context_(context), applied_(applied), on_applied_(std::move(on_applied)) {}

bool Applier::attach() {
  if (writer_ != nullptr) return !writer_->failed();
  switch (context_.store.state()) {
    case store::StoreState::kEmpty:
      return true;
    case store::StoreState::kServing:
      break;
    case store::StoreState::kReopening:
    case store::StoreState::kReadOnly:
      return false;
  }
  auto database = context_.store.acquire();
  if (!database) return false;
  writer_ = std::make_shared<store::Writer>(std::move(*database));
  const auto head = position().position;
  context_.state.applied(head, std::chrono::steady_clock::now());
  if (applied_.current() != head) applied_.reset(head);
  return true;
}

bool Applier::attach_replaced() {
  detach();
  if (!attach() || writer_ == nullptr) return false;
  const auto record = position();
  context_.state.replaced(record.position);
  applied_.reset(record.position);
  if (on_applied_) on_applied_(database(), record);
  return true;
}

void Applier::detach() {
  writer_.reset();
}

store::PositionRecord Applier::position() const {
  return database()->head();
}

Applier::Outcome Applier::apply(capnp::Data::Reader batch) {
  auto checked =
      store::check_batch(std::string(reinterpret_cast<const char*>(batch.begin()), batch.size()));
  if (!checked) {
    log::error("batch_malformed", {{"reason", checked.error().detail}});
    return Outcome::kGap;
  }
  switch (store::follows(position(), *checked)) {
    case store::Continuity::kFollows:
      break;
    case store::Continuity::kGap:
      log::error("batch_out_of_order", {{"applied", feeds::to_string(position().position)},
                                        {"first", checked->first_sequence}});
      return Outcome::kGap;
    case store::Continuity::kDiverged:
      return Outcome::kDiverged;
  }
  const auto written = writer_->apply(*checked, false);
  if (!written) {
    return written.error().code == Code::kOverloaded ? Outcome::kStalled : Outcome::kFailed;
  }
  applied_.publish(written->position);
  context_.state.applied(written->position, std::chrono::steady_clock::now());
  if (on_applied_) on_applied_(database(), *written);
  return Outcome::kApplied;
}

kj::Promise<Result<Position>> Applier::sync() {
  return context_.syncs.run(
      [writer = writer_, position = position().position]() -> Result<Position> {
        if (auto synced = writer->sync(); !synced) return synced.error();
        return position;
      });
}

}  // namespace feeds::replication
