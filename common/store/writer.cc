#include "common/store/writer.h"

#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include "common/base/log.h"
#include "common/keys/keyspace.h"

namespace feeds::store {
namespace {

constexpr std::size_t kBatchHeaderBytes = 12;

// Whether the batch was appended to the log and only the sync failed. RocksDB gives both failures the
// same code; the text is pinned by a test (tests/unit/store).
bool failed_in_sync(const rocksdb::Status& status) {
  const std::string_view state = status.getState() == nullptr ? "" : status.getState();
  return state.starts_with("While fdatasync") || state.starts_with("While fsync");
}

Error write_error(const rocksdb::Status& status) {
  log::error("write_failed", {{"status", status.ToString()}});
  if (failed_in_sync(status)) {
    return Error{Code::kOutcomeUnknown,
                 "the write could not be made durable; it may exist once the store is open again"};
  }
  if (status.IsNoSpace()) return Error{Code::kDiskFull, "the disk is full; nothing was written"};
  return Error{Code::kWriteFailed, "the write failed; nothing was written"};
}

Error refused() {
  return Error{Code::kWriteFailed, "writes are refused until the store is open again"};
}

}  // namespace

Writer::Writer(DatabasePtr database) : database_(std::move(database)) {}

Result<PositionRecord> Writer::commit(Batch& batch, std::int64_t commit_time_ns,
                                      const Before& before) {
  assert(batch.entries() > 0);
  if (failed()) return refused();
  auto& rocks = database_->rocks();
  const auto head = database_->head();

  const std::uint64_t first_sequence = rocks.GetLatestSequenceNumber() + 1;
  PositionRecord record;
  record.position.epoch = head.position.epoch;
  record.position.sequence.value = first_sequence + batch.entries();
  record.commit_time_ns = commit_time_ns;
  record.digest = chain(head.digest, record.position, commit_time_ns,
                        std::string_view(batch.batch_->Data()).substr(kBatchHeaderBytes));
  batch.put(keys::position_key(), encode(record));
  if (before) {
    before(SealedBatch{batch.batch_->Data(), first_sequence, batch.entries(),
                       batch.changes_pending(), record});
  }

  rocksdb::WriteOptions options;
  options.sync = true;
  database_->begin_write(batch.changes_pending());
  const auto status = rocks.Write(options, batch.batch_.get());
  database_->end_write(status.ok() ? &record : nullptr);
  if (!status.ok()) {
    failed_.store(true, std::memory_order_release);
    return write_error(status);
  }
  assert(rocks.GetLatestSequenceNumber() == record.position.sequence.value);
  return record;
}

Result<PositionRecord> Writer::apply(const CheckedBatch& batch, bool may_stall) {
  if (failed()) return refused();
  auto& rocks = database_->rocks();
  assert(batch.first_sequence == database_->head().position.sequence.value + 1);

  rocksdb::WriteBatch raw(batch.bytes);
  rocksdb::WriteOptions options;
  options.no_slowdown = !may_stall;
  database_->begin_write(batch.changes_pending);
  const auto status = rocks.Write(options, &raw);
  database_->end_write(status.ok() ? &batch.record : nullptr);
  if (status.IsIncomplete()) return Error{Code::kOverloaded, "flushes are behind"};
  if (!status.ok()) {
    failed_.store(true, std::memory_order_release);
    return write_error(status);
  }
  assert(rocks.GetLatestSequenceNumber() == batch.record.position.sequence.value);
  return batch.record;
}

Status Writer::sync() {
  if (failed()) return refused();
  const auto status = database_->rocks().SyncWAL();
  if (!status.ok()) {
    failed_.store(true, std::memory_order_release);
    return write_error(status);
  }
  return done();
}

}  // namespace feeds::store
