#include "common/store/store.h"

#include <algorithm>
#include <set>
#include <vector>

#include "common/base/guarded.h"
#include "common/base/limits.h"
#include "common/base/log.h"
#include "common/store/files.h"

namespace feeds::store {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto kFirstBackoff = 200ms;
constexpr auto kMaxBackoff = 5s;
constexpr auto kSlowClose = 10s;

std::string name_of(std::uint64_t number) {
  return "db-" + std::to_string(number);
}

// The numbers of the directories db-<n>.
std::set<std::uint64_t> numbers(const fs::path& data) {
  std::set<std::uint64_t> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(data, ignored)) {
    const auto name = entry.path().filename().string();
    if (!name.starts_with("db-")) continue;
    if (const auto number = parse_decimal(std::string_view(name).substr(3))) found.insert(*number);
  }
  return found;
}

// The next free name of the form db-<n>.
std::string next_name(const fs::path& data) {
  const auto taken = numbers(data);
  return name_of(taken.empty() ? 1 : *taken.rbegin() + 1);
}

Error unusable(const fs::path& path, const std::string& what) {
  return Error{Code::kBadParameter, path.string() + what};
}

// Where a database is made, if no link says where one is: in the directory that is there, since a
// first start may have ended before it made the link, and copies of a directory may lose links.
Result<std::string> name_without_link(const fs::path& data) {
  const auto link = data / "db";
  if (fs::is_symlink(fs::symlink_status(link))) {
    return unusable(link, " points at " + fs::read_symlink(link).string() + ", which is not there");
  }
  const auto found = numbers(data);
  if (found.size() > 1) return unusable(link, " is missing, and there are several databases");
  return found.empty() ? next_name(data) : name_of(*found.begin());
}

}  // namespace

struct Store::Impl {
  std::atomic<DatabasePtr> current;
  std::atomic<StoreState> state{StoreState::kEmpty};
  std::mutex replacing;  // one open, swap, reopen or close at a time
  std::mutex wait_mutex;
  std::condition_variable wait;
  Guarded<std::vector<std::function<void()>>> retire_callbacks;

  // Takes the current database away from new readers and waits until it is closed.
  void retire_current(DatabasePtr replacement) {
    DatabasePtr old = current.exchange(std::move(replacement));
    if (old == nullptr) return;
    bool closed = false;
    old->on_closed([&] {
      std::lock_guard lock(wait_mutex);
      closed = true;
      wait.notify_all();
    });
    old->retire();
    for (const auto& callback : retire_callbacks.copy()) callback();
    old.reset();
    std::unique_lock lock(wait_mutex);
    while (!wait.wait_for(lock, kSlowClose, [&] { return closed; })) {
      log::warn("database_still_held", {{"seconds", 10}});
    }
  }

  // Waits for `pause`; false once `stopping` says so.
  bool pause_unless(const std::function<bool()>& stopping, std::chrono::milliseconds pause) {
    std::unique_lock lock(wait_mutex);
    const auto until = std::chrono::steady_clock::now() + pause;
    while (std::chrono::steady_clock::now() < until) {
      if (stopping()) return false;
      wait.wait_for(lock, std::min<std::chrono::milliseconds>(pause, 50ms));
    }
    return !stopping();
  }
};

Store::Store(fs::path data) : data_(std::move(data)), impl_(std::make_unique<Impl>()) {}
Store::~Store() {
  close();
}

Status Store::open(bool create) {
  std::lock_guard replacing(impl_->replacing);
  const auto link = data_ / "db";
  std::error_code error;
  const bool exists = fs::exists(link, error);
  if (!exists && !create) return done();
  if (exists && !fs::is_symlink(fs::symlink_status(link, error))) {
    return unusable(link, " is no symbolic link: a copy of a data directory keeps its links");
  }

  const auto target =
      exists ? Result(fs::read_symlink(link, error).string()) : name_without_link(data_);
  if (!target) return target.error();
  if (error) return Error{Code::kInternal, link.string() + ": " + error.message()};
  auto database = Database::open(data_ / *target, Access::kReadWrite, !exists);
  if (!database) return database.error();
  if (!exists) {
    if (auto pointed = point_link(link, *target); !pointed) return pointed;
  }
  impl_->current.store(std::move(*database));
  impl_->state = StoreState::kServing;
  return done();
}

