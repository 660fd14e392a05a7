#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "common/http/exchange.h"
#include "common/read_api/read_context.h"
#include "primary/commit/committer.h"

namespace feeds::write_api {

class CommandQueue;

// What the write routes of a primary work with. Outlives the server.
struct WriteContext {
  commit::Committer& committer;
  const read_api::ReadContext& read;
  CommandQueue& queue;
};

// Fills exchange.reply() from a command that was committed, and sends it.
template <class Command>
using Answer = std::function<void(Command& command, http::Exchange& exchange)>;

// Commands on their way from requests to the committer and back, an io thread at a time: those that
// became readable together are handed over together, and their outcomes come back together. A command
// alone, while the committer is idle, is committed on its io thread.
class CommandQueue {
 public:
  explicit CommandQueue(commit::Committer& committer);
  ~CommandQueue();

  // A submission that knows its exchange; it is answered on the exchange's io thread.
  class Item : public commit::Submission {
   public:
    Item(CommandQueue& queue, http::ExchangePtr exchange);
    void deliver(commit::SubmissionPtr self, commit::Outcome outcome) override;

   protected:
    virtual void answer() = 0;
    http::ExchangePtr exchange_;

   private:
    friend class CommandQueue;
    void ready();

    CommandQueue& queue_;
    http::IoThread& io_thread_;
    commit::Outcome outcome_;
  };

  // On the io thread of the item's exchange.
  void add(std::unique_ptr<Item> item);

 private:
  struct Lane;
  Lane& lane(http::IoThread& io_thread);

  commit::Committer& committer_;
  std::vector<std::unique_ptr<Lane>> lanes_;
};

template <class Command>
class CommandItem : public CommandQueue::Item {
 public:
  CommandItem(CommandQueue& queue, http::ExchangePtr exchange, Command command, std::size_t bytes,
              Answer<Command> answer)
      : Item(queue, std::move(exchange)),
        command_(std::move(command)),
        bytes_(bytes),
        answer_(std::move(answer)) {}

  Status run(commit::Group& group) override { return command_.run(group); }
  std::size_t bytes() const override { return bytes_; }

 protected:
  void answer() override { answer_(command_, *exchange_); }

 private:
  Command command_;
  std::size_t bytes_;
  Answer<Command> answer_;
};

// Commits `command` and answers the exchange: with its problem, or by `answer`, with the position on it.
template <class Command>
void run_command(const WriteContext& context, const http::ExchangePtr& exchange, Command command,
                 std::size_t bytes, Answer<Command> answer) {
  context.queue.add(std::make_unique<CommandItem<Command>>(
      context.queue, exchange, std::move(command), bytes, std::move(answer)));
}

}  // namespace feeds::write_api
