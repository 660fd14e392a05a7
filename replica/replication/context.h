#pragma once

#include <kj/timer.h>

#include <atomic>

#include "common/obs/metrics.h"
#include "common/store/data_directory.h"
#include "common/store/store.h"
#include "common/wire/worker.h"
#include "replica/replication/link.h"
#include "replica/replication/link_state.h"

namespace feeds::replication {

// What the parts of a link share. The link's thread's.
struct LinkContext {
  const Link::Options& options;
  store::DataDirectory& directory;
  store::Store& store;
  obs::Metrics& metrics;
  LinkState& state;
  kj::Timer& timer;
  wire::Worker& disk;   // snapshot files, swaps, reopening, removal of old logs
  wire::Worker& syncs;  // syncs, of the log and of files received
  const std::atomic<bool>& stopping;
};

}  // namespace feeds::replication