Status Store::set_aside() {
  std::lock_guard replacing(impl_->replacing);
  assert(impl_->current.load() == nullptr);
  std::error_code error;
  const auto directory = data_ / fs::read_symlink(data_ / "db", error);
  fs::remove_all(data_ / "damaged", error);
  fs::rename(directory, data_ / "damaged", error);
  if (!error) fs::remove(data_ / "db", error);
  if (error) return Error{Code::kInternal, directory.string() + ": " + error.message()};
  return sync_directory(data_);
}

Result<DatabasePtr> Store::acquire() const {
  DatabasePtr database = impl_->current.load();
  if (database != nullptr) return database;
  if (impl_->state == StoreState::kEmpty) {
    return Error{Code::kReplicaBehind, "this replica has no data yet"};
  }
  return Error{Code::kReopening, "the store is being reopened after a failed write"};
}

StoreState Store::state() const {
  return impl_->state;
}

Result<DatabasePtr> Store::swap(const fs::path& incoming) {
  std::lock_guard replacing(impl_->replacing);
  const auto name = next_name(data_);
  std::error_code error;
  fs::rename(incoming, data_ / name, error);
  if (error) return Error{Code::kInternal, incoming.string() + ": " + error.message()};
  auto database = Database::open(data_ / name, Access::kReadWrite, false);
  Status pointed = database ? sync_directory(data_) : Status(database.error());
  if (pointed) pointed = point_link(data_ / "db", name);
  if (!pointed) {
    if (database) database->reset();
    fs::remove_all(data_ / name, error);
    return pointed.error();
  }
  const auto old_directory = [&] {
    const DatabasePtr old = impl_->current.load();
    return old == nullptr ? fs::path() : old->directory();
  }();
  impl_->state = StoreState::kServing;
  impl_->retire_current(*database);
  if (!old_directory.empty()) fs::remove_all(old_directory, error);
  return *database;
}

Result<DatabasePtr> Store::reopen(const std::function<bool()>& stopping) {
  std::lock_guard replacing(impl_->replacing);
  impl_->state = StoreState::kReopening;
  std::error_code error;
  const auto directory = data_ / fs::read_symlink(data_ / "db", error);
  std::chrono::milliseconds backoff = kFirstBackoff;
  while (!stopping()) {
    if (const auto probe = probe_disk(data_, limits::kProbeBytes); !probe) {
      log::warn("store_probe_failed", {{"reason", probe.error().detail}});
    } else {
      impl_->state = StoreState::kReopening;
      impl_->retire_current(nullptr);
      auto database = Database::open(directory, Access::kReadWrite, false);
      if (database) {
        impl_->current.store(*database);
        impl_->state = StoreState::kServing;
        log::info("store_reopened", {{"position", to_string((*database)->head().position)}});
        return *database;
      }
      log::error("store_reopen_failed", {{"reason", database.error().detail}});
      if (auto readable = Database::open(directory, Access::kReadOnly, false)) {
        impl_->current.store(std::move(*readable));
        impl_->state = StoreState::kReadOnly;
      }
    }
    if (!impl_->pause_unless(stopping, backoff)) break;
    backoff = std::min<std::chrono::milliseconds>(backoff * 2, kMaxBackoff);
  }
  return Error{Code::kReopening, "stopped"};
}

void Store::on_retire(std::function<void()> callback) {
  impl_->retire_callbacks.with([&](auto& list) { list.push_back(std::move(callback)); });
}

void Store::close() {
  std::lock_guard replacing(impl_->replacing);
  impl_->retire_current(nullptr);
  impl_->state = StoreState::kEmpty;
}

}  // namespace feeds::store
