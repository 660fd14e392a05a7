#pragma once

#include <rocksdb/file_system.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace feeds::store {

// The log files of RocksDB, lengthened with zeros ahead of their ends. A sync of what is written over zeros does not
// have to write the file's new length too: 0.12 ms instead of 0.18, and a third less CPU time.
//
// RocksDB takes a file's length for the log's end, so it is shown that: of a file that this process writes, what was
// written; of any other, up to log_end(). Closing a file cuts it.
//
// Thread-safe. Private to common/store.
class LogFiles : public rocksdb::FileSystemWrapper {
 public:
  explicit LogFiles(const std::shared_ptr<rocksdb::FileSystem>& target)
      : FileSystemWrapper(target) {}

  // A whole write this long saves nothing by it, and does not lengthen the file.
  static constexpr std::size_t kLongWrite = 48 * 1024;
  static constexpr std::size_t kAhead = 1024 * 1024;

  const char* Name() const override { return "feeds.log_files"; }
  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewSequentialFile(const std::string& path, const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSSequentialFile>* file,
                                      rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus GetFileSize(const std::string& path, const rocksdb::IOOptions& options,
                                std::uint64_t* size, rocksdb::IODebugContext* debug) override;
  // Not of a file that is written: for a checkpoint RocksDB copies it then. It would be cut later, while it is sent.
  rocksdb::IOStatus LinkFile(const std::string& from, const std::string& to,
                             const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override;
  // RocksDB moves a log into its archive, perhaps before it closes it.
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;

 private:
  using End = std::atomic<std::uint64_t>;
  class Writer;
  class Reader;
  std::shared_ptr<End> end_of(const std::string& path) const;  // under mutex_; null: not written here
  void forget(const std::shared_ptr<End>& end);

  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<End>> written_;  // by path, of files that are open for it
};

}  // namespace feeds::store
