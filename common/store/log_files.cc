#include "common/store/log_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "common/store/files.h"
#include "common/store/log_end.h"

namespace feeds::store {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

constexpr std::uint64_t kNoEnd = std::numeric_limits<std::uint64_t>::max();

bool is_log(std::string_view path) {
  return path.ends_with(".log");
}

// Zeros from `first` to `end`. False: not all of them could be written.
bool write_zeros(int fd, std::uint64_t first, std::uint64_t end) {
  static constexpr std::array<char, 64 * 1024> kZeros{};
  while (first < end) {
    const auto size = std::min<std::uint64_t>(kZeros.size(), end - first);
    const auto written = ::pwrite(fd, kZeros.data(), size, static_cast<off_t>(first));
    if (written <= 0) return false;
    first += static_cast<std::uint64_t>(written);
  }
  return true;
}

// `size` bytes from `at`, fewer at the end of the file. Negative: errno says why.
ssize_t read_at(int fd, std::uint64_t at, char* bytes, std::size_t size) {
  std::size_t got = 0;
  while (got < size) {
    const auto now = ::pread(fd, bytes + got, size - got, static_cast<off_t>(at + got));
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) return now;
    if (now == 0) break;
    got += static_cast<std::size_t>(now);
  }
  return static_cast<ssize_t>(got);
}

// Of a file that nobody here writes. kNoEnd: it cannot be read, which RocksDB will find.
LogEnd find_end(int fd) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return {kNoEnd};
  const auto length = static_cast<std::uint64_t>(info.st_size);
  char last = 0;
  // Another process may write it: what is behind this length by the time it is read may have gaps.
  if (::pread(fd, &last, 1, info.st_size - 1) != 1 || last != 0) return {length};
  std::string log(length, '\0');
  const auto got = read_at(fd, 0, log.data(), log.size());
  if (got < 0) return {kNoEnd};
  return log_end(std::string_view(log).substr(0, static_cast<std::size_t>(got)));
}

}  // namespace

// One thread's, as RocksDB promises.
class LogFiles::Writer : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  Writer(std::unique_ptr<rocksdb::FSWritableFile> target, const std::string& path, LogFiles& files,
          std::shared_ptr<End> end)
      : FSWritableFileOwnerWrapper(std::move(target)),
        files_(files),
        end_(std::move(end)),
        ahead_(path, O_WRONLY) {}
  ~Writer() override { Close({}, nullptr).PermitUncheckedError(); }

  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options,
                  IODebugContext* debug) override {
    lengthen(data.size());
    return wrote(data.size(), FSWritableFileOwnerWrapper::Append(data, options, debug));
  }
  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options,
                  const rocksdb::DataVerificationInfo& verification,
                  IODebugContext* debug) override {
    lengthen(data.size());
    return wrote(data.size(),
                 FSWritableFileOwnerWrapper::Append(data, options, verification, debug));
  }
  IOStatus Close(const IOOptions& options, IODebugContext* debug) override {
    if (std::exchange(closed_, true)) return IOStatus::OK();
    // Whoever reads it later finds the end, if it is not cut.
    if (zeros_ > *end_) Truncate(*end_, options, debug).PermitUncheckedError();
    files_.forget(end_);
    return FSWritableFileOwnerWrapper::Close(options, debug);
  }

 private:
  void lengthen(std::size_t size) {
    const auto end = *end_ + size;
    if (end <= zeros_ || size >= kLongWrite || !lengthens_) return;
    // On a full disk it gives back what it took and goes on as any log does.
    lengthens_ = ahead_.get() >= 0 && write_zeros(ahead_.get(), end, end + kAhead);
    if (lengthens_) {
      zeros_ = end + kAhead;
    } else if (ahead_.get() >= 0) {
      [[maybe_unused]] const int ignored = ::ftruncate(ahead_.get(), static_cast<off_t>(*end_));
      zeros_ = 0;
    }
  }

  IOStatus wrote(std::size_t size, IOStatus status) {
    if (status.ok()) *end_ += size;
    return status;
  }

  LogFiles& files_;
  const std::shared_ptr<End> end_;
  const Descriptor ahead_;
  std::uint64_t zeros_ = 0;  // up to here
  bool lengthens_ = true;
  bool closed_ = false;
};

// One thread's. It reads by itself: what RocksDB's would read ahead into its buffer is not written yet.
class LogFiles::Reader : public rocksdb::FSSequentialFile {
 public:
  Reader(std::unique_ptr<Descriptor> file, std::shared_ptr<const End> end, bool damaged)
      : file_(std::move(file)), end_(std::move(end)), damaged_(damaged) {}

