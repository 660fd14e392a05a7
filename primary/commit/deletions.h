#pragma once

#include <cstdint>
#include <deque>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/keys/keyspace.h"
#include "common/store/database.h"
#include "primary/commit/group.h"

namespace feeds::commit {

// What a pending deletion removes. Persisted: numbers never change.
enum class DeletionKind : std::uint8_t { kArticlesOfFeed = 1 };

// Large deletions: recorded in one commit, from which on reads answer as if they were complete, then
// carried out in bounded steps between other commands, also after a restart. Replicas replay the
// same batches. Belongs to whoever holds the writer.
class Deletions {
 public:
  // Finds what is pending. Error: kInternal, also for a record of an unknown kind.
  static Result<Deletions> load(const store::DatabasePtr& database);

  // Records a deletion in the group; the last step of a command that can fail.
  // Error: kOverloaded if limits::kPendingDeletions are pending.
  Status add(Group& group, DeletionKind kind, std::uint64_t target);
  // Ends the group in which add() was called: `committed` false forgets its deletions.
  void settle(bool committed);

  bool pending() const { return !jobs_.empty(); }

  // Writes the next step of the oldest deletion into the group: at most `rows` rows. A group that is
  // then not committed must be followed by load(). Error: kInternal.
  Status step(Group& group, std::size_t rows);

 private:
  struct Job {
    std::uint64_t number;
    DeletionKind kind;
    std::uint64_t target;
    keys::Range rest;  // what may still have rows
  };
  std::deque<Job> jobs_;
  std::deque<Job> added_;   // in the group under construction
  bool finished_ = false;   // the group under construction ends the oldest job
  std::uint64_t next_number_ = 1;
};

}  // namespace feeds::commit
