#include "common/store/database.h"

#include <rocksdb/db.h>

#include "common/keys/keyspace.h"
#include "common/store/database_options.h"

namespace feeds::store {
namespace {

// Files may vanish between reading the list of them and opening them, when another process writes.
constexpr int kReadOnlyTries = 10;

Error read_error(const rocksdb::Status& status) {
  return Error{Code::kInternal, "the database cannot be read: " + status.ToString()};
}

std::string_view text_of(const rocksdb::Slice& slice) {
  return {slice.data(), slice.size()};
}

rocksdb::Status open_rocks(const std::filesystem::path& directory, Access access, bool create,
                           rocksdb::DB** rocks) {
  const auto options = database_options(create);
  std::error_code ignored;
  if (create) std::filesystem::create_directory(directory, ignored);
  if (access == Access::kReadWrite) return rocksdb::DB::Open(options, directory.string(), rocks);
  rocksdb::Status status;
  for (int attempt = 0; attempt < kReadOnlyTries; ++attempt) {
    status = rocksdb::DB::OpenForReadOnly(options, directory.string(), rocks);
    if (status.ok()) break;
  }
  return status;
}

Result<PositionRecord> read_position(rocksdb::DB& rocks) {
  std::string value;
  const auto status = rocks.Get(rocksdb::ReadOptions(), keys::position_key(), &value);
  if (status.IsNotFound()) return PositionRecord{};
  if (!status.ok()) return read_error(status);
  return decode_position(value);
}

}  // namespace

Result<std::shared_ptr<Database>> Database::open(const std::filesystem::path& directory,
                                                 Access access, bool create) {
  rocksdb::DB* rocks = nullptr;
  const auto status = open_rocks(directory, access, create, &rocks);
  if (!status.ok()) {
    const auto code = status.IsNoSpace() ? Code::kDiskFull : Code::kInternal;
    return Error{code, directory.string() + " cannot be opened: " + status.ToString()};
  }
  std::shared_ptr<Database> database(new Database());
  database->directory_ = directory;
  database->rocks_.reset(rocks);

  const auto record = read_position(*rocks);
  if (!record) return record.error();
  const auto newest = rocks->GetLatestSequenceNumber();
  if (newest != record->position.sequence.value) {
    return Error{Code::kInternal, directory.string() + ": its newest sequence is " +
                                      std::to_string(newest) + ", its position says " +
                                      to_string(record->position) +
                                      "; something other than a node has written there"};
  }
  database->end_write(&*record);
  return database;
}

Database::~Database() {
  rocks_.reset();
  if (on_closed_) on_closed_();
}

void Database::on_closed(std::function<void()> callback) {
  on_closed_ = std::move(callback);
}

PositionRecord Database::head() const {
  std::lock_guard lock(head_mutex_);
  return head_;
}

Result<std::optional<std::string>> Database::get(std::string_view key) const {
  std::string value;
  const auto status =
      rocks_->Get(rocksdb::ReadOptions(), rocksdb::Slice(key.data(), key.size()), &value);
  if (status.IsNotFound()) return std::optional<std::string>{};
  if (!status.ok()) return read_error(status);
  return std::optional(std::move(value));
}

void Database::begin_write(bool changes_pending) {
  if (changes_pending) pending_changes_.fetch_add(1, std::memory_order_seq_cst);
}

void Database::end_write(const PositionRecord* committed) {
  if (committed != nullptr) {
    std::lock_guard lock(head_mutex_);
    head_ = *committed;
    head_epoch_.store(committed->position.epoch.value, std::memory_order_release);
    head_sequence_.store(committed->position.sequence.value, std::memory_order_release);
  }
  if (pending_changes_.load(std::memory_order_relaxed) % 2 != 0) {
    pending_changes_.fetch_add(1, std::memory_order_seq_cst);
  }
}

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
  iterator_->Seek(rocksdb::Slice(key.data(), key.size()));
  return iterator_->Valid();
}

bool View::next() {
  iterator_->Next();
  return iterator_->Valid();
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
