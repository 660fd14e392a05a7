#pragma once

#include <functional>
#include <memory>

#include "common/base/result.h"
#include "common/store/batch.h"
#include "common/store/database.h"

namespace feeds::store {

// The right to write to a database. One exists for each open database, held by one thread at a time;
// code without it cannot write. After any failure it refuses everything: the database must be reopened.
class Writer {
 public:
  explicit Writer(DatabasePtr database);

  // The commit of a primary: adds the position record to `batch`, writes and syncs it. When it returns
  // the commit is durable and visible. An empty batch is a bug.
  // `before` is shown it just before it is written.
  // Error: kWriteFailed or kDiskFull: nothing was written. kOutcomeUnknown: the sync failed.
  using Before = std::function<void(const SealedBatch&)>;
  Result<PositionRecord> commit(Batch& batch, std::int64_t commit_time_ns,
                                const Before& before = {});

  // A replica's: writes a batch that follows the head (a caller that did not check has a bug), unchanged.
  // Visible at once, durable after sync(). With `may_stall` false, kOverloaded instead of waiting for
  // RocksDB to catch up with its flushes: nothing was written, try again later.
  // Error else as commit().
  Result<PositionRecord> apply(const CheckedBatch& batch, bool may_stall = true);
  // Makes everything applied before the call durable. Any thread, also while apply() runs.
  Status sync();

  bool failed() const { return failed_.load(std::memory_order_acquire); }
  const DatabasePtr& database() const { return database_; }

 private:
  DatabasePtr database_;
  std::atomic<bool> failed_{false};
};

}  // namespace feeds::store
