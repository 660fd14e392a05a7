#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>

#include "common/base/limits.h"
#include "common/base/result.h"
#include "common/feeds/pending_deletion.h"
#include "common/store/database.h"
#include "primary/commit/group.h"

namespace feeds::commit {

// How far a deletion has come, for whoever carries it out. In memory only: after a restart it
// begins anew and finds what is left.
struct DeletionProgress {
  int phase = 0;
  std::string resume;   // the first key of the phase that was not seen to; empty: all of it
  int inner_phase = 0;  // likewise, inside the row at `resume`
  std::string inner_resume;
};

// How much may be written in one go. Reached once rows or bytes are; the unit that reaches it is
// finished.
class DeletionBudget {
 public:
  // From what `group` holds now.
  DeletionBudget(const Group& group, std::size_t rows, std::size_t bytes)
      : rows_end_(group.entries() + rows), bytes_end_(group.bytes() + bytes) {}

  bool spent(const Group& group) const {
    return group.entries() >= rows_end_ || group.bytes() >= bytes_end_;
  }
  bool exceeded(const Group& group) const {
    return group.entries() > rows_end_ || group.bytes() > bytes_end_;
  }

 private:
  std::size_t rows_end_;
  std::size_t bytes_end_;
};

// Writes the next step of the oldest deletion into the group, moving `progress`; true once nothing
// of it is left. Error: kInternal.
using DeletionStep =
    std::function<Result<bool>(Group& group, const Deletion& deletion, DeletionProgress& progress,
                               const DeletionBudget& budget)>;

// Large deletions: recorded in one commit, from which on reads answer as if they were complete,
// then carried out in bounded steps between other commands, oldest first, also after a restart.
// Replicas replay the same batches. Belongs to whoever holds the writer.
class Deletions {
 public:
  // Finds what is pending. Error: kInternal, also for a record of an unknown kind.
  static Result<Deletions> load(const store::DatabasePtr& database);

  // Records a deletion in the group. Error: kOverloaded if limits::kPendingDeletions are pending.
  Status add(Group& group, Deletion deletion);
  // Ends the group in which add() was called: `committed` false forgets its deletions.
  void settle(bool committed);

  // Undo: forgets the deletions added since the last mark().
  void mark() { marked_ = added_.size(); }
  void undo_to_mark() { added_.resize(marked_); }

  // How much a command may delete by itself.
  void set_inline_rows(std::size_t rows) { inline_rows_ = rows; }
  std::size_t inline_rows() const { return inline_rows_; }
  DeletionBudget inline_budget(const Group& group) const {
    return DeletionBudget(group, inline_rows_, limits::kInlineDeleteBytes);
  }

  // Some are committed and not complete.
  bool pending() const { return !jobs_.empty(); }
  // Some are in the state that the group under construction shows: reads must ask PendingDeletions.
  bool visible() const { return jobs_.size() + added_.size() > (finished_ ? 1 : 0); }

  // Writes the next step of the oldest deletion into the group. A group that is then not committed
  // must be followed by load(). Error: kInternal.
  Status step(Group& group, const DeletionStep& carry_out, const DeletionBudget& budget);

 private:
  struct Job {
    std::uint64_t number = 0;
    Deletion deletion{};
    DeletionProgress progress{};
  };
  std::deque<Job> jobs_;
  std::deque<Job> added_;  // in the group under construction
  std::size_t marked_ = 0;
  bool finished_ = false;  // the group under construction ends the oldest job
  std::uint64_t next_number_ = 1;
  std::size_t inline_rows_ = limits::kInlineDeleteRows;
};

}  // namespace feeds::commit
