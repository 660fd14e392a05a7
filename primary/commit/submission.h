#pragma once

#include <memory>

#include "common/base/result.h"
#include "primary/commit/group.h"

namespace feeds::commit {

class Submission;
using SubmissionPtr = std::unique_ptr<Submission>;

// How a command ended. `position` holds its writes; for one that changed nothing, or was refused
// after the store was consulted, it is the durable position at which it was judged. nullopt: never
// judged.
struct Outcome {
  Status status = done();
  std::optional<Position> position;
};

// A command on its way through the committer.
class Submission {
 public:
  virtual ~Submission() = default;
  // Judges the command and writes it into the group. On an Error nothing of it stays. Runs on the
  // thread that holds the writer; again, in the next group, if what it wrote found no room in this
  // one.
  virtual Status run(Group& group) = 0;
  // About how many bytes it will write at most.
  virtual std::size_t bytes() const = 0;
  // Takes itself and its outcome away, durable by now. On any thread; must not block.
  virtual void deliver(SubmissionPtr self, Outcome outcome) = 0;
};

}  // namespace feeds::commit
