#pragma once

#include <kj/async.h>

#include <memory>
#include <optional>
#include <vector>

#include "common/store/wal_tail.h"
#include "primary/replication/context.h"
#include "schema/replication.capnp.h"

namespace feeds::replication {

// A tail that was opened and proven to follow a replica's position.
struct OpenTail {
  std::unique_ptr<store::WalTail> tail;
  std::optional<store::CheckedBatch> first;  // already read from it
};

// Sends what a tail reads, frame by frame, as fast as the replica takes it. The loop's.
class TailPump {
 public:
  TailPump(SourceContext& context, wire::Sink::Client sink, OpenTail tail);

  // Runs until the log cannot be read on; then why: kPurged, kUnreadable or kDiverged. Fails when
  // the connection does or the database is retired.
  kj::Promise<store::WalTail::Outcome> run();
  // `durable` has moved.
  void wake();

 private:
  store::WalTail::Outcome gather();
  kj::Promise<void> send();
  kj::Promise<void> idle();

  SourceContext& context_;
  wire::Sink::Client sink_;
  OpenTail tail_;
  std::vector<store::CheckedBatch> batches_;  // of the frame being gathered
  std::size_t bytes_ = 0;
  int retries_ = 0;
  kj::Maybe<kj::Own<kj::PromiseFulfiller<void>>> idle_;
};

}  // namespace feeds::replication
