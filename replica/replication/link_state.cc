#include "replica/replication/link_state.h"

#include <algorithm>

#include "common/base/limits.h"

namespace feeds::replication {

TimePoint LagClock::holds_until(TimePoint now) const {
  return std::min(now, *told_at_ + limits::kHeadFresh);
}

void LagClock::judge(TimePoint now) {
  level_ = applied_ >= head_ && now - *told_at_ < limits::kHeadFresh;
  if (level_) level_at_ = now;
}

void LagClock::applied(std::uint64_t sequence, TimePoint now) {
  applied_ = sequence;
  if (told_at_ && !level_) judge(now);
}

void LagClock::told(std::uint64_t head, TimePoint now) {
  if (level_) level_at_ = holds_until(now);
  head_ = head;
  told_at_ = now;
  judge(now);
}

void LagClock::reset(std::uint64_t sequence) {
  *this = LagClock();
  applied_ = sequence;
}

obs::Lag LagClock::lag(TimePoint now) const {
  if (!level_at_) return std::nullopt;
  const TimePoint since = level_ ? holds_until(now) : *level_at_;
  return std::chrono::duration_cast<std::chrono::milliseconds>(now - since);
}

void LinkState::cluster(const std::string& cluster_id) {
  state_.with([&](State& state) { state.status.cluster_id = cluster_id; });
}

void LinkState::primary(const std::string& advertise) {
  state_.with([&](State& state) { state.status.primary = advertise; });
}

void LinkState::phase(std::string_view name, bool connected) {
  state_.with([&](State& state) {
    state.status.state = name;
    state.status.connected = connected;
  });
}

void LinkState::applied(Position position, TimePoint now) {
  state_.with([&](State& state) {
    state.applied = position;
    state.clock.applied(position.sequence.value, now);
  });
}

void LinkState::synced(Position position) {
  state_.with([&](State& state) { state.status.durable = position; });
}

void LinkState::replaced(Position position) {
  state_.with([&](State& state) {
    state.applied = position;
    state.status.durable = position;
    state.clock.reset(position.sequence.value);
  });
}

void LinkState::told_head(Position head, bool by_heartbeat, TimePoint now) {
  state_.with([&](State& state) {
    if (!by_heartbeat && state.status.head && head < *state.status.head) return;
    state.status.head = head;
    if (by_heartbeat) state.clock.told(head.sequence.value, now);
  });
}

obs::LinkStatus LinkState::status(TimePoint now) const {
  return state_.with([&](const State& state) {
    auto status = state.status;
    status.lag = state.clock.lag(now);
    if (status.head) {
      const auto head = status.head->sequence.value;
      status.lag_sequences = head - std::min(head, state.applied.sequence.value);
    }
    return status;
  });
}

}  // namespace feeds::replication
