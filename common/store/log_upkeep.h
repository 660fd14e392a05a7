#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "common/base/ids.h"
#include "common/store/database.h"

namespace feeds::store {

// Removes archived write-ahead logs, oldest first, until the logs together are at most
// `retain_bytes`; never one that holds sequences at or past `keep_from`. Returns the number of
// bytes removed.
std::uint64_t purge_archived_wal(const DatabasePtr& database, std::uint64_t retain_bytes,
                                 Sequence keep_from);

// For a database that nobody writes to just now: writes its write buffer to a file, if that is worth one. Pages
// are read from files in fewer steps, and a restart has less of the log to replay. Blocks; the replication
// reads on. If it fails, the next write does too, and tells.
void write_out_buffer(const DatabasePtr& database);

// When a node does either. One thread's.
class LogUpkeep {
 public:
  // Logs are 16 MiB: at this pace few of them are ever beyond what is to be kept.
  static constexpr std::chrono::seconds kPause{2};

  // For a thread that may wait for the disk: returns the number of bytes removed, and lets go of the database.
  using Work = std::function<std::uint64_t()>;
  // What is to be done now, a kPause after the last look; null: nothing, as nobody has written for two of them.
  Work look(DatabasePtr database, std::uint64_t retain_bytes, Sequence keep_from);

 private:
  Sequence looked_at_;
  bool quiet_ = false;
};

}  // namespace feeds::store
