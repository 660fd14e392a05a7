#pragma once

#include <future>
#include <memory>

#include "common/base/sequence_gate.h"
#include "common/store/data_directory.h"
#include "common/store/store.h"
#include "primary/commands/deletion_steps.h"
#include "primary/commit/committer.h"
#include "tests/support/temp_dir.h"

namespace feeds::test {

// A store with a committer on it, in a data directory of its own; reopen() is a restart.
class CommitterWorld {
 public:
  explicit CommitterWorld(commit::CommitterOptions options = {}) : options_(std::move(options)) {
    if (!options_.deletion_step) options_.deletion_step = commands::deletion_step;
    open();
  }
  ~CommitterWorld() { close(); }

  void open(const std::function<void(commit::Committer&)>& prepare = {}) {
    store_ = std::make_unique<store::Store>(dir_.path());
    if (!store_->open(true)) std::abort();
    gate_ = std::make_unique<SequenceGate>();
    committer_ = std::make_unique<commit::Committer>(options_, *store_, *gate_, metrics_,
                                                     system_clock());
    if (prepare) prepare(*committer_);
    if (!committer_->start()) std::abort();
  }
  void close() {
    if (committer_ == nullptr) return;
    committer_->stop();
    committer_.reset();
    store_->close();
  }
  void reopen() {
    close();
    open();
  }

  commit::Committer& committer() { return *committer_; }
  store::Store& store() { return *store_; }
  SequenceGate& gate() { return *gate_; }
  store::View view() { return store::View(*store_->acquire()); }
  const std::filesystem::path& path() const { return dir_.path(); }

  // Submits commands together, so that they tend to share a group, and waits for all outcomes.
  template <class Command>
  std::vector<commit::Outcome> run_all(std::vector<Command*> commands);
  template <class Command>
  commit::Outcome run(Command& command) {
    return run_all<Command>({&command})[0];
  }

 private:
  TempDir dir_;
  commit::CommitterOptions options_;
  obs::Metrics metrics_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<SequenceGate> gate_;
  std::unique_ptr<commit::Committer> committer_;
};

// Runs a command that the test keeps, and promises its outcome.
template <class Command>
class TestSubmission : public commit::Submission {
 public:
  explicit TestSubmission(Command& command) : command_(command) {}
  Status run(commit::Group& group) override { return command_.run(group); }
  std::size_t bytes() const override { return 0; }
  void deliver(commit::SubmissionPtr, commit::Outcome outcome) override {
    outcome_.set_value(std::move(outcome));
  }
  std::future<commit::Outcome> outcome() { return outcome_.get_future(); }

 private:
  Command& command_;
  std::promise<commit::Outcome> outcome_;
};

template <class Command>
std::vector<commit::Outcome> CommitterWorld::run_all(std::vector<Command*> commands) {
  std::vector<commit::SubmissionPtr> submissions;
  std::vector<std::future<commit::Outcome>> futures;
  for (auto* command : commands) {
    auto submission = std::make_unique<TestSubmission<Command>>(*command);
    futures.push_back(submission->outcome());
    submissions.push_back(std::move(submission));
  }
  committer_->submit(std::move(submissions));
  std::vector<commit::Outcome> outcomes;
  for (auto& future : futures) outcomes.push_back(future.get());
  return outcomes;
}

}  // namespace feeds::test
