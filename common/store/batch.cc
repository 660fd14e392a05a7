#include "common/store/batch.h"

#include <rocksdb/write_batch.h>

#include <boost/endian/conversion.hpp>

#include "common/keys/keyspace.h"

namespace feeds::store {
namespace {

constexpr std::size_t kBatchHeaderBytes = 12;  // sequence (8), number of entries (4), little-endian

// tag, key length, key, value length: all below 128, so each length is one byte.
std::size_t position_entry_bytes() {
  return 1 + 1 + keys::position_key().size() + 1 + kPositionRecordBytes;
}

Error malformed(std::string what) {
  return Error{Code::kInternal, "malformed batch: " + std::move(what)};
}

// Walks a batch; anything but puts and deletes of the default column family ends the walk.
class Inspector : public rocksdb::WriteBatch::Handler {
 public:
  rocksdb::Status PutCF(std::uint32_t family, const rocksdb::Slice& key,
                        const rocksdb::Slice& value) override {
    if (family != 0) return rocksdb::Status::Corruption("column family");
    if (key == position_key_) {
      if (position_seen_) return rocksdb::Status::Corruption("two position entries");
      position_seen_ = true;
      position_value_ = value.ToString();
    } else if (position_seen_) {
      return rocksdb::Status::Corruption("an entry after the position");
    }
    ++entries_;
    return rocksdb::Status::OK();
  }
  rocksdb::Status DeleteCF(std::uint32_t family, const rocksdb::Slice& key) override {
    if (family != 0) return rocksdb::Status::Corruption("column family");
    if (position_seen_ || key == position_key_) {
      return rocksdb::Status::Corruption("a delete at the position");
    }
    ++entries_;
    return rocksdb::Status::OK();
  }
  void LogData(const rocksdb::Slice&) override { foreign_ = true; }

  std::uint32_t entries() const { return entries_; }
  bool foreign() const { return foreign_; }
  bool position_seen() const { return position_seen_; }
  const std::string& position_value() const { return position_value_; }

 private:
  const std::string position_key_ = keys::position_key();
  std::uint32_t entries_ = 0;
  bool position_seen_ = false;
  bool foreign_ = false;
  std::string position_value_;
};

std::string_view view_of(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

class Walker : public rocksdb::WriteBatch::Handler {
 public:
  explicit Walker(const Batch::Visitor& visitor) : visitor_(visitor) {}
  rocksdb::Status PutCF(std::uint32_t, const rocksdb::Slice& key,
                        const rocksdb::Slice& value) override {
    visitor_(view_of(key), view_of(value));
    return rocksdb::Status::OK();
  }
  rocksdb::Status DeleteCF(std::uint32_t, const rocksdb::Slice& key) override {
    visitor_(view_of(key), std::nullopt);
    return rocksdb::Status::OK();
  }

 private:
  const Batch::Visitor& visitor_;
};

}  // namespace

Batch::Batch() : batch_(std::make_unique<rocksdb::WriteBatch>()) {}
Batch::~Batch() = default;

void Batch::put(std::string_view key, std::string_view value) {
  const auto status = batch_->Put(rocksdb::Slice(key.data(), key.size()),
                                  rocksdb::Slice(value.data(), value.size()));
  assert(status.ok());
}

void Batch::erase(std::string_view key) {
  const auto status = batch_->Delete(rocksdb::Slice(key.data(), key.size()));
  assert(status.ok());
}

void Batch::mark() { batch_->SetSavePoint(); }

void Batch::undo_to_mark() {
  const auto status = batch_->RollbackToSavePoint();
  assert(status.ok());
}

void Batch::drop_mark() {
  const auto status = batch_->PopSavePoint();
  assert(status.ok());
}

std::uint32_t Batch::entries() const { return static_cast<std::uint32_t>(batch_->Count()); }
std::size_t Batch::bytes() const { return batch_->GetDataSize(); }
void Batch::visit(const Visitor& f) const {
  Walker walker(f);
  const auto status = batch_->Iterate(&walker);
  assert(status.ok());
}

void Batch::clear() { batch_->Clear(); }

Result<CheckedBatch> check_batch(std::string bytes) {
  if (bytes.size() < kBatchHeaderBytes) return malformed("no header");
  const auto* header = reinterpret_cast<const unsigned char*>(bytes.data());
  CheckedBatch checked;
  checked.first_sequence = boost::endian::load_little_u64(header);
  checked.entries = boost::endian::load_little_u32(header + 8);

  const rocksdb::WriteBatch batch(std::move(bytes));
  Inspector inspector;
  const auto status = batch.Iterate(&inspector);
  if (!status.ok()) return malformed(status.ToString());
  if (inspector.foreign()) return malformed("log data");
  if (inspector.entries() != checked.entries) return malformed("number of entries");
  if (!inspector.position_seen()) return malformed("no position entry");

  auto record = decode_position(inspector.position_value());
  if (!record) return record.error();
  checked.record = *record;
  if (checked.record.position.sequence.value != checked.first_sequence + checked.entries - 1) {
    return malformed("the position is not the sequence of the last entry");
  }
  checked.bytes = batch.Data();
  return checked;
}

Continuity follows(const PositionRecord& head, const CheckedBatch& next) {
  if (next.first_sequence != head.position.sequence.value + 1) return Continuity::kGap;
  if (next.record.position.epoch < head.position.epoch) return Continuity::kDiverged;
  const std::string_view all(next.bytes);
  const auto body = all.substr(kBatchHeaderBytes,
                               all.size() - kBatchHeaderBytes - position_entry_bytes());
  const auto digest =
      chain(head.digest, next.record.position, next.record.commit_time_ns, body);
  return digest == next.record.digest ? Continuity::kFollows : Continuity::kDiverged;
}

}  // namespace feeds::store
