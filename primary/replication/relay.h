#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "common/base/guarded.h"
#include "common/base/ids.h"
#include "common/store/batch.h"
#include "common/wire/outlet.h"

namespace feeds::replication {

// What the thread that commits and the source's loop have in common: the newest commits, so that a
// replica that is level costs no look into the log, and the ways out to the replicas. A commit is
// handed over before it is written and synced; frames of it are made meanwhile, and kept back in the
// outlets until it is durable.
//
// Thread-safe. Holds limits::kRelayBytes of commits.
class Relay {
 public:
  // --- of the thread that commits

  // This is about to be written. True: the loop is to be roused.
  bool writing(const store::SealedBatch& batch);
  // Everything up to `now` is durable: what was kept back for it leaves. True as above.
  bool durable(Sequence now);
  // The database is being replaced: what was not durable by now never will be, and other commits may
  // come at its sequences. Cuts all outlets.
  void retired();

  // --- of the loop

  // From here on what passes `outlet` is kept back until it is durable.
  void add(std::shared_ptr<wire::Outlet> outlet);
  void remove(const wire::Outlet& outlet);

  // The commit that begins at `first_sequence`, null if it is not held. It may not be durable yet,
  // and may never be: see can_leave_early().
  using CommitPtr = std::shared_ptr<const store::CheckedBatch>;
  CommitPtr find(std::uint64_t first_sequence);
  // Whether a frame may be made of a commit before it is durable: each replica has a copy.
  static bool can_leave_early(const store::CheckedBatch& commit);

 private:
  struct Newest {
    std::deque<CommitPtr> commits;
    std::size_t bytes = 0;
    Sequence roused_for;  // the loop knows of it and has all it needs
  };
  Guarded<Newest> newest_;
  Guarded<std::vector<std::shared_ptr<wire::Outlet>>> outlets_;
  std::atomic<bool> followed_{false};  // there are outlets: without any, a commit rouses nobody
};

}  // namespace feeds::replication
