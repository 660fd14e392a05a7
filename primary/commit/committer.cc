#include "primary/commit/committer.h"

#include "common/base/limits.h"
#include "common/base/log.h"

namespace feeds::commit {
namespace {

// Rows a cleaning step erases: many while nobody waits, few behind which commands wait.
constexpr std::size_t kIdleCleaningRows = 1000;
constexpr std::size_t kBusyCleaningRows = 100;

}  // namespace

Committer::Committer(CommitterOptions options, store::Store& store, SequenceGate& durable,
                     obs::Metrics& metrics, const Clock& clock)
    : options_(options), store_(store), durable_(durable), metrics_(metrics), clock_(clock) {}

Committer::~Committer() { stop(); }

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
  auto deliveries = commit(std::move(one), 0);
  token.unlock();
  if (cleaning_) {
    // A deletion began here; its cleaning is for the committer's thread, which may be asleep. Under
    // the lock, it has either seen cleaning_ or waits for this.
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
    const auto cleaning_rows = submissions.empty() ? kIdleCleaningRows : kBusyCleaningRows;
    deliveries = commit(std::move(submissions), cleaning_rows);
  }
  deliver(std::move(deliveries));
  return true;
}

void Committer::run() {
  while (true) {
    {
      std::unique_lock lock(queue_mutex_);
      queue_changed_.wait(
          lock, [this] { return stopping_ || refusing_ || !queue_.empty() || cleaning_; });
      if (stopping_ && (queue_.empty() || refusing_)) break;
    }
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

Committer::Deliveries Committer::commit(std::vector<SubmissionPtr> submissions,
                                        std::size_t cleaning_rows) {
  Group group(writer_->database(), *counters_, *deletions_);
  Deliveries judged;
  judged.reserve(submissions.size());
  for (auto& submission : submissions) {
    group.begin_command();
    Status status = submission->run(group);
    if (status) {
      group.keep();
    } else {
      group.undo();
    }
    judged.push_back({std::move(submission), {std::move(status), std::nullopt}});
  }
  if (cleaning_rows > 0 && deletions_->pending()) {
    if (auto cleaned = deletions_->step(group, cleaning_rows); !cleaned) {
      return fail(std::move(judged), cleaned.error());
    }
  }
  return write(group, std::move(judged));
}

Committer::Deliveries Committer::write(Group& group, Deliveries judged) {
  Position position = writer_->database()->head().position;
  auto& batch = group.seal();
  if (batch.entries() > 0) {
    const auto begin = clock_.now();
    const auto record = writer_->commit(batch, clock_.wall_ns());
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
