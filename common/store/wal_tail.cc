#include "common/store/wal_tail.h"

#include <rocksdb/db.h>
#include <rocksdb/transaction_log.h>
#include <rocksdb/write_batch.h>

#include <optional>

#include "common/base/limits.h"
#include "common/base/log.h"

namespace feeds::store {
namespace {

// While files are archived, one call can miss some of them and start too late with an OK status.
// Under this hold, and after a listing, it was not seen to.
class FileDeletionsHeld {
 public:
  explicit FileDeletionsHeld(rocksdb::DB& rocks)
      : rocks_(rocks), held_(rocks.DisableFileDeletions().ok()) {}
  ~FileDeletionsHeld() {
    // Not forced: others, such as a checkpoint being made, may hold them too.
    if (held_) rocks_.EnableFileDeletions(false).PermitUncheckedError();
  }
  FileDeletionsHeld(const FileDeletionsHeld&) = delete;
  FileDeletionsHeld& operator=(const FileDeletionsHeld&) = delete;

 private:
  rocksdb::DB& rocks_;
  bool held_;
};

// Whether some file of the log starts at or before `sequence`. An empty file has no start (0).
bool log_reaches_back_to(rocksdb::DB& rocks, std::uint64_t sequence) {
  rocksdb::VectorLogPtr files;
  if (!rocks.GetSortedWalFiles(files).ok()) return true;  // nothing is proven
  for (const auto& file : files) {
    const auto start = file->StartSequence();
    if (start != 0 && start <= sequence) return true;
  }
  return false;
}

}  // namespace

struct WalTail::Cursor {
  std::unique_ptr<rocksdb::TransactionLogIterator> iterator;
};

WalTail::WalTail(DatabasePtr database, PositionRecord after)
    : database_(std::move(database)), after_(after) {}

WalTail::~WalTail() = default;

WalTail::Outcome WalTail::next(Sequence durable, CheckedBatch& out) {
  if (after_.position.sequence >= durable) return Outcome::kEnd;
  const std::uint64_t wanted = after_.position.sequence.value + 1;
  switch (advance(wanted)) {
    case Step::kAtBatch:
      return take(wanted, durable, out);
    case Step::kEnd:
      return Outcome::kEnd;
    case Step::kWrong:
      break;
  }
  return wrong(wanted);
}

bool WalTail::pass(const CheckedBatch& next) {
  if (follows(after_, next) != Continuity::kFollows) return false;
  after_ = next.record;
  cursor_.reset();
  wrong_starts_ = 0;
  return true;
}

WalTail::Step WalTail::advance(std::uint64_t wanted) {
  if (cursor_ == nullptr) return open(wanted);
  auto& iterator = *cursor_->iterator;
  // It was valid once: one that never was is thrown away by open(), because Next() on it aborts
  // the process or skips a batch.
  iterator.Next();
  if (iterator.Valid() && iterator.status().ok()) return Step::kAtBatch;
  // A switch of the log file (TryAgain, for ever), a gap, a purged file, or an end before what is
  // known to be durable: all are told apart by opening at the wanted sequence.
  cursor_.reset();
  return open(wanted);
}

WalTail::Step WalTail::open(std::uint64_t wanted) {
  auto& rocks = database_->rocks();
  // Past the newest sequence the status is the same whether one is level or ahead.
  if (wanted > rocks.GetLatestSequenceNumber()) return Step::kEnd;
  auto cursor = std::make_unique<Cursor>();
  rocksdb::Status status;
  {
    std::optional<FileDeletionsHeld> hold;
    if (wrong_starts_ > 0) {
      hold.emplace(rocks);
      rocksdb::VectorLogPtr files;
      rocks.GetSortedWalFiles(files).PermitUncheckedError();
    }
    status = rocks.GetUpdatesSince(wanted, &cursor->iterator);
  }
  if (!status.ok() || cursor->iterator == nullptr || !cursor->iterator->Valid() ||
      !cursor->iterator->status().ok()) {
    return Step::kWrong;
  }
  cursor_ = std::move(cursor);
  return Step::kAtBatch;
}

WalTail::Outcome WalTail::take(std::uint64_t wanted, Sequence durable, CheckedBatch& out) {
  auto result = cursor_->iterator->GetBatch();
  if (result.sequence > wanted) return wrong(wanted);
  // The commits of this history have other boundaries than `after_`'s.
  if (result.sequence < wanted) {
    cursor_.reset();
    return Outcome::kDiverged;
  }
  auto checked = check_batch(result.writeBatchPtr->Data());
  if (!checked) {
    log::error("wal_batch_malformed", {{"sequence", wanted}, {"reason", checked.error().detail}});
    cursor_.reset();
    return Outcome::kUnreadable;
  }
  if (follows(after_, *checked) != Continuity::kFollows) {
    cursor_.reset();
    return Outcome::kDiverged;
  }
  // Durable positions are ends of commits, so this one was read before its sync was done.
  if (checked->record.position.sequence > durable) {
    cursor_.reset();
    return Outcome::kEnd;
  }
  wrong_starts_ = 0;
  after_ = checked->record;
  out = std::move(*checked);
  return Outcome::kBatch;
}

WalTail::Outcome WalTail::wrong(std::uint64_t wanted) {
  cursor_.reset();
  if (wrong_starts_ < limits::kTailReopens) {
    ++wrong_starts_;
    return Outcome::kRetry;
  }
  wrong_starts_ = 0;
  return log_reaches_back_to(database_->rocks(), wanted) ? Outcome::kUnreadable : Outcome::kPurged;
}

}  // namespace feeds::store
