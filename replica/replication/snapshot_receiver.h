#pragma once

#include <kj/async.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "common/base/hash128.h"
#include "common/store/snapshot_files.h"
#include "replica/replication/context.h"
#include "schema/replication.capnp.h"

namespace feeds::replication {

// The files of a snapshot as they come in. Used by one thread at a time.
class IncomingFiles {
 public:
  IncomingFiles(std::filesystem::path directory, std::vector<store::SnapshotFile> files);
  ~IncomingFiles();

  // Makes the directory, new.
  Status create();
  // The next piece of the next file. Error: kInternal, out of order; kDiskFull; kWriteFailed.
  Status write(std::uint32_t file, std::uint64_t offset, kj::ArrayPtr<const kj::byte> data);
  // If the last write completed a file: it, open, for the caller to sync and close; else -1.
  int take_completed();
  // Every file is there, whole, and of these hashes.
  Status verify(const std::vector<Digest>& hashes);

  const std::filesystem::path& directory() const { return directory_; }

 private:
  Status open_next();
  Status pass_empty();

  const std::filesystem::path directory_;
  const std::vector<store::SnapshotFile> files_;
  Hash128 hash_;
  std::vector<Digest>
      hashes_;  // of complete files; its size is the file written now
  std::uint64_t offset_ = 0;
  int fd_ = -1;
  int completed_ = -1;
};

// Receives one snapshot into `incoming`, verifies and syncs it. All disk work off the loop, where
// this belongs. Destroyed early, it leaves a directory that the next one replaces.
class SnapshotReceiver {
 public:
  explicit SnapshotReceiver(LinkContext& context);

  // Each fails if anything does, and then the session is over. One call at a time.
  kj::Promise<void> begin(wire::SnapshotManifest::Reader manifest);
  kj::Promise<void> chunk(wire::SnapshotChunk::Reader chunk);
  // The directory, complete and durable.
  kj::Promise<std::filesystem::path> finish(wire::SnapshotEnd::Reader end);

 private:
  void sync_later(int fd);

  LinkContext& context_;
  std::shared_ptr<IncomingFiles> files_;
  kj::Promise<void> synced_ = kj::READY_NOW;  // of all files completed so far
};

}  // namespace feeds::replication
