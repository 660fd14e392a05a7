#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "common/base/ids.h"

namespace feeds {

// Publishes a position that only grows (a primary's durable one, a replica's applied one) and wakes
// whoever waits for it, without a thread per waiter. Thread-safe.
class SequenceGate {
 public:
  using Token = std::uint64_t;

  explicit SequenceGate(Position start = {});

  Position current() const;

  // Announces `position` and runs what waited for it, then the listeners, on this thread: callbacks
  // must only hand over (post, signal). May go back only through reset().
  void publish(Position position);

  // A replaced database may be elsewhere in history: sets the position, wakes as publish() does.
  void reset(Position position) { publish(position); }

  // Runs `ready` once when current() >= position: at once on this thread if it is so already, with
  // token 0, else on the publishing thread. The token cancels; a cancelled callback does not run
  // after cancel() returned, unless it was running already.
  Token wait(Position position, std::function<void()> ready);
  void cancel(Token token);
  std::size_t waiting() const;

  // Runs `listener` with what was published, after every publish, for as long as the returned handle
  // lives.
  using Listener = std::function<void(Position)>;
  std::shared_ptr<void> listen(Listener listener);

 private:
  mutable std::mutex mutex_;
  Position current_;
  std::atomic<std::uint64_t> waiting_{0};
  Token next_token_ = 1;
  using Waiters = std::multimap<Position, std::pair<Token, std::function<void()>>>;
  Waiters waiters_;
  std::unordered_map<Token, Waiters::iterator> by_token_;
  std::vector<std::weak_ptr<Listener>> listeners_;
};

}  // namespace feeds
