#include "common/store/snapshot_files.h"

#include <rocksdb/db.h>
#include <rocksdb/utilities/checkpoint.h>

#include <algorithm>

#include "common/base/log.h"

namespace feeds::store {
namespace {

namespace fs = std::filesystem;

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

}  // namespace feeds::store
