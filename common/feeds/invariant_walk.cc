#include "common/feeds/invariant_walk.h"

#include "common/keys/activity_keyspace.h"

namespace feeds::invariants {
namespace {

// Rows are taken off the iterator in bunches, since looking others up may move it.
constexpr std::size_t kBunchRows = 256;
constexpr std::size_t kBunchBytes = 4 * 1024 * 1024;

}  // namespace

Status Walk::start() {
  auto loaded = PendingDeletions::load(reader_);
  if (!loaded) return loaded.error();
  pending_ = std::move(*loaded);
  return done();
}

void Walk::each(const keys::Range& range, const Row& row) {
  std::vector<std::pair<std::string, std::string>> bunch;
  std::string from = range.first;
  while (!over()) {
    bunch.clear();
    std::size_t bytes = 0;
    view_.scan(from, range.end, [&](std::string_view key, std::string_view value) {
      bunch.emplace_back(key, value);
      bytes += key.size() + value.size();
      return bunch.size() < kBunchRows && bytes < kBunchBytes;
    });
    if (status_) status_ = view_.status();
    if (status_ && view_.retired())
      status_ = Error{Code::kReopening, "the database was replaced meanwhile"};
    if (bunch.empty()) return;
    for (const auto& [key, value] : bunch) {
      if (over()) return;
      row(key, value);
    }
    from = bunch.back().first + '\0';
  }
}

std::optional<std::string> Walk::get(std::string_view key) {
  auto value = reader_.get(key);
  if (value) return std::move(*value);
  status_ = value.error();
  return std::nullopt;
}

std::optional<std::string> Walk::first(const keys::Range& range) {
  const bool found = view_.seek(range.first, range.end);
  if (auto readable = view_.status(); !readable) status_ = readable;
  return found ? std::optional(std::string(view_.key())) : std::nullopt;
}

std::optional<Activity> Walk::activity(ActivityId id) {
  const auto value = get(keys::activity_key(id));
  if (!value) return std::nullopt;
  auto parsed = parse_activity_value(*value);
  return parsed ? std::optional(std::move(*parsed)) : std::nullopt;
}

std::optional<Activity> Walk::seen_activity(ActivityId id) {
  auto found = activity(id);
  if (!found) return std::nullopt;
  const auto there = pending_.see(reader_, *found);
  if (!there) status_ = there.error();
  return there && *there ? found : std::nullopt;
}

bool Walk::pending(DeletionKind kind, std::uint64_t target) const {
  return std::any_of(
      pending_.deletions().begin(), pending_.deletions().end(),
      [&](const Deletion& deletion) { return deletion.kind == kind && deletion.target == target; });
}

void Walk::violation(std::string_view key, std::string_view what) {
  if (over()) return;
  violations_.found.push_back(keys::print_key(key) + ": " + std::string(what));
}

}  // namespace feeds::invariants
