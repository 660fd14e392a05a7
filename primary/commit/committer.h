#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "common/base/clock.h"
#include "common/base/sequence_gate.h"
#include "common/obs/metrics.h"
#include "common/store/store.h"
#include "common/store/writer.h"
#include "primary/commit/counters.h"
#include "primary/commit/deletions.h"
#include "primary/commit/submission.h"
#include "primary/commit/templates.h"

namespace feeds::commit {

struct CommitterOptions {
  std::size_t queue = 8192;      // commands waiting; more are refused
  DeletionStep deletion_step{};  // how pending deletions are carried out
  std::size_t inline_delete_rows =
      limits::kInlineDeleteRows;  // deletions of more rows are pending ones
};

// The one way to write: queued commands become groups, a group becomes one batch and one sync, and
// only then is each of its commands answered. Between groups, pending deletions are cleaned in
// small steps.
//
// Everything behind `token_` belongs to the thread that holds it: the committer's own thread, or a
// caller of commit_inline() when that thread is idle.
//
// After a failed write or sync every command is refused until the store has been reopened, which
// the committer's thread does by itself.
class Committer {
 public:
  using Observer = std::function<void(const store::DatabasePtr&, const store::PositionRecord&)>;

  Committer(CommitterOptions options, store::Store& store, SequenceGate& durable,
            obs::Metrics& metrics, const Clock& clock);
  ~Committer();

  // Runs after each commit, before the next can begin. Set before start().
  void on_commit(Observer observer) { observer_ = std::move(observer); }

  // Runs just before each commit is written; if it fails, the store is retired before the next one. Set
  // before start().
  void before_commit(store::Writer::Before before) { before_ = std::move(before); }

  // Loads counters and pending deletions from the open store. Error: kInternal.
  Status start();
  // Refuses what comes, finishes what is queued, ends the thread.
  void stop();

  // Queues commands; each is delivered sooner or later, refused ones at once (kOverloaded, or why
  // writes are refused now).
  void submit(std::vector<SubmissionPtr> submissions);

  // Commits one command on this thread, blocking for a sync, if the committer is idle; else queues
  // it.
  void commit_inline(SubmissionPtr submission);

  // One round of the committer's thread, for tests that own the time: commits what is queued and
  // cleans one step of a pending deletion. False if there was nothing to do.
  bool step();

  std::size_t queued() const;

 private:
  struct Delivery {
    SubmissionPtr submission;
    Outcome outcome;
  };
  using Deliveries = std::vector<Delivery>;

  void run();
  std::vector<SubmissionPtr> take_queued();
  void put_back(std::vector<SubmissionPtr> submissions);
  // Waits until there is work. False: the thread is to end.
  bool wait_for_work();
  // These want the token. Those of `submissions` that found no room in the group are put back.
  Deliveries commit(std::vector<SubmissionPtr> submissions, bool clean);
  enum class Judged { kAnswered, kNoRoom };
  Judged judge(Group& group, Submission& submission, Status& status);
  Deliveries write(Group& group, Deliveries judged);
  Deliveries fail(Deliveries judged, const Error& error);
  Status load(store::DatabasePtr database);

  void recover();
  static void deliver(Deliveries deliveries);
  static void refuse(std::vector<SubmissionPtr> submissions, const Error& error);

  const CommitterOptions options_;
  store::Store& store_;
  SequenceGate& durable_;
  obs::Metrics& metrics_;
  const Clock& clock_;
  Observer observer_;
  store::Writer::Before before_;

  std::mutex token_;
  std::optional<store::Writer> writer_;
  std::optional<Counters> counters_;
  std::optional<Deletions> deletions_;
  Templates templates_;
  bool skip_cleaning_ = false;  // commands found no room beside the last step
  std::chrono::steady_clock::time_point last_command_{};

  mutable std::mutex queue_mutex_;
  std::condition_variable queue_changed_;
  std::deque<SubmissionPtr> queue_;
  std::optional<Error> refusing_;  // why writes are refused now
  bool stopping_ = false;
  std::atomic<bool> cleaning_{false};  // a pending deletion wants steps
  std::thread thread_;
};

}  // namespace feeds::commit
