#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/store/position_record.h"

namespace rocksdb {
class DB;
class Status;
class WalFilter;
}  // namespace rocksdb

namespace feeds::store {

enum class Access { kReadWrite, kReadOnly };

// An open RocksDB directory. Shared by counted handles (DatabasePtr): it is closed when the last one
// is let go, so an iterator never outlives it. Any thread may read; only a Writer writes.
class Database {
 public:
  // Opens, or with `create` makes, the database in `directory`, with the options that
  // database_options.cc explains one by one. Read-only may run beside a writing process.
  // Error: kDiskFull; kInternal otherwise, also when the newest sequence is not that of the position
  // record (something else wrote here).
  static Result<std::shared_ptr<Database>> open(const std::filesystem::path& directory,
                                                Access access, bool create);
  ~Database();

  // The newest commit, as published by the writer after its Write returned.
  PositionRecord head() const;

  // The value of a key now, nullopt if absent. Error: kInternal, the disk cannot be read.
  Result<std::optional<std::string>> get(std::string_view key) const;

  // Once true, whoever holds a handle for long (a stream, a tail) should let go soon.
  bool retired() const { return retired_.load(std::memory_order_acquire); }
  void retire() { retired_.store(true, std::memory_order_release); }

  // Runs `callback` when the last handle was let go and the files are closed, on that thread. Set once.
  void on_closed(std::function<void()> callback);

  const std::filesystem::path& directory() const { return directory_; }

  // RocksDB itself, for common/store only.
  rocksdb::DB& rocks() const { return *rocks_; }

  // The writer's brackets around each write. `changes_pending`: it touches rows of the space `pending`.
  void begin_write(bool changes_pending);
  void end_write(const PositionRecord* committed);  // null: it failed

 private:
  Database() = default;

  std::filesystem::path directory_;
  std::unique_ptr<rocksdb::WalFilter> log_filter_;  // RocksDB keeps its address
  std::unique_ptr<rocksdb::DB> rocks_;
  std::function<void()> on_closed_;
  std::atomic<bool> retired_{false};
  mutable std::mutex head_mutex_;
  PositionRecord head_;
  std::atomic<std::uint64_t> head_epoch_{1};
  std::atomic<std::uint64_t> head_sequence_{0};
  // Odd while a write that touches the space `pending` is under way, even between; and what that was when
  // the space was seen empty.
  std::atomic<std::uint64_t> pending_changes_{2};
  mutable std::atomic<std::uint64_t> pending_empty_at_{0};
  friend class View;
};

using DatabasePtr = std::shared_ptr<Database>;

// What a read that RocksDB refused is told as (kInternal). For common/store only.
Error read_error(const rocksdb::Status& status);

}  // namespace feeds::store
