#include "primary/commit/committer.h"

#include "common/base/limits.h"
#include "common/base/log.h"

namespace feeds::commit {
namespace {

// What a cleaning step writes: much while nobody writes, little where commands wait for it.
constexpr std::size_t kIdleCleaningRows = 1000;
constexpr std::size_t kIdleCleaningBytes = 512 * 1024;
constexpr std::size_t kBusyCleaningRows = 50;
constexpr std::size_t kBusyCleaningBytes = 128 * 1024;
// Others write if a command came so lately. Then cleaning goes along with their commits, and has
// one of its own only if none came for a while: the next command would wait for its sync.
constexpr auto kBusyTime = std::chrono::milliseconds(50);
constexpr auto kCompanyTime = std::chrono::milliseconds(5);

// Counters and the position record, written last.
constexpr std::size_t kSealBytes = 64 * 1024;

}  // namespace

Committer::Committer(CommitterOptions options, store::Store& store, SequenceGate& durable,
                     obs::Metrics& metrics, const Clock& clock)
    : options_(options), store_(store), durable_(durable), metrics_(metrics), clock_(clock) {}

Committer::~Committer() {
  stop();
}

Status Committer::start() {
  auto database = store_.acquire();
  if (!database) return database.error();
  {
    std::lock_guard token(token_);
    if (auto loaded = load(*database); !loaded) return loaded;
  }
  thread_ = std::thread([this] { run(); });
  return done();
}

Status Committer::load(store::DatabasePtr database) {
  auto counters = Counters::load(database);
  if (!counters) return counters.error();
  auto deletions = Deletions::load(database);
  if (!deletions) return deletions.error();
  counters_ = std::move(*counters);
  deletions_ = std::move(*deletions);
  deletions_->set_inline_rows(options_.inline_delete_rows);
  templates_ = {};  // of a group that failed, ids are given out again
  cleaning_ = deletions_->pending();
  durable_.publish(database->head().position);
  writer_.emplace(std::move(database));
  return done();
}

void Committer::stop() {
  {
    std::lock_guard lock(queue_mutex_);
    stopping_ = true;
  }
  queue_changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  std::lock_guard token(token_);
  writer_.reset();
  counters_.reset();
  deletions_.reset();
}

std::size_t Committer::queued() const {
  std::lock_guard lock(queue_mutex_);
  return queue_.size();
}

void Committer::submit(std::vector<SubmissionPtr> submissions) {
  std::vector<SubmissionPtr> refused;
  Error why{Code::kOverloaded, "too many writes are waiting"};
  {
    std::lock_guard lock(queue_mutex_);
    for (auto& submission : submissions) {
      if (!refusing_ && !stopping_ && queue_.size() < options_.queue) {
        queue_.push_back(std::move(submission));
      } else {
        refused.push_back(std::move(submission));
      }
    }
    if (refusing_) why = *refusing_;
  }
  queue_changed_.notify_one();
  refuse(std::move(refused), why);
}

void Committer::commit_inline(SubmissionPtr submission) {
  std::unique_lock token(token_, std::try_to_lock);
  bool idle = token.owns_lock() && writer_.has_value() && !cleaning_;
  if (idle) {
    std::lock_guard lock(queue_mutex_);
    idle = queue_.empty() && !refusing_ && !stopping_;
  }
  std::vector<SubmissionPtr> one;
  one.push_back(std::move(submission));
  if (!idle) {
    if (token.owns_lock()) token.unlock();
    submit(std::move(one));
    return;
  }
  last_command_ = clock_.now();
  auto deliveries = commit(std::move(one), false);
  const bool cleaning = cleaning_;
  token.unlock();
  if (cleaning) {
    // The command left a deletion to be carried out, and the committer may be about to wait: the lock
    // orders this after its look at `cleaning_`.
    { std::lock_guard lock(queue_mutex_); }
    queue_changed_.notify_one();
  }
  deliver(std::move(deliveries));
}

bool Committer::step() {
  Deliveries deliveries;
  {
    std::lock_guard token(token_);
    auto submissions = take_queued();
    if (!writer_ || (submissions.empty() && !cleaning_)) {
      if (!writer_) refuse(std::move(submissions), {Code::kReopening, "the store is not open"});
      return false;
    }
    if (!submissions.empty()) last_command_ = clock_.now();
    deliveries = commit(std::move(submissions), true);
  }
  deliver(std::move(deliveries));
  return true;
}

void Committer::run() {
  while (wait_for_work()) {
    bool failed = false;
    {
      std::lock_guard lock(queue_mutex_);
      failed = refusing_.has_value();
    }
    if (failed) {
      recover();
    } else {
      step();
    }
  }
  refuse(take_queued(), {Code::kOverloaded, "the node is stopping"});
}

bool Committer::wait_for_work() {
  const auto busy_until = [this] {
    std::lock_guard token(token_);
    return last_command_ + kBusyTime;
  };
  const bool busy = cleaning_ && clock_.now() < busy_until();
  std::unique_lock lock(queue_mutex_);
  const auto work = [this] { return stopping_ || refusing_ || !queue_.empty(); };
  if (busy) queue_changed_.wait_for(lock, kCompanyTime, work);
  queue_changed_.wait(lock, [&] { return work() || cleaning_; });
  return !stopping_ || (!queue_.empty() && !refusing_);
}

std::vector<SubmissionPtr> Committer::take_queued() {
  std::vector<SubmissionPtr> taken;
  std::size_t bytes = 0;
  std::lock_guard lock(queue_mutex_);
  while (!queue_.empty() && taken.size() < limits::kGroupCommands) {
    bytes += queue_.front()->bytes();
    if (!taken.empty() && bytes > limits::kGroupBytes) break;
    taken.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  return taken;
}

void Committer::put_back(std::vector<SubmissionPtr> submissions) {
  std::lock_guard lock(queue_mutex_);
  queue_.insert(queue_.begin(), std::make_move_iterator(submissions.begin()),
                std::make_move_iterator(submissions.end()));
}

Committer::Deliveries Committer::commit(std::vector<SubmissionPtr> submissions, bool clean) {
  Group group(writer_->database(), *counters_, *deletions_, templates_, clock_.wall_ns());
  const bool cleaning = clean && deletions_->pending() && !skip_cleaning_;
  if (cleaning) {
    const bool busy = clock_.now() < last_command_ + kBusyTime;
    const DeletionBudget budget(group, busy ? kBusyCleaningRows : kIdleCleaningRows,
                                busy ? kBusyCleaningBytes : kIdleCleaningBytes);
    if (auto cleaned = deletions_->step(group, options_.deletion_step, budget); !cleaned) {
      put_back(std::move(submissions));
      return fail({}, cleaned.error());
    }
  }
  Deliveries judged;
  judged.reserve(submissions.size());
  std::size_t taken = 0;
  for (; taken < submissions.size() && group.bytes() < limits::kGroupBytes; ++taken) {
    Status status = done();
    if (judge(group, *submissions[taken], status) == Judged::kNoRoom) break;
    judged.push_back({std::move(submissions[taken]), {std::move(status), std::nullopt}});
  }
  skip_cleaning_ = cleaning && taken < submissions.size();
  submissions.erase(submissions.begin(), submissions.begin() + static_cast<std::ptrdiff_t>(taken));
  put_back(std::move(submissions));
  return write(group, std::move(judged));
}

Committer::Judged Committer::judge(Group& group, Submission& submission, Status& status) {
  const bool alone = group.entries() == 0;
  group.begin_command();
  status = submission.run(group);
  if (status && group.bytes() > limits::kBatchBytes - kSealBytes) {
    if (!alone) {
      group.undo();
      return Judged::kNoRoom;
    }
    status = Error{Code::kValueTooLarge, "this changes more at once than a commit holds"};
  }
  if (status) {
    group.keep();
  } else {
    group.undo();
  }
  return Judged::kAnswered;
}

Committer::Deliveries Committer::write(Group& group, Deliveries judged) {
  Position position = writer_->database()->head().position;
  auto& batch = group.seal();
  if (batch.entries() > 0) {
    const auto begin = clock_.now();
    const auto record = writer_->commit(batch, group.now_ns(), before_);
    if (!record) return fail(std::move(judged), record.error());
    metrics_.commit_group(judged.size(), clock_.now() - begin);
    position = record->position;
    durable_.publish(position);
    if (observer_) observer_(writer_->database(), *record);
  }
  counters_->settled();
  deletions_->settle(true);
  cleaning_ = deletions_->pending();
  for (auto& delivery : judged) delivery.outcome.position = position;
  return judged;
}

Committer::Deliveries Committer::fail(Deliveries judged, const Error& error) {
  log::error("writes_refused", {{"reason", error.detail}});
  counters_.reset();
  deletions_.reset();
  writer_.reset();
  for (auto& delivery : judged) delivery.outcome = {error, std::nullopt};
  const bool disk_full = error.code == Code::kDiskFull;
  std::lock_guard lock(queue_mutex_);
  refusing_ = disk_full ? error
                        : Error{Code::kReopening,
                                "the store is being reopened after a failed write; nothing was "
                                "written"};
  queue_changed_.notify_all();
  return judged;
}

void Committer::recover() {
  std::vector<SubmissionPtr> waiting;
  Error why{Code::kReopening, ""};
  {
    std::lock_guard lock(queue_mutex_);
    waiting.assign(std::make_move_iterator(queue_.begin()), std::make_move_iterator(queue_.end()));
    queue_.clear();
    why = *refusing_;
  }
  refuse(std::move(waiting), why);
  const auto stopping = [this] {
    std::lock_guard lock(queue_mutex_);
    return stopping_;
  };
  auto database = store_.reopen(stopping);
  if (!database) return;
  std::lock_guard token(token_);
  if (auto loaded = load(std::move(*database)); !loaded) {
    log::error("writes_refused", {{"reason", loaded.error().detail}});
    return;
  }
  std::lock_guard lock(queue_mutex_);
  refusing_.reset();
}

void Committer::deliver(Deliveries deliveries) {
  for (auto& [submission, outcome] : deliveries) {
    auto& target = *submission;
    target.deliver(std::move(submission), std::move(outcome));
  }
}

void Committer::refuse(std::vector<SubmissionPtr> submissions, const Error& error) {
  for (auto& submission : submissions) {
    auto& target = *submission;
    target.deliver(std::move(submission), {error, std::nullopt});
  }
}

}  // namespace feeds::commit
