#include "common/store/database.h"

#include <rocksdb/db.h>

#include "common/keys/keyspace.h"
#include "common/store/database_options.h"

namespace feeds::store {
namespace {

// Files may vanish between reading the list of them and opening them, when another process writes.
constexpr int kReadOnlyTries = 10;

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

Error read_error(const rocksdb::Status& status) {
  return Error{Code::kInternal, "the database cannot be read: " + status.ToString()};
}

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

}  // namespace feeds::store
