#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "common/base/sequence_gate.h"
#include "common/obs/metrics.h"
#include "common/obs/node_status.h"
#include "common/store/data_directory.h"
#include "common/store/store.h"

namespace feeds::replication {

// Keeps a replica's store level with its source (schema/replication.capnp), from one thread of its
// own: dials, with backoff and jitter, for as long as it runs; applies each commit as it came and
// makes it visible at once; syncs and acknowledges; takes a snapshot when the source says so. Holds
// the only writer of the store. Keeps the archived log at `retain_wal`. After a failed write it
// reopens the store; refused by a source of another cluster it keeps its data and dials on.
//
// The methods are thread-safe. All references must outlive it; `directory` is the link's thread's
// alone between start() and stop().
class Link {
 public:
  struct Options {
    std::string primary;    // the source's replication address, HOST:PORT
    std::string advertise;  // this node's HTTP address, told to the source
    std::string node_id;
    std::chrono::milliseconds heartbeat{500};
    std::chrono::milliseconds peer_timeout{10'000};
    std::uint64_t retain_wal = std::uint64_t{1} << 30;  // bytes
  };
  // Called on the link's thread after each commit, when it is visible and `applied` has been
  // published, and after a snapshot was swapped in. Must not block.
  using OnApplied = std::function<void(const store::DatabasePtr&, const store::PositionRecord&)>;

  Link(Options options, store::DataDirectory& directory, store::Store& store, SequenceGate& applied,
       obs::Metrics& metrics);
  ~Link();

  // Before start().
  void on_applied(OnApplied callback);
  void start();
  // Lets go of the store and joins the thread; waits for a swap under way. Safe to call twice.
  void stop();

  obs::LinkStatus status() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace feeds::replication
