#pragma once

#include <condition_variable>
#include <mutex>

#include "primary/commands/deletion_steps.h"
#include "tests/support/eventually.h"

namespace feeds::test {

// Lets pending deletions advance only when told, a step at a time, so that a test can look at them half
// done. Outlives the committer that it is handed to.
class StepGate {
 public:
  // `rows`: of a step.
  explicit StepGate(std::size_t rows) : rows_(rows) {}

  commit::DeletionStep step() {
    return [this](commit::Group& group, const Deletion& deletion,
                  commit::DeletionProgress& progress, const commit::DeletionBudget& budget) {
      return run(group, deletion, progress, budget);
    };
  }

  // Lets `steps` more happen and waits until they are committed; for fewer if `until()` comes true.
  template <class Condition>
  bool let(std::size_t steps, Condition until) {
    std::unique_lock lock(mutex_);
    allowed_ = steps;
    changed_.notify_all();
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    // A step is asked for again only once the one before is committed.
    while ((allowed_ > 0 || asked_ == taken_at_) && !until()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      changed_.wait_for(lock, std::chrono::milliseconds(1));
    }
    allowed_ = 0;
    return true;
  }
  void open() {
    std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void close() {
    std::lock_guard lock(mutex_);
    open_ = false;
  }

 private:
  Result<bool> run(commit::Group& group, const Deletion& deletion,
                   commit::DeletionProgress& progress, const commit::DeletionBudget& budget) {
    {
      std::unique_lock lock(mutex_);
      ++asked_;
      changed_.notify_all();
      // The committer asks again and again: not a whole core for that.
      changed_.wait_for(lock, std::chrono::microseconds(200), [this] { return open_ || allowed_ > 0; });
      if (!open_ && allowed_ == 0) return false;
      if (!open_) {
        --allowed_;
        taken_at_ = asked_;
      }
      if (open_) return commands::deletion_step(group, deletion, progress, budget);
    }
    const commit::DeletionBudget own(group, rows_, limits::kInlineDeleteBytes);
    return commands::deletion_step(group, deletion, progress, own);
  }

  const std::size_t rows_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t allowed_ = 0;
  std::uint64_t asked_ = 0;     // how often a step was asked for
  std::uint64_t taken_at_ = 0;  // the last time that one was allowed
  bool open_ = false;
};

}  // namespace feeds::test
