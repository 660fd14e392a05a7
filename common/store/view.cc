#include "common/store/view.h"

#include <rocksdb/db.h>

#include "common/keys/keyspace.h"

namespace feeds::store {
namespace {

std::string_view text_of(const rocksdb::Slice& slice) {
  return {slice.data(), slice.size()};
}

}  // namespace

// RocksDB keeps pointers to the slices. Empty: unbounded on that side.
struct View::Bounds {
  std::string text;  // of both
  rocksdb::Slice first;
  rocksdb::Slice end;
};

View::View(std::shared_ptr<const Database> database, Passing)
    : database_(std::move(database)), passing_(true) {
  settle();
  if (settled_) return;
  passing_ = false;
  make_iterator(Purpose::kPages, {}, {});
}

View::View(std::shared_ptr<const Database> database, Purpose purpose, std::string_view end)
    : database_(std::move(database)) {
  settle();
  make_iterator(purpose, {}, end);
}

// A commit is visible as a whole, and its last entry, the position record, has RocksDB's newest
// sequence: where that is the head's, what is read is the head. It is not for a moment before a
// commit is published, and once a write has failed.
void View::settle() {
  position_.sequence.value = database_->head_sequence_.load(std::memory_order_acquire);
  position_.epoch.value = database_->head_epoch_.load(std::memory_order_acquire);
  settled_ = unchanged_since();
  // After the position: what changes the pending rows meanwhile changes that too, and is noticed by
  // it.
  pending_changes_ = database_->pending_changes_.load(std::memory_order_seq_cst);
}

void View::make_iterator(Purpose purpose, std::string_view first, std::string_view end) {
  rocksdb::ReadOptions options;
  options.fill_cache = purpose == Purpose::kPages;
  // Before the bounds, which it points to.
  iterator_.reset();
  bounds_.reset();
  if (!end.empty()) {
    bounds_ = std::make_unique<Bounds>();
    bounds_->text.reserve(first.size() + end.size());
    bounds_->text.append(first).append(end);
    bounds_->first = rocksdb::Slice(bounds_->text.data(), first.size());
    bounds_->end = rocksdb::Slice(bounds_->text.data() + first.size(), end.size());
    options.iterate_upper_bound = &bounds_->end;
    if (!first.empty()) options.iterate_lower_bound = &bounds_->first;
  }
  iterator_.reset(database_->rocks_->NewIterator(options));
  if (unchanged_since()) return;
  if (passing_) {
    stale_ = true;
    return;
  }
  // A commit came: only what the iterator sees can say where it is.
  settled_ = false;
  position_ = Position{};
  if (const auto value = find(keys::position_key())) {
    if (const auto record = decode_position(*value)) position_ = record->position;
  }
}

// Whether there is an iterator to read forwards from `key` to `end` with; an empty `end`: to
// anything.
bool View::ready(std::string_view key, std::string_view end) {
  if (!passing_) return true;
  const bool fits = bounds_ == nullptr
                        ? end.empty()
                        : text_of(bounds_->end) == end && key >= text_of(bounds_->first);
  if (iterator_ == nullptr || !fits) make_iterator(Purpose::kPages, {}, end);
  return !stale_;
}

bool View::unchanged_since() const {
  return settled_ && database_->rocks_->GetLatestSequenceNumber() == position_.sequence.value;
}

View::~View() = default;
View::View(View&&) noexcept = default;
View& View::operator=(View&&) noexcept = default;

bool View::seek(std::string_view key) {
  return seek(key, {});
}

bool View::seek(std::string_view key, std::string_view end) {
  if (!ready(key, end)) return false;
  end_ = bounds_ == nullptr || text_of(bounds_->end) != end ? end : std::string_view();
  iterator_->Seek(rocksdb::Slice(key.data(), key.size()));
  return at_entry();
}

bool View::next() {
  iterator_->Next();
  return at_entry();
}

bool View::at_entry() const {
  return iterator_->Valid() && (end_.empty() || key() < end_);
}

bool View::seek_last(std::string_view first, std::string_view end) {
  if (passing_) make_iterator(Purpose::kPages, first, end);
  if (stale_) return false;
  iterator_->SeekForPrev(rocksdb::Slice(end.data(), end.size()));
  if (iterator_->Valid() && key() == end) iterator_->Prev();
  return iterator_->Valid() && key() >= first;
}

std::string_view View::key() const {
  return text_of(iterator_->key());
}

std::string_view View::value() const {
  return text_of(iterator_->value());
}

std::optional<std::string_view> View::find(std::string_view wanted) {
  // A look-up by filters is several times cheaper than a seek, but sees the newest commit: right as
  // long as that is still this view's.
  if (unchanged_since()) {
    if (found_ == nullptr) found_ = std::make_unique<rocksdb::PinnableSlice>();
    found_->Reset();
    const auto status =
        database_->rocks_->Get(rocksdb::ReadOptions(), database_->rocks_->DefaultColumnFamily(),
                               rocksdb::Slice(wanted.data(), wanted.size()), found_.get());
    if (!status.ok() && !status.IsNotFound()) {
      read_status_ = read_error(status);
      return std::nullopt;
    }
    if (unchanged_since()) {
      if (status.IsNotFound()) return std::nullopt;
      return std::string_view(found_->data(), found_->size());
    }
  }
  if (passing_) {
    stale_ = true;
    return std::nullopt;
  }
  if (!seek(wanted) || key() != wanted) return std::nullopt;
  return value();
}

bool View::pending_known_empty() const {
  return settled_ && pending_changes_ % 2 == 0 &&
         database_->pending_empty_at_.load(std::memory_order_seq_cst) == pending_changes_;
}

void View::pending_seen_empty() const {
  if (settled_ && !stale_ && pending_changes_ % 2 == 0) {
    database_->pending_empty_at_.store(pending_changes_, std::memory_order_seq_cst);
  }
}

Status View::status() const {
  if (stale_) return Error{Code::kInternal, "a commit came meanwhile"};
  if (!read_status_) return read_status_;
  if (iterator_ == nullptr) return done();
  const auto status = iterator_->status();
  if (!status.ok()) return read_error(status);
  return done();
}

}  // namespace feeds::store
