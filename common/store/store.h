#pragma once

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "common/base/result.h"
#include "common/store/database.h"

namespace feeds::store {

enum class StoreState { kEmpty, kServing, kReopening, kReadOnly };

// The place that holds the current database of a node and replaces it under live readers.
// Thread-safe. The directory layout is in schema/README.md, "Data directory".
class Store {
 public:
  // `data` is a locked data directory (see DataDirectory). Nothing is opened yet.
  explicit Store(std::filesystem::path data);
  ~Store();

  // Opens `db`. With `create`, makes it if there is none; without, a missing one leaves the store kEmpty.
  Status open(bool create);

  // A database that open() could not open is renamed to `damaged` (an older one of that name is removed), so
  // that a snapshot can take its place. Leaves the store kEmpty.
  Status set_aside();

  // A handle for a read. Error: kReopening, or kReplicaBehind while there is no data yet.
  Result<DatabasePtr> acquire() const;
  StoreState state() const;

  // Makes the complete database in `incoming` (same filesystem) the current one: renames it to
  // db-<n>, opens it, points `db` at it, lets readers of the old one finish (streams are cut after
  // limits::kRetiredStreamTime), closes and removes the old. On an error the old one stays.
  // Blocks for as long as old readers take; new reads see the new one before that.
  Result<DatabasePtr> swap(const std::filesystem::path& incoming);

  // After a failed write: waits until a probe file could be written, synced and removed (meanwhile the
  // old handle serves reads), then refuses new reads, waits for the old, closes and opens again. If that
  // fails, opens read-only (kReadOnly) and tries again, with backoff, until `stopping` is true.
  // Returns the new database, or kReopening if stopped.
  Result<DatabasePtr> reopen(const std::function<bool()>& stopping);

  // Called (on the thread that swaps or reopens) before the old database is waited for:
  // holders of long-lived handles let go.
  void on_retire(std::function<void()> callback);

  const std::filesystem::path& data() const { return data_; }

  // Lets go of the current database and waits for it to be closed.
  void close();

 private:
  struct Impl;
  std::filesystem::path data_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace feeds::store
