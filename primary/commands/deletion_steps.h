#pragma once

#include "common/base/result.h"
#include "common/feeds/pending_deletion.h"
#include "primary/commit/deletions.h"
#include "primary/commit/group.h"

// How each kind of deletion is carried out: the same way within the command that asks for it, if it
// is small, and in steps behind it.
namespace feeds::commands {

// The commit::DeletionStep of a node: of the oldest deletion, so that nothing is to be seen through
// others.
Result<bool> deletion_step(commit::Group& group, const Deletion& deletion,
                           commit::DeletionProgress& progress,
                           const commit::DeletionBudget& budget);

// Carries out a deletion in the command under way, or records it if that would exceed the budget.
// The last step of a command. `pending`: the deletions under way before it. Error: kOverloaded.
Status delete_or_defer(commit::Group& group, const PendingDeletions& pending,
                       const Deletion& deletion, const commit::DeletionBudget& budget);

}  // namespace feeds::commands
