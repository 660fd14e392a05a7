#pragma once

#include <memory>

#include "common/base/ids.h"
#include "common/store/batch.h"
#include "common/store/database.h"

namespace feeds::store {

// Reads commits from the write-ahead log in order, by one long-lived GetUpdatesSince iterator, with
// the guards that REPLICATION facts of RocksDB 7.8 make necessary: a start that is later than asked
// with an OK status, gaps, rotation, iterators that were never valid. One thread's.
class WalTail {
 public:
  // Reads on from the commit after `after`. Holds a handle on `database`.
  WalTail(DatabasePtr database, PositionRecord after);
  ~WalTail();

  enum class Outcome {
    kBatch,       // `out` is the next commit: it follows the one before it exactly (sequence, digest)
    kEnd,         // nothing more up to `durable`
    kRetry,       // a wrong start of the log, perhaps transient: call again after a pause of 1-20 ms
    kPurged,      // proven: the log no longer holds the next commit
    kUnreadable,  // the log holds it but cannot be read, or holds something else there
    kDiverged,    // the log continues another history
  };
  // Never returns a commit past `durable`, nor one that does not follow.
  Outcome next(Sequence durable, CheckedBatch& out);

  const PositionRecord& position() const { return after_; }

 private:
  struct Impl;
  PositionRecord after_;
  std::unique_ptr<Impl> impl_;
};

// The position record of the commit that ends at `sequence`, read from the log. nullopt if the log
// does not hold it or no commit ends there.
std::optional<PositionRecord> record_at(const DatabasePtr& database, Sequence sequence);

}  // namespace feeds::store
