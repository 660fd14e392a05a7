#include "primary/replication/peers.h"

#include <algorithm>

#include "common/base/limits.h"

namespace feeds::replication {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kSamples = 4096;
// Listed, with those that left. More than may be connected.
constexpr std::size_t kPeers = 4 * limits::kReplicas;
// Commits this close together are one sample.
constexpr auto kGrain = milliseconds(1);

}  // namespace

void CommitTimes::note(std::uint64_t durable, TimePoint now) {
  if (!samples_.empty()) {
    auto& last = samples_.back();
    if (durable == last.until) return;
    if (durable < last.until) {
      samples_.clear();  // another history: the store was put back
    } else if (now - last.since < kGrain) {
      last.until = durable;
      return;
    }
  }
  if (samples_.size() == kSamples) thin_out(now);
  samples_.push_back(Sample{durable, now});
}

// Takes together what lies closer than a hundredth of its age: some 2,000 samples reach back for
// months.
void CommitTimes::thin_out(TimePoint now) {
  std::size_t kept = 0;
  for (std::size_t i = 1; i < samples_.size(); ++i) {
    auto& last = samples_[kept];
    if ((samples_[i].since - last.since) * 100 <= now - samples_[i].since) {
      last.until = samples_[i].until;
    } else {
      samples_[++kept] = samples_[i];
    }
  }
  samples_.resize(kept + 1);
}

milliseconds CommitTimes::age_past(std::uint64_t sequence, TimePoint now) const {
  const auto sample =
      std::upper_bound(samples_.begin(), samples_.end(), sequence,
                       [](std::uint64_t value, const Sample& s) { return value < s.until; });
  if (sample == samples_.end()) return milliseconds(0);
  return std::chrono::duration_cast<milliseconds>(now - sample->since);
}

// The one that left first.
void Peers::State::forget_one() {
  auto oldest = peers.end();
  for (auto it = peers.begin(); it != peers.end(); ++it) {
    // session 0: being added right now.
    if (it->second.status.connected || it->second.session == 0) continue;
    if (oldest == peers.end() || it->second.left < oldest->second.left) oldest = it;
  }
  if (oldest != peers.end()) peers.erase(oldest);
}

Peers::Peer* Peers::State::of(SessionId session) {
  for (auto& [id, peer] : peers) {
    if (peer.session == session && peer.status.connected) return &peer;
  }
  return nullptr;
}

void Peers::connected(SessionId session, const std::string& node_id, const std::string& advertise,
                      std::string_view name) {
  state_.with([&](State& state) {
    auto& peer = state.peers[node_id];
    if (state.peers.size() > kPeers) state.forget_one();
    peer.session = session;
    peer.status.node_id = node_id;
    peer.status.advertise = advertise;
    peer.status.connected = true;
    peer.status.state = name;
    peer.status.position.reset();  // until it acknowledges: it may have lost what it had
  });
}

void Peers::state(SessionId session, std::string_view name) {
  state_.with([&](State& state) {
    if (auto* peer = state.of(session)) peer->status.state = name;
  });
}

void Peers::acked(SessionId session, Position synced) {
  state_.with([&](State& state) {
    if (auto* peer = state.of(session)) peer->status.position = synced;
  });
}

void Peers::disconnected(SessionId session, TimePoint now) {
  state_.with([&](State& state) {
    if (auto* peer = state.of(session)) {
      peer->left = now;
      peer->status.connected = false;
      peer->status.state = "disconnected";
    }
  });
}

void Peers::durable(Position durable, TimePoint now) {
  state_.with([&](State& state) {
    state.durable = durable;
    state.times.note(durable.sequence.value, now);
  });
}

std::vector<obs::PeerStatus> Peers::list(TimePoint now) {
  return state_.with([&](State& state) {
    std::erase_if(state.peers, [now](const auto& entry) {
      return !entry.second.status.connected && now - entry.second.left > limits::kPeerMemory;
    });
    std::vector<obs::PeerStatus> list;
    for (auto& [id, peer] : state.peers) {
      auto status = peer.status;
      if (status.connected && status.position) {
        const auto acked = status.position->sequence.value;
        const auto durable = state.durable.sequence.value;
        status.lag = state.times.age_past(acked, now);
        status.lag_sequences = durable - std::min(durable, acked);
      }
      list.push_back(std::move(status));
    }
    return list;
  });
}

}  // namespace feeds::replication
