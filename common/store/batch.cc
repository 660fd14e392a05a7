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

bool is_pending(std::string_view key) {
  return !key.empty() && key[0] == static_cast<char>(keys::Space::kPending);
}

Error malformed(std::string what) {
  return Error{Code::kInternal, "malformed batch: " + std::move(what)};
}

// RocksDB's serialised records, as its write batch and log have them. Its own walk over a batch asserts
// on some damage, which a node must survive, so the few forms that a commit uses are parsed here.
constexpr char kDeleteTag = 0x00;  // varint key length, key
constexpr char kPutTag = 0x01;     // the same, varint value length, value

class RecordReader {
 public:
  explicit RecordReader(std::string_view rest) : rest_(rest) {}

  struct Record {
    bool put = false;
    std::string_view key;
    std::string_view value;
  };
  bool at_end() const { return rest_.empty(); }
  std::size_t left() const { return rest_.size(); }
  // nullopt: not a put or delete of the default column family, or cut short.
  std::optional<Record> next() {
    const char tag = rest_.front();
    rest_.remove_prefix(1);
    if (tag != kPutTag && tag != kDeleteTag) return std::nullopt;
    const auto key = text();
    const auto value = tag == kPutTag ? text() : std::optional(std::string_view());
    if (!key || !value) return std::nullopt;
    return Record{tag == kPutTag, *key, *value};
  }

 private:
  std::optional<std::string_view> text() {
    std::uint64_t length = 0;
    for (int shift = 0;; shift += 7) {
      if (rest_.empty() || shift > 28) return std::nullopt;
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      length |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) break;
    }
    if (length > rest_.size()) return std::nullopt;
    const auto taken = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return taken;
  }

  std::string_view rest_;
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
  changes_pending_ |= is_pending(key);
  const auto status = batch_->Put(rocksdb::Slice(key.data(), key.size()),
                                  rocksdb::Slice(value.data(), value.size()));
  assert(status.ok());
}

void Batch::erase(std::string_view key) {
  changes_pending_ |= is_pending(key);
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

void Batch::clear() {
  batch_->Clear();
  changes_pending_ = false;
}

CheckedBatch SealedBatch::as_logged() const {
  CheckedBatch logged{std::string(bytes), first_sequence, entries, changes_pending, record};
  boost::endian::store_little_u64(reinterpret_cast<unsigned char*>(logged.bytes.data()),
                                  first_sequence);
  return logged;
}

Result<CheckedBatch> check_batch(std::string bytes) {
  if (bytes.size() < kBatchHeaderBytes) return malformed("no header");
  const auto* header = reinterpret_cast<const unsigned char*>(bytes.data());
  CheckedBatch checked;
  checked.first_sequence = boost::endian::load_little_u64(header);
  checked.entries = boost::endian::load_little_u32(header + 8);

  RecordReader reader(std::string_view(bytes).substr(kBatchHeaderBytes));
  std::uint32_t entries = 0;
  std::optional<std::string_view> position;
  while (!reader.at_end()) {
    if (position) return malformed("an entry after the position");
    const bool last_size = reader.left() == position_entry_bytes();
    const auto record = reader.next();
    if (!record) return malformed("entry " + std::to_string(entries));
    ++entries;
    checked.changes_pending |= is_pending(record->key);
    if (record->key != keys::position_key()) continue;
    if (!record->put || !last_size) return malformed("the position entry");
    position = record->value;
  }
  if (entries != checked.entries) return malformed("number of entries");
  if (!position) return malformed("no position entry");

  auto record = decode_position(*position);
  if (!record) return record.error();
  checked.record = *record;
  if (checked.record.position.sequence.value != checked.first_sequence + checked.entries - 1) {
    return malformed("the position is not the sequence of the last entry");
  }
  checked.bytes = std::move(bytes);
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
