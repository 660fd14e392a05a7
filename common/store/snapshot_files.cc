#include "common/store/snapshot_files.h"

#include <rocksdb/db.h>
#include <rocksdb/utilities/checkpoint.h>

#include <algorithm>

#include "common/base/log.h"

namespace feeds::store {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kRowsWorthAFile = 4096;

Error checkpoint_error(const rocksdb::Status& status) {
  const auto code = status.IsNoSpace() ? Code::kDiskFull : Code::kInternal;
  return Error{code, "no checkpoint could be made: " + status.ToString()};
}

rocksdb::Status make(rocksdb::DB& rocks, const fs::path& directory) {
  rocksdb::Checkpoint* raw = nullptr;
  auto status = rocksdb::Checkpoint::Create(&rocks, &raw);
  if (!status.ok()) return status;
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(raw);
  status = checkpoint->CreateCheckpoint(directory.string());
  // It holds the log as it was, perhaps with a commit whose own sync is still under way: a copy
  // must never be ahead of what this node cannot lose.
  return status.ok() ? rocks.SyncWAL() : status;
}

}  // namespace

Result<std::unique_ptr<Checkpoint>> Checkpoint::create(const DatabasePtr& database,
                                                       const fs::path& directory) {
  std::unique_ptr<Checkpoint> made(new Checkpoint());
  made->directory_ = directory;
  const auto status = make(database->rocks(), directory);
  if (!status.ok()) return checkpoint_error(status);

  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    if (!entry.is_regular_file()) continue;
    made->files_.push_back({entry.path().filename().string(), entry.file_size()});
  }
  if (error) return Error{Code::kInternal, directory.string() + ": " + error.message()};
  std::sort(made->files_.begin(), made->files_.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return made;
}

Checkpoint::~Checkpoint() {
  std::error_code error;
  fs::remove_all(directory_, error);
  if (error) {
    log::warn("checkpoint_not_removed",
              {{"directory", directory_.string()}, {"reason", error.message()}});
  }
}

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

}  // namespace feeds::store