  IOStatus Read(std::size_t size, const IOOptions&, rocksdb::Slice* result, char* scratch,
                IODebugContext*) override {
    const std::uint64_t end = *end_;
    // RocksDB takes zeros for a header that says nothing, and drops what is behind them in their block.
    if (damaged_ && end - std::min(end, at_) < size) {
      *result = rocksdb::Slice();
      return IOStatus::Corruption("a log is damaged behind " + std::to_string(end));
    }
    const auto wanted = std::min<std::uint64_t>(size, end - std::min(end, at_));
    const auto got = read_at(file_->get(), at_, scratch, wanted);
    *result = rocksdb::Slice(scratch, got < 0 ? 0 : static_cast<std::size_t>(got));
    at_ += result->size();
    return got < 0 ? IOStatus::IOError("a log cannot be read", std::strerror(errno))
                   : IOStatus::OK();
  }
  IOStatus Skip(std::uint64_t size) override {
    at_ += size;
    return IOStatus::OK();
  }

 private:
  const std::unique_ptr<Descriptor> file_;
  const std::shared_ptr<const End> end_;
  const bool damaged_;  // at the end
  std::uint64_t at_ = 0;
};

IOStatus LogFiles::NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                   std::unique_ptr<rocksdb::FSWritableFile>* file,
                                   IODebugContext* debug) {
  auto status = FileSystemWrapper::NewWritableFile(path, options, file, debug);
  if (!status.ok() || !is_log(path)) return status;
  auto end = std::make_shared<End>(0);
  {
    std::lock_guard lock(mutex_);
    written_[path] = end;
  }
  *file = std::make_unique<Writer>(std::move(*file), path, *this, std::move(end));
  return status;
}

IOStatus LogFiles::NewSequentialFile(const std::string& path, const rocksdb::FileOptions& options,
                                     std::unique_ptr<rocksdb::FSSequentialFile>* file,
                                     IODebugContext* debug) {
  if (!is_log(path)) return FileSystemWrapper::NewSequentialFile(path, options, file, debug);
  std::unique_lock lock(mutex_);
  auto opened = std::make_unique<Descriptor>(path, O_RDONLY);
  const auto error = errno;
  auto end = end_of(path);
  lock.unlock();
  if (opened->get() < 0) {
    return error == ENOENT ? IOStatus::PathNotFound(path, std::strerror(error))
                           : IOStatus::IOError(path, std::strerror(error));
  }
  bool damaged = false;
  if (end == nullptr) {
    const auto found = find_end(opened->get());
    end = std::make_shared<End>(found.at);
    damaged = found.damaged;
  }
  *file = std::make_unique<Reader>(std::move(opened), std::move(end), damaged);
  return IOStatus::OK();
}

IOStatus LogFiles::GetFileSize(const std::string& path, const IOOptions& options,
                               std::uint64_t* size, IODebugContext* debug) {
  {
    std::lock_guard lock(mutex_);
    if (const auto end = end_of(path)) {
      *size = *end;
      return IOStatus::OK();
    }
  }
  return FileSystemWrapper::GetFileSize(path, options, size, debug);
}

IOStatus LogFiles::LinkFile(const std::string& from, const std::string& to,
                            const IOOptions& options, IODebugContext* debug) {
  {
    std::lock_guard lock(mutex_);
    if (end_of(from) != nullptr) return IOStatus::NotSupported(from, "is being written");
  }
  return FileSystemWrapper::LinkFile(from, to, options, debug);
}

IOStatus LogFiles::RenameFile(const std::string& from, const std::string& to,
                              const IOOptions& options, IODebugContext* debug) {
  std::lock_guard lock(mutex_);
  auto status = FileSystemWrapper::RenameFile(from, to, options, debug);
  if (!status.ok()) return status;
  if (auto entry = written_.extract(from)) {
    entry.key() = to;
    written_.insert(std::move(entry));
  }
  return status;
}

std::shared_ptr<LogFiles::End> LogFiles::end_of(const std::string& path) const {
  const auto found = written_.find(path);
  return found == written_.end() ? nullptr : found->second;
}

void LogFiles::forget(const std::shared_ptr<End>& end) {
  std::lock_guard lock(mutex_);
  std::erase_if(written_, [&](const auto& entry) { return entry.second == end; });
}

}  // namespace feeds::store
