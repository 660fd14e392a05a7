#pragma once

#include <memory>

#include "common/base/ids.h"
#include "common/store/batch.h"
#include "common/store/database.h"

namespace feeds::store {

// Reads commits from the write-ahead log in order, by one long-lived GetUpdatesSince iterator, with
// the guards that RocksDB 7.8 makes necessary (tests/unit/replication/rocksdb_assumptions_test.cc):
// a start that is later than asked with an OK status, gaps, rotation, iterators that were never
// valid. One thread's.
class WalTail {
 public:
  // Reads on from the commit after `after`. Holds a handle on `database`.
  WalTail(DatabasePtr database, PositionRecord after);
  ~WalTail();

  enum class Outcome {
    kBatch,   // `out` is the next commit: it follows the one before it exactly (sequence, digest)
    kEnd,     // nothing more up to `durable`
    kRetry,   // a wrong start of the log, perhaps transient: call again after a pause of 1-20 ms
    kPurged,  // proven: the log no longer holds the next commit
    kUnreadable,  // the log holds it but cannot be read, or holds something else there
    kDiverged,    // the log continues another history than `after` is of
  };
  // Never returns a commit past `durable`, nor one that does not follow. kRetry comes at most
  // limits::kTailReopens times in a row.
  Outcome next(Sequence durable, CheckedBatch& out);

  // The next commit was come by without the log: goes on behind it. False: it does not follow.
  bool pass(const CheckedBatch& next);

  const PositionRecord& position() const { return after_; }
  const DatabasePtr& database() const { return database_; }

 private:
  struct Cursor;
  enum class Step { kAtBatch, kEnd, kWrong };
  Step advance(std::uint64_t wanted);
  Step open(std::uint64_t wanted);
  Outcome take(std::uint64_t wanted, Sequence durable, CheckedBatch& out);
  Outcome wrong(std::uint64_t wanted);

  DatabasePtr database_;
  PositionRecord after_;
  std::unique_ptr<Cursor> cursor_;
  int wrong_starts_ = 0;
};

}  // namespace feeds::store
