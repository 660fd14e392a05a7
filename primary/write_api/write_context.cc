#include "primary/write_api/write_context.h"

#include "common/http/server.h"

namespace feeds::write_api {
namespace {

constexpr std::size_t kMaxIoThreads = 256;

}  // namespace

// One io thread's commands. `gathered` is that thread's own; `finished` is filled by any.
struct CommandQueue::Lane {
  std::vector<commit::SubmissionPtr> gathered;
  std::mutex mutex;
  std::vector<std::unique_ptr<Item>> finished;
};

CommandQueue::CommandQueue(commit::Committer& committer) : committer_(committer) {
  for (std::size_t i = 0; i < kMaxIoThreads; ++i) lanes_.push_back(std::make_unique<Lane>());
}

CommandQueue::~CommandQueue() = default;

CommandQueue::Lane& CommandQueue::lane(http::IoThread& io_thread) {
  return *lanes_.at(io_thread.index());
}

CommandQueue::Item::Item(CommandQueue& queue, http::ExchangePtr exchange)
    : exchange_(std::move(exchange)), queue_(queue), io_thread_(exchange_->io_thread()) {}

void CommandQueue::add(std::unique_ptr<Item> item) {
  auto& io_thread = item->io_thread_;
  auto& mine = lane(io_thread);
  mine.gathered.push_back(std::move(item));
  if (mine.gathered.size() > 1) return;
  // Runs once everything that is readable now was handled, and so gathered.
  io_thread.post([this, &mine] {
    auto gathered = std::exchange(mine.gathered, {});
    if (gathered.size() == 1) {
      committer_.commit_inline(std::move(gathered.front()));
    } else {
      committer_.submit(std::move(gathered));
    }
  });
}

void CommandQueue::Item::deliver(commit::SubmissionPtr self, commit::Outcome outcome) {
  outcome_ = std::move(outcome);
  std::unique_ptr<Item> item(static_cast<Item*>(self.release()));
  if (io_thread_.is_current()) return item->ready();
  auto& lane = queue_.lane(io_thread_);
  {
    std::lock_guard lock(lane.mutex);
    lane.finished.push_back(std::move(item));
    if (lane.finished.size() > 1) return;
  }
  io_thread_.post([&lane] {
    std::vector<std::unique_ptr<Item>> finished;
    {
      std::lock_guard lock(lane.mutex);
      finished.swap(lane.finished);
    }
    for (const auto& each : finished) each->ready();
  });
}

void CommandQueue::Item::ready() {
  exchange_->reply().position = outcome_.position;
  if (!outcome_.status) return exchange_->send_error(outcome_.status.error());
  answer();
}

}  // namespace feeds::write_api
