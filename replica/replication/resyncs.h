#pragma once

#include "common/obs/metrics.h"
#include "common/wire/messages.h"

namespace feeds::replication {

// Counts what made a snapshot necessary: once, however many sessions it takes to get it.
class Resyncs {
 public:
  explicit Resyncs(obs::Metrics& metrics) : metrics_(metrics) {}

  void needed(wire::SnapshotReason reason) {
    if (reason == needed_) return;
    needed_ = reason;
    metrics_.resync(wire::reason_name(reason));
    if (reason == wire::SnapshotReason::DIVERGED) metrics_.diverged();
  }
  // Level with the source's history again.
  void settled() { needed_ = wire::SnapshotReason::NONE; }

  // What the next hello asks for: what this side found out itself.
  wire::SnapshotReason wants() const { return needed_; }

 private:
  obs::Metrics& metrics_;
  wire::SnapshotReason needed_ = wire::SnapshotReason::NONE;
};

}  // namespace feeds::replication
