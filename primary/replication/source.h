#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/base/sequence_gate.h"
#include "common/obs/metrics.h"
#include "common/obs/node_status.h"
#include "common/store/batch.h"
#include "common/store/store.h"

namespace feeds::replication {

// Serves the commits of a store to replicas (schema/replication.capnp), from one thread of its own:
// tails of the log to those it can prove are on the same history, snapshots to the others. Ships
// what `durable` has announced and nothing past it; a small commit from the thread that announces it. A replica that reads slowly costs a bounded
// buffer. Keeps the archived log at `retain_wal`. When the store replaces its database, all
// sessions are dropped at once and the replicas dial again.
//
// The methods are thread-safe. `store`, `durable` and `metrics` must outlive it.
class Source {
 public:
  struct Options {
    std::string listen;     // HOST:PORT, port 0 picks one
    std::string advertise;  // the HTTP address told to replicas
    std::string cluster_id;
    std::string node_id;
    std::chrono::milliseconds heartbeat{500};
    std::chrono::milliseconds peer_timeout{10'000};
    std::uint64_t retain_wal = std::uint64_t{1} << 30;  // bytes
  };

  Source(Options options, store::Store& store, SequenceGate& durable, obs::Metrics& metrics);
  ~Source();

  // Error: kBadParameter, the address cannot be listened on.
  Status start();
  // HOST:PORT that is listened on, after start().
  std::string address() const;
  // Tells of a commit that is about to be written: replicas that are level are sent it from memory, the
  // moment `durable` announces it. One that was not told of is read from the log. If it fails, `store`
  // must retire its database before the next one. By the thread that commits.
  void writing(const store::SealedBatch& batch);

  // Ends all sessions and joins the thread. Safe to call twice.
  void stop();

  std::vector<obs::PeerStatus> peers() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace feeds::replication
