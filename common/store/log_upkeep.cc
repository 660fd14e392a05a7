#include "common/store/log_upkeep.h"

#include <rocksdb/db.h>

#include <algorithm>

#include "common/base/log.h"

namespace feeds::store {
namespace {

constexpr std::uint64_t kRowsWorthAFile = 4096;

}  // namespace

std::uint64_t purge_archived_wal(const DatabasePtr& database, std::uint64_t retain_bytes,
                                 Sequence keep_from) {
  auto& rocks = database->rocks();
  rocksdb::VectorLogPtr files;
  if (!rocks.GetSortedWalFiles(files).ok()) return 0;
  std::uint64_t total = 0;
  for (const auto& file : files) total += file->SizeFileBytes();

  std::uint64_t removed = 0;
  for (std::size_t i = 0; i + 1 < files.size() && total > retain_bytes; ++i) {
    const auto& file = *files[i];
    if (file.Type() != rocksdb::kArchivedLogFile) break;
    // A file ends where the next one that has anything starts; 0 is the start of an empty one.
    const auto next = std::find_if(files.begin() + static_cast<std::ptrdiff_t>(i) + 1, files.end(),
                                   [](const auto& later) { return later->StartSequence() != 0; });
    if (next == files.end() || (*next)->StartSequence() > keep_from.value) break;
    const auto status = rocks.DeleteFile(file.PathName());
    if (!status.ok()) {
      log::warn("wal_purge_failed", {{"file", file.PathName()}, {"reason", status.ToString()}});
      break;
    }
    removed += file.SizeFileBytes();
    total -= std::min(total, file.SizeFileBytes());
  }
  return removed;
}

void write_out_buffer(const DatabasePtr& database) {
  auto& rocks = database->rocks();
  std::uint64_t rows = 0;
  rocks.GetIntProperty(rocksdb::DB::Properties::kNumEntriesActiveMemTable, &rows);
  if (rows < kRowsWorthAFile) return;
  rocksdb::FlushOptions options;
  options.allow_write_stall = true;  // does not wait for compactions
  if (const auto status = rocks.Flush(options); !status.ok()) {
    log::warn("flush_failed", {{"reason", status.ToString()}});
  }
}

LogUpkeep::Work LogUpkeep::look(DatabasePtr database, std::uint64_t retain_bytes,
                                Sequence keep_from) {
  const auto head = database->head().position.sequence;
  const bool quiet = head == looked_at_;
  if (quiet && quiet_) return nullptr;
  looked_at_ = head;
  quiet_ = quiet;
  return [database = std::move(database), retain_bytes, keep_from, quiet]() mutable {
    const auto held = std::move(database);
    if (quiet) write_out_buffer(held);
    const auto removed = purge_archived_wal(held, retain_bytes, keep_from);
    if (removed > 0) log::info("wal_purged", {{"bytes", removed}});
    return removed;
  };
}

}  // namespace feeds::store
