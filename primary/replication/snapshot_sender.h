#pragma once

#include <kj/async.h>

#include <memory>

#include "common/base/hash128.h"
#include "common/store/snapshot_files.h"
#include "primary/replication/context.h"
#include "schema/replication.capnp.h"

namespace feeds::replication {

// Reads the files of a checkpoint piece by piece, and hashes them. Used by one thread at a time.
class CheckpointReader {
 public:
  explicit CheckpointReader(std::unique_ptr<store::Checkpoint> checkpoint);
  ~CheckpointReader();

  const std::vector<store::SnapshotFile>& files() const { return checkpoint_->files(); }

  struct Piece {
    std::uint32_t file = 0;
    std::uint64_t offset = 0;
    kj::Array<kj::byte> data;  // empty: everything was read
  };
  // Error: kInternal, a file cannot be read or is shorter than it was.
  Result<Piece> next();
  // Of all files, once everything was read.
  const std::vector<Digest>& hashes() const { return hashes_; }

 private:
  Status open_next();

  std::unique_ptr<store::Checkpoint> checkpoint_;
  Hash128 hash_;
  std::vector<Digest>
      hashes_;  // of files that were read; its size is the file read now
  std::uint64_t offset_ = 0;
  int fd_ = -1;
};

// Makes a checkpoint and sends it, all disk work off the loop. The loop's.
class SnapshotSender {
 public:
  SnapshotSender(SourceContext& context, wire::Sink::Client sink, std::string node_id);

  // The position that the replica's opened copy has. Fails when anything does.
  kj::Promise<store::PositionRecord> run(wire::SnapshotReason reason);

 private:
  kj::Promise<void> begin(wire::SnapshotReason reason);
  kj::Promise<void> send_pieces();
  kj::Promise<store::PositionRecord> finish();

  SourceContext& context_;
  wire::Sink::Client sink_;
  std::string node_id_;
  std::shared_ptr<CheckpointReader> reader_;
};

}  // namespace feeds::replication
