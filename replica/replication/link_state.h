#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/guarded.h"
#include "common/base/ids.h"
#include "common/obs/node_status.h"

namespace feeds::replication {

using TimePoint = std::chrono::steady_clock::time_point;

// How far behind its source a replica is, on its own clock: zero while what it has applied is at
// least the head told in a heartbeat younger than limits::kHeadFresh, else the time since that
// was so; unknown until it has been. Not thread-safe.
class LagClock {
 public:
  void applied(std::uint64_t sequence, TimePoint now);
  void told(std::uint64_t head, TimePoint now);
  // Another history: nothing is known.
  void reset(std::uint64_t sequence);
  obs::Lag lag(TimePoint now) const;

 private:
  void judge(TimePoint now);
  TimePoint holds_until(TimePoint now) const;

  std::uint64_t applied_ = 0;
  std::uint64_t head_ = 0;
  std::optional<TimePoint> told_at_;
  std::optional<TimePoint> level_at_;  // when it was last seen to be level
  bool level_ = false;                 // and has been since, as long as the head is fresh
};

// What the link knows, for whoever asks. Thread-safe.
class LinkState {
 public:
  void cluster(const std::string& cluster_id);
  void primary(const std::string& advertise);
  void phase(std::string_view state, bool connected);
  void applied(Position position, TimePoint now);
  void synced(Position position);
  // After a swap: another history may be elsewhere.
  void replaced(Position position);
  // By a heartbeat, or by a frame: that tells a head too, but proves nothing about the next
  // seconds.
  void told_head(Position head, bool by_heartbeat, TimePoint now);

  obs::LinkStatus status(TimePoint now) const;

 private:
  struct State {
    obs::LinkStatus status;
    LagClock clock;
    Position applied;
  };
  Guarded<State> state_;
};

}  // namespace feeds::replication
