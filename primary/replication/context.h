#pragma once

#include <kj/timer.h>

#include <cstdint>

#include "common/base/sequence_gate.h"
#include "common/obs/metrics.h"
#include "common/store/store.h"
#include "common/wire/worker.h"
#include "primary/replication/peers.h"
#include "primary/replication/relay.h"
#include "primary/replication/source.h"

namespace feeds::replication {

// What all sessions of a source share. The loop's.
struct SourceContext {
  const Source::Options& options;
  store::Store& store;
  SequenceGate& durable;
  obs::Metrics& metrics;
  Peers& peers;
  Relay& relay;
  kj::Timer& timer;
  wire::Worker& disk;  // checkpoints, their files, removal of old logs
  std::size_t sessions = 0;
  std::uint64_t checkpoints = 0;  // made so far; numbers their directories
};

}  // namespace feeds::replication
