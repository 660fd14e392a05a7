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

// Sends commits, frame by frame, as fast as the replica takes them: from memory while it is level, from the
// log while it is behind. The next commit, if small, goes alone while it is being synced: the connection
// keeps the frame back until it is durable. The loop's.
class TailPump {
 public:
  TailPump(SourceContext& context, wire::Sink::Client sink, OpenTail tail);

  // Runs until the log cannot be read on; then why: kPurged, kUnreadable or kDiverged. Fails when
  // the connection does or the database is retired.
  kj::Promise<store::WalTail::Outcome> run();
  // `durable` has moved, or is about to.
  void wake();

 private:
  using Outcome = store::WalTail::Outcome;
  Outcome gather(Sequence durable);
  Outcome next(Sequence durable, Relay::CommitPtr& out);
  Outcome early(Sequence durable);
  void add(Relay::CommitPtr commit);
  kj::Promise<void> send(Position durable);
  kj::Promise<void> idle();

  SourceContext& context_;
  wire::Sink::Client sink_;
  std::unique_ptr<store::WalTail> tail_;
  Relay::CommitPtr first_;                // of the next frame
  std::vector<Relay::CommitPtr> batches_;  // of the frame being gathered
  std::size_t bytes_ = 0;
  bool in_log_ = false;  // and goes on there until level
  int retries_ = 0;
  kj::Maybe<kj::Own<kj::PromiseFulfiller<void>>> idle_;
};

}  // namespace feeds::replication
