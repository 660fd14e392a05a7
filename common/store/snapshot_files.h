#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/store/database.h"

namespace feeds::store {

// One file of a checkpoint.
struct SnapshotFile {
  std::string name;  // no directory part
  std::uint64_t bytes = 0;
};

// A RocksDB checkpoint in `directory`, removed when this is destroyed. Any thread, one at a time.
class Checkpoint {
 public:
  // Makes it by hard links; flushes the memtable first. Everything in it is durable in `database`
  // too when this returns. Error: kDiskFull or kInternal, and nothing is left behind.
  static Result<std::unique_ptr<Checkpoint>> create(const DatabasePtr& database,
                                                    const std::filesystem::path& directory);
  ~Checkpoint();
  const std::filesystem::path& directory() const { return directory_; }
  const std::vector<SnapshotFile>& files() const { return files_; }

 private:
  Checkpoint() = default;
  std::filesystem::path directory_;
  std::vector<SnapshotFile> files_;
};

}  // namespace feeds::store
