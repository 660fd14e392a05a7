#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/ids.h"

namespace feeds::obs {

// A lag, or unknown: unknown is shown as null, `-` or an absent series, never as 0.
using Lag = std::optional<std::chrono::milliseconds>;

// What a primary knows of one replica.
struct PeerStatus {
  std::string node_id;
  std::string advertise;              // HTTP address
  bool connected = false;
  std::optional<Position> position;   // acknowledged: applied and synced there
  Lag lag;                            // age of the first commit past `position`; unknown if not connected
  std::optional<std::uint64_t> lag_sequences;
  std::string state;                  // snapshot, tail, disconnected
};

// What a replica knows of its link. Read by /v1/cluster, /readyz and /metrics.
struct LinkStatus {
  std::string state = "connecting";   // connecting, snapshot, tail, refused
  bool connected = false;
  std::string cluster_id;             // empty until known
  std::optional<std::string> primary; // the primary's advertised HTTP address
  std::optional<Position> head;       // newest told by the primary
  std::optional<Position> durable;    // newest that is known to be synced here
  Lag lag;
  std::optional<std::uint64_t> lag_sequences;
};

}  // namespace feeds::obs
