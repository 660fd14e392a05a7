#include "primary/replication/snapshot_sender.h"

#include <fcntl.h>
#include <kj/debug.h>
#include <unistd.h>

#include "common/base/limits.h"
#include "common/base/log.h"
#include "common/wire/failure.h"
#include "common/wire/messages.h"

namespace feeds::replication {
namespace {

namespace fs = std::filesystem;

kj::Exception failed(const Error& error) {
  return wire::failure(error.detail.c_str());
}

Error file_error(const fs::path& file, const char* what) {
  return Error{Code::kInternal, file.string() + ": " + what};
}

}  // namespace

CheckpointReader::CheckpointReader(std::unique_ptr<store::Checkpoint> checkpoint)
    : checkpoint_(std::move(checkpoint)) {}

CheckpointReader::~CheckpointReader() {
  if (fd_ >= 0) ::close(fd_);
}

Status CheckpointReader::open_next() {
  const auto path = checkpoint_->directory() / files()[hashes_.size()].name;
  fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) return file_error(path, std::strerror(errno));
  offset_ = 0;
  return done();
}

Result<CheckpointReader::Piece> CheckpointReader::next() {
  while (hashes_.size() < files().size()) {
    if (fd_ < 0) {
      if (auto opened = open_next(); !opened) return opened.error();
    }
    const auto& file = files()[hashes_.size()];
    const auto wanted = std::min<std::uint64_t>(limits::kSnapshotChunkBytes, file.bytes - offset_);
    if (wanted == 0) {
      ::close(fd_);
      fd_ = -1;
      hashes_.push_back(hash_.finish());
      continue;
    }
    Piece piece{static_cast<std::uint32_t>(hashes_.size()), offset_,
                kj::heapArray<kj::byte>(wanted)};
    const auto got = ::pread(fd_, piece.data.begin(), wanted, static_cast<off_t>(offset_));
    if (got != static_cast<ssize_t>(wanted)) {
      return file_error(file.name, got < 0 ? std::strerror(errno) : "shorter than it was");
    }
    hash_.add({reinterpret_cast<const char*>(piece.data.begin()), wanted});
    offset_ += wanted;
    return piece;
  }
  return Piece{};
}

SnapshotSender::SnapshotSender(SourceContext& context, wire::Sink::Client sink, std::string node_id)
    : context_(context), sink_(kj::mv(sink)), node_id_(std::move(node_id)) {}

kj::Promise<store::PositionRecord> SnapshotSender::run(wire::SnapshotReason reason) {
  auto database = context_.store.acquire();
  if (!database) return failed(database.error());
  const auto directory =
      context_.store.data() / ("checkpoint-" + std::to_string(++context_.checkpoints));
  using Made = Result<std::unique_ptr<store::Checkpoint>>;
  auto made = context_.disk.run([held = std::move(*database), directory]() -> Made {
    return store::Checkpoint::create(held, directory);
  });
  return made
      .then([this, reason](Made checkpoint) -> kj::Promise<void> {
        if (!checkpoint) return failed(checkpoint.error());
        reader_ = std::make_shared<CheckpointReader>(std::move(*checkpoint));
        return begin(reason);
      })
      .then([this] { return send_pieces(); })
      .then([this] { return finish(); });
}

kj::Promise<void> SnapshotSender::begin(wire::SnapshotReason reason) {
  const auto& files = reader_->files();
  auto request = sink_.beginSnapshotRequest();
  auto manifest = request.initManifest();
  manifest.setReason(reason);
  auto list = manifest.initFiles(static_cast<unsigned>(files.size()));
  std::uint64_t bytes = 0;
  for (unsigned i = 0; i < files.size(); ++i) {
    list[i].setName(wire::to_text(files[i].name));
    list[i].setBytes(files[i].bytes);
    bytes += files[i].bytes;
  }
  log::info("snapshot_send", {{"node", node_id_},
                              {"reason", wire::reason_name(reason)},
                              {"files", files.size()},
                              {"bytes", bytes}});
  return request.send().ignoreResult();
}

kj::Promise<void> SnapshotSender::send_pieces() {
  return context_.disk.run([reader = reader_] { return reader->next(); })
      .then([this](Result<CheckpointReader::Piece> piece) -> kj::Promise<void> {
        if (!piece) return failed(piece.error());
        if (piece->data.size() == 0) return kj::READY_NOW;
        auto request = sink_.chunkRequest(
            capnp::MessageSize{piece->data.size() / sizeof(capnp::word) + 32, 0});
        auto chunk = request.initChunk();
        chunk.setFile(piece->file);
        chunk.setOffset(piece->offset);
        chunk.setData(piece->data);
        return request.send().then([this] { return send_pieces(); });
      });
}

kj::Promise<store::PositionRecord> SnapshotSender::finish() {
  const auto& hashes = reader_->hashes();
  auto request = sink_.endSnapshotRequest();
  auto list = request.initEnd().initHashes(static_cast<unsigned>(hashes.size()));
  for (unsigned i = 0; i < hashes.size(); ++i) {
    list[i].setHigh(wire::digest_half(hashes[i], 0));
    list[i].setLow(wire::digest_half(hashes[i], 1));
  }
  // The files are on their way; what they hold on this disk can go while the replica swaps.
  context_.disk.run([reader = std::move(reader_)]() mutable { reader.reset(); })
      .detach([](kj::Exception&&) {});
  return request.send().then([](auto response) {
    return wire::read_record<store::PositionRecord>(response.getPosition());
  });
}

}  // namespace feeds::replication
