#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/base/guarded.h"
#include "common/base/ids.h"
#include "common/obs/node_status.h"

namespace feeds::replication {

using TimePoint = std::chrono::steady_clock::time_point;

// When commits became durable, so that the age of any of them can be told. Bounded: the further
// back, the coarser (commits are taken together, at the time of the first, so that an age is never
// too small).
class CommitTimes {
 public:
  void note(std::uint64_t durable, TimePoint now);
  // The age of the first commit past `sequence`; zero if there is none.
  std::chrono::milliseconds age_past(std::uint64_t sequence, TimePoint now) const;

 private:
  struct Sample {
    std::uint64_t until;  // commits up to this one, from the sample before
    TimePoint since;
  };
  void thin_out(TimePoint now);

  std::vector<Sample> samples_;
};

// What a source knows of its replicas, for whoever asks. Thread-safe.
class Peers {
 public:
  using SessionId = std::uint64_t;

  // A newer session of the same node takes the entry over; the older one's calls do nothing then.
  void connected(SessionId session, const std::string& node_id, const std::string& advertise,
                 std::string_view state);
  void state(SessionId session, std::string_view state);
  void acked(SessionId session, Position synced);
  void disconnected(SessionId session, TimePoint now);

  void durable(Position durable, TimePoint now);

  // By node id. Those disconnected for limits::kPeerMemory are forgotten.
  std::vector<obs::PeerStatus> list(TimePoint now);

 private:
  struct Peer {
    SessionId session = 0;
    TimePoint left;
    obs::PeerStatus status;
  };
  struct State {
    std::map<std::string, Peer> peers;
    CommitTimes times;
    Position durable;
    Peer* of(SessionId session);
    void forget_one();
  };
  Guarded<State> state_;
};

}  // namespace feeds::replication
