#include "replica/replication/snapshot_receiver.h"

#include <fcntl.h>
#include <kj/debug.h>
#include <unistd.h>

#include <set>

#include "common/base/limits.h"
#include "common/base/log.h"
#include "common/wire/failure.h"
#include "common/wire/messages.h"

namespace feeds::replication {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFiles = 1'000'000;

Error io_error(const fs::path& file) {
  const auto code = errno == ENOSPC ? Code::kDiskFull : Code::kWriteFailed;
  return Error{code, file.string() + ": " + std::strerror(errno)};
}

constexpr auto or_fail = [](Status status) -> kj::Promise<void> {
  if (status) return kj::READY_NOW;
  return wire::failure(status.error().detail.c_str());
};

// A name from the network becomes a path below `incoming`, or nothing.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.size() < 256 &&
         name.find_first_of(std::string_view("/\\\0", 3)) == std::string::npos;
}

}  // namespace

IncomingFiles::IncomingFiles(fs::path directory, std::vector<store::SnapshotFile> files)
    : directory_(std::move(directory)), files_(std::move(files)) {}

IncomingFiles::~IncomingFiles() {
  if (fd_ >= 0) ::close(fd_);
  if (completed_ >= 0) ::close(completed_);
}

Status IncomingFiles::create() {
  std::error_code error;
  fs::remove_all(directory_, error);
  if (!error) fs::create_directory(directory_, error);
  if (error) return Error{Code::kWriteFailed, directory_.string() + ": " + error.message()};
  return pass_empty();
}

// Makes the files of no bytes that come next: they have no chunks.
Status IncomingFiles::pass_empty() {
  while (hashes_.size() < files_.size() && files_[hashes_.size()].bytes == 0) {
    if (auto opened = open_next(); !opened) return opened;
    ::close(std::exchange(fd_, -1));
    hashes_.push_back(hash_.finish());
  }
  return done();
}

Status IncomingFiles::open_next() {
  const auto path = directory_ / files_[hashes_.size()].name;
  fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd_ < 0) return io_error(path);
  offset_ = 0;
  return done();
}

Status IncomingFiles::write(std::uint32_t file, std::uint64_t offset,
                            kj::ArrayPtr<const kj::byte> data) {
  if (file != hashes_.size() || file >= files_.size()) {
    return Error{Code::kInternal, "a snapshot's chunk of the wrong file"};
  }
  if (fd_ < 0) {
    if (auto opened = open_next(); !opened) return opened;
  }
  if (offset != offset_ || data.size() > files_[file].bytes - offset_) {
    return Error{Code::kInternal, "a snapshot's chunk at the wrong place"};
  }
  hash_.add({reinterpret_cast<const char*>(data.begin()), data.size()});
  while (data.size() > 0) {
    const auto written = ::write(fd_, data.begin(), data.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return io_error(directory_ / files_[file].name);
    data = data.slice(static_cast<std::size_t>(written), data.size());
    offset_ += static_cast<std::uint64_t>(written);
  }
  if (offset_ < files_[file].bytes) return done();
  completed_ = std::exchange(fd_, -1);
  hashes_.push_back(hash_.finish());
  return pass_empty();
}

int IncomingFiles::take_completed() {
  return std::exchange(completed_, -1);
}

Status IncomingFiles::verify(const std::vector<Digest>& hashes) {
  if (hashes_.size() != files_.size() || hashes.size() != files_.size()) {
    return Error{Code::kInternal, "a snapshot that ends too early"};
  }
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (hashes_[i] != hashes[i]) {
      return Error{Code::kInternal, "a snapshot's file of the wrong hash: " + files_[i].name};
    }
  }
  const int fd = ::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = fd >= 0 && ::fsync(fd) == 0;
  auto status = synced ? done() : Status(io_error(directory_));
  if (fd >= 0) ::close(fd);
  return status;
}

SnapshotReceiver::SnapshotReceiver(LinkContext& context) : context_(context) {}

kj::Promise<void> SnapshotReceiver::begin(wire::SnapshotManifest::Reader manifest) {
  std::vector<store::SnapshotFile> files;
  std::set<std::string> names;
  std::uint64_t bytes = 0;
  KJ_REQUIRE(manifest.getFiles().size() <= kFiles, "a snapshot of too many files");
  for (const auto file : manifest.getFiles()) {
    files.push_back({wire::to_string(file.getName()), file.getBytes()});
    KJ_REQUIRE(is_plain_name(files.back().name), "a snapshot's file name that is no plain name");
    KJ_REQUIRE(names.insert(files.back().name).second, "a snapshot's file named twice");
    bytes += file.getBytes();
  }
  log::info("snapshot_receive", {{"reason", wire::reason_name(manifest.getReason())},
                                 {"files", files.size()},
                                 {"bytes", bytes}});
  files_ = std::make_shared<IncomingFiles>(context_.store.data() / "incoming", std::move(files));
  return context_.disk.run([held = files_] { return held->create(); }).then(or_fail);
}

kj::Promise<void> SnapshotReceiver::chunk(wire::SnapshotChunk::Reader chunk) {
  KJ_REQUIRE(files_ != nullptr, "a chunk before the manifest");
  // A copy: the message goes with the session, and the worker may still be at it then.
  auto data = kj::heapArray<kj::byte>(chunk.getData());
  return context_.disk
      .run([held = files_, file = chunk.getFile(), offset = chunk.getOffset(),
            bytes = kj::mv(data)] { return held->write(file, offset, bytes); })
      .then([this](Status written) -> kj::Promise<void> {
        if (const int fd = files_->take_completed(); fd >= 0) sync_later(fd);
        return or_fail(std::move(written));
      });
}

// Beside the writing of the next file.
void SnapshotReceiver::sync_later(int fd) {
  auto synced = context_.syncs.run([fd]() -> Status {
    const bool ok = ::fsync(fd) == 0;
    auto status = ok ? done() : Status(io_error("incoming"));
    ::close(fd);
    return status;
  });
  synced_ = synced_.then([synced = kj::mv(synced)]() mutable { return synced.then(or_fail); })
                .eagerlyEvaluate(nullptr);
}

kj::Promise<fs::path> SnapshotReceiver::finish(wire::SnapshotEnd::Reader end) {
  KJ_REQUIRE(files_ != nullptr, "the end of a snapshot that did not begin");
  std::vector<Digest> hashes;
  for (const auto hash : end.getHashes())
    hashes.push_back(wire::digest_of(hash.getHigh(), hash.getLow()));
  return kj::mv(synced_)
      .then([this, hashes = std::move(hashes)]() mutable {
        return context_.disk
            .run([held = files_, hashes = std::move(hashes)] { return held->verify(hashes); })
            .then(or_fail);
      })
      .then([this] {
        auto directory = files_->directory();
        files_.reset();
        return directory;
      });
}

}  // namespace feeds::replication
