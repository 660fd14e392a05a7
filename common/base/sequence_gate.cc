#include "common/base/sequence_gate.h"

namespace feeds {

SequenceGate::SequenceGate(Position start) : current_(start) {}

Position SequenceGate::current() const {
  std::lock_guard lock(mutex_);
  return current_;
}

void SequenceGate::publish(Position position) {
  std::vector<std::function<void()>> ready;
  std::vector<std::shared_ptr<Listener>> listeners;
  {
    std::lock_guard lock(mutex_);
    current_ = position;
    while (!waiters_.empty() && waiters_.begin()->first <= position) {
      auto& [token, callback] = waiters_.begin()->second;
      by_token_.erase(token);
      ready.push_back(std::move(callback));
      waiters_.erase(waiters_.begin());
      waiting_.fetch_sub(1, std::memory_order_relaxed);
    }
    std::erase_if(listeners_, [](const auto& weak) { return weak.expired(); });
    for (const auto& weak : listeners_) {
      if (auto listener = weak.lock()) listeners.push_back(std::move(listener));
    }
  }
  for (const auto& callback : ready) callback();
  for (const auto& listener : listeners) (*listener)(position);
}

SequenceGate::Token SequenceGate::wait(Position position, std::function<void()> ready) {
  {
    std::lock_guard lock(mutex_);
    if (current_ < position) {
      const Token token = next_token_++;
      by_token_[token] = waiters_.emplace(position, std::pair(token, std::move(ready)));
      waiting_.fetch_add(1, std::memory_order_relaxed);
      return token;
    }
  }
  ready();
  return 0;
}

void SequenceGate::cancel(Token token) {
  if (token == 0) return;
  std::lock_guard lock(mutex_);
  const auto waiter = by_token_.find(token);
  if (waiter == by_token_.end()) return;
  waiters_.erase(waiter->second);
  by_token_.erase(waiter);
  waiting_.fetch_sub(1, std::memory_order_relaxed);
}

std::size_t SequenceGate::waiting() const { return waiting_.load(std::memory_order_relaxed); }

std::shared_ptr<void> SequenceGate::listen(Listener listener) {
  auto held = std::make_shared<Listener>(std::move(listener));
  std::lock_guard lock(mutex_);
  listeners_.push_back(held);
  return held;
}

}  // namespace feeds
