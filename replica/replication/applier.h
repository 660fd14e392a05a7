#pragma once

#include <capnp/blob.h>
#include <kj/async.h>

#include <memory>

#include "common/base/sequence_gate.h"
#include "common/store/writer.h"
#include "replica/replication/context.h"

namespace feeds::replication {

// The one writer of a replica's database: applies commits that follow its head and makes them
// visible at once. Lives as long as the link, over many sessions and databases. The loop's.
class Applier {
 public:
  Applier(LinkContext& context, SequenceGate& applied, Link::OnApplied on_applied);

  // Takes hold of the store's database, if it has one that can be written to. False: the store must
  // be reopened. (An empty store is fine, and so is holding one already.)
  bool attach();
  // Lets go of it, so that it can be replaced. A sync under way on `syncs` may hold it a little
  // longer.
  void detach();
  bool attached() const { return writer_ != nullptr; }

  // Of the database attached to.
  store::PositionRecord position() const;
  const store::DatabasePtr& database() const { return writer_->database(); }

  enum class Outcome {
    kApplied,
    kStalled,   // flushes are behind: nothing was done, try again in a few milliseconds
    kGap,       // not the next commit, or no well-formed one
    kDiverged,  // the next commit of another history
    kFailed,    // the write failed: detach and reopen the store
  };
  Outcome apply(capnp::Data::Reader batch);

  // Makes what was applied before the call durable, on `syncs`. Error: as Writer::sync().
  kj::Promise<Result<Position>> sync();

  // After the store was given another database: attaches to it and announces where it is.
  bool attach_replaced();

 private:
  LinkContext& context_;
  SequenceGate& applied_;
  Link::OnApplied on_applied_;
  std::shared_ptr<store::Writer> writer_;
};

}  // namespace feeds::replication
