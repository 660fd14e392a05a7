#include "common/store/database.h"

#include <rocksdb/db.h>
#include <rocksdb/wal_filter.h>
#include <rocksdb/write_batch.h>

#include <boost/endian/conversion.hpp>

#include "common/keys/keyspace.h"
#include "common/store/database_options.h"

namespace feeds::store {
namespace {

// Files may vanish between reading the list of them and opening them, when another process writes.
constexpr int kReadOnlyTries = 10;

// Refuses a log that lacks commits. RocksDB goes on with the next file where the last commit of one is torn, though
// what is in that one was synced before, and goes on behind zeros.
class NoGaps : public rocksdb::WalFilter {
 public:
  const char* Name() const override { return "feeds.no_gaps"; }
  void ColumnFamilyLogNumberMap(const std::map<std::uint32_t, std::uint64_t>&,
                                const std::map<std::string, std::uint32_t>&) override {
    next_ = 0;  // a log begins anywhere
  }
  WalProcessingOption LogRecordFound(unsigned long long, const std::string&,
                                     const rocksdb::WriteBatch& batch, rocksdb::WriteBatch*,
                                     bool*) override {
    const auto first = boost::endian::load_little_u64(
        reinterpret_cast<const unsigned char*>(batch.Data().data()));
    const auto wanted = std::exchange(next_, first + batch.Count());
    return wanted == 0 || first == wanted ? WalProcessingOption::kContinueProcessing
                                          : WalProcessingOption::kCorruptedRecord;
  }

 private:
  std::uint64_t next_ = 0;
};

rocksdb::Status open_rocks(const std::filesystem::path& directory, Access access, bool create,
                           rocksdb::WalFilter& filter, rocksdb::DB** rocks) {
  auto options = database_options(create);
  options.wal_filter = &filter;
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
  auto filter = std::make_unique<NoGaps>();
  const auto status = open_rocks(directory, access, create, *filter, &rocks);
  if (!status.ok()) {
    const auto code = status.IsNoSpace() ? Code::kDiskFull : Code::kInternal;
    return Error{code, directory.string() + " cannot be opened: " + status.ToString()};
  }
  std::shared_ptr<Database> database(new Database());
  database->directory_ = directory;
  database->log_filter_ = std::move(filter);
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
