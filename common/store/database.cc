#include "common/store/database.h"

#include <rocksdb/db.h>

#include "common/keys/keyspace.h"
#include "common/store/database_options.h"

namespace feeds::store {
namespace {

// Files may vanish between reading the list of them and opening them, when another process writes.
constexpr int kReadOnlyTries = 10;

constexpr std::uint64_t kUnstable = 1;

Error read_error(const rocksdb::Status& status) {
  return Error{Code::kInternal, "the database cannot be read: " + status.ToString()};
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
    return Error{Code::kInternal,
                 directory.string() + ": its newest sequence is " + std::to_string(newest) +
                     ", its position says " + to_string(record->position) +
                     "; something other than a node has written there"};
  }
  database->end_write(&*record);
  database->stable_.store(0, std::memory_order_release);
  return database;
}

Database::~Database() {
  rocks_.reset();
  if (on_closed_) on_closed_();
}

void Database::on_closed(std::function<void()> callback) { on_closed_ = std::move(callback); }

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

void Database::begin_write() { stable_.fetch_add(1, std::memory_order_seq_cst); }

void Database::end_write(const PositionRecord* committed) {
  if (committed != nullptr) {
    std::lock_guard lock(head_mutex_);
    head_ = *committed;
    head_epoch_.store(committed->position.epoch.value, std::memory_order_relaxed);
    head_sequence_.store(committed->position.sequence.value, std::memory_order_relaxed);
  }
  stable_.fetch_add(1, std::memory_order_release);
}

// RocksDB keeps a pointer to it.
struct View::Bound {
  std::string end;
  rocksdb::Slice slice;
};

View::View(std::shared_ptr<const Database> database, Purpose purpose, std::string_view end)
    : database_(std::move(database)), stability_(database_->stability()) {
  position_.epoch.value = database_->head_epoch_.load(std::memory_order_relaxed);
  position_.sequence.value = database_->head_sequence_.load(std::memory_order_relaxed);
  rocksdb::ReadOptions options;
  options.fill_cache = purpose == Purpose::kPages;
  if (!end.empty()) {
    bound_ = std::make_unique<Bound>(Bound{std::string(end), {}});
    bound_->slice = bound_->end;
    options.iterate_upper_bound = &bound_->slice;
  }
  iterator_.reset(database_->rocks_->NewIterator(options));
  if (unchanged_since()) return;

  // A commit was under way: only what the iterator sees can say where it is.
  stability_ = kUnstable;
  position_ = Position{};
  if (const auto value = find(keys::position_key())) {
    if (const auto record = decode_position(*value)) position_ = record->position;
  }
}

bool View::unchanged_since() const {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return stability_ % 2 == 0 && database_->stability() == stability_;
}

View::~View() = default;
View::View(View&&) noexcept = default;
View& View::operator=(View&&) noexcept = default;

bool View::seek(std::string_view key) {
  iterator_->Seek(rocksdb::Slice(key.data(), key.size()));
  return iterator_->Valid();
}

bool View::next() {
  iterator_->Next();
  return iterator_->Valid();
}

bool View::seek_last(std::string_view first, std::string_view end) {
  iterator_->SeekForPrev(rocksdb::Slice(end.data(), end.size()));
  if (iterator_->Valid() && key() == end) iterator_->Prev();
  return iterator_->Valid() && key() >= first;
}

std::string_view View::key() const {
  const auto slice = iterator_->key();
  return {slice.data(), slice.size()};
}

std::string_view View::value() const {
  const auto slice = iterator_->value();
  return {slice.data(), slice.size()};
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
  if (!seek(wanted) || key() != wanted) return std::nullopt;
  return value();
}

Status View::status() const {
  if (!read_status_) return read_status_;
  const auto status = iterator_->status();
  if (!status.ok()) return read_error(status);
  return done();
}

}  // namespace feeds::store
