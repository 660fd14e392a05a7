#include "primary/commit/deletions.h"

#include "common/base/limits.h"
#include "common/keys/key_codec.h"
#include "common/keys/keyspace.h"

namespace feeds::commit {
namespace {

std::string encode_job(DeletionKind kind, std::uint64_t target) {
  std::string value(1, static_cast<char>(kind));
  keys::append_integer(value, target);
  return value;
}

keys::Range rows_of(DeletionKind kind, std::uint64_t target) {
  switch (kind) {
    case DeletionKind::kArticlesOfFeed:
      return keys::articles_of(FeedId{target});
  }
  return {};
}

}  // namespace

Result<Deletions> Deletions::load(const store::DatabasePtr& database) {
  Deletions deletions;
  Status status = done();
  store::View view(database);
  const auto range = keys::range_of(keys::Space::kPending);
  view.scan(range.first, range.end, [&](std::string_view key, std::string_view value) {
    const auto number = keys::parse_pending(key);
    const auto kind = value.empty() ? 0 : static_cast<int>(value[0]);
    const auto target = keys::decode_integer(value.substr(value.empty() ? 0 : 1));
    if (!number || !target || kind != static_cast<int>(DeletionKind::kArticlesOfFeed)) {
      status = Error{Code::kInternal, "unknown pending deletion at " + keys::print_key(key)};
      return false;
    }
    deletions.jobs_.push_back(
        {*number, static_cast<DeletionKind>(kind), *target, rows_of(DeletionKind(kind), *target)});
    deletions.next_number_ = *number + 1;
    return true;
  });
  if (status) status = view.status();
  if (!status) return status.error();
  return deletions;
}

Status Deletions::add(Group& group, DeletionKind kind, std::uint64_t target) {
  if (jobs_.size() + added_.size() >= limits::kPendingDeletions) {
    return Error{Code::kOverloaded, "too many large deletions are under way"};
  }
  const Job job{next_number_++, kind, target, rows_of(kind, target)};
  group.put(keys::pending_key(job.number), encode_job(kind, target));
  added_.push_back(job);
  return done();
}

void Deletions::settle(bool committed) {
  if (committed) {
    if (finished_) jobs_.pop_front();
    jobs_.insert(jobs_.end(), added_.begin(), added_.end());
  }
  added_.clear();
  finished_ = false;
}

Status Deletions::step(Group& group, std::size_t rows) {
  auto& job = jobs_.front();
  store::View view(group.database());
  std::size_t erased = 0;
  std::string last;
  view.scan(job.rest.first, job.rest.end, [&](std::string_view key, std::string_view) {
    if (erased == rows) return false;
    group.erase(key);
    last = key;
    ++erased;
    return true;
  });
  if (auto status = view.status(); !status) return status;
  // Going on behind the last row: the rows before it are tombstones, slow to walk over.
  if (erased > 0) job.rest.first = last + '\0';
  if (erased < rows) {
    group.erase(keys::pending_key(job.number));
    finished_ = true;
  }
  return done();
}

}  // namespace feeds::commit
