#include "primary/commit/deletions.h"

#include <cassert>

#include "common/keys/keyspace.h"

namespace feeds::commit {

Result<Deletions> Deletions::load(const store::DatabasePtr& database) {
  Deletions deletions;
  Status status = done();
  store::View view(database);
  const auto range = keys::range_of(keys::Space::kPending);
  view.scan(range.first, range.end, [&](std::string_view key, std::string_view value) {
    const auto number = keys::parse_pending(key);
    auto deletion = decode_deletion(value);
    if (!number || !deletion) {
      status = Error{Code::kInternal, "unknown pending deletion at " + keys::print_key(key)};
      return false;
    }
    deletions.jobs_.push_back({.number = *number, .deletion = std::move(*deletion)});
    deletions.next_number_ = *number + 1;
    return true;
  });
  if (status) status = view.status();
  if (!status) return status.error();
  return deletions;
}

Status Deletions::add(Group& group, Deletion deletion) {
  if (jobs_.size() + added_.size() >= limits::kPendingDeletions) {
    return Error{Code::kOverloaded, "too many large deletions are under way"};
  }
  Job job{.number = next_number_++, .deletion = std::move(deletion)};
  group.put(keys::pending_key(job.number), encode(job.deletion));
  added_.push_back(std::move(job));
  return done();
}

void Deletions::settle(bool committed) {
  if (committed) {
    if (finished_) jobs_.pop_front();
    jobs_.insert(jobs_.end(), std::make_move_iterator(added_.begin()),
                 std::make_move_iterator(added_.end()));
  }
  added_.clear();
  marked_ = 0;
  finished_ = false;
}

Status Deletions::step(Group& group, const DeletionStep& carry_out, const DeletionBudget& budget) {
  assert(carry_out && !finished_);
  auto& job = jobs_.front();
  const auto complete = carry_out(group, job.deletion, job.progress, budget);
  if (!complete) return complete.error();
  if (*complete) {
    group.erase(keys::pending_key(job.number));
    finished_ = true;
  }
  return done();
}

}  // namespace feeds::commit
