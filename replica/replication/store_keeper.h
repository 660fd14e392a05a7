#pragma once

#include <kj/async.h>

#include <filesystem>

#include "common/store/log_upkeep.h"
#include "replica/replication/applier.h"
#include "replica/replication/context.h"
#include "replica/replication/resyncs.h"

namespace feeds::replication {

// Replaces the store's database under the applier, on the disk worker, one time after the other.
// What it started goes on when the session that asked for it ends. The loop's.
class StoreKeeper final : private kj::TaskSet::ErrorHandler {
 public:
  StoreKeeper(LinkContext& context, Applier& applier, Resyncs& resyncs);

  // Makes the complete copy in `incoming` the current database. Error: the old one stayed.
  kj::Promise<Status> swap(std::filesystem::path incoming);

  // Resolves when nothing is being replaced and the applier can write, or the store is empty;
  // reopens the store for that if it must. Takes for ever if the disk stays full.
  kj::Promise<void> ready();

  // Removes archived logs beyond what is to be kept, `after` that time and then every now and then.
  // Never resolves.
  kj::Promise<void> look_after_log(kj::Duration after);

 private:
  Status swapped(Result<store::DatabasePtr> outcome);
  void taskFailed(kj::Exception&& exception) override;

  LinkContext& context_;
  Applier& applier_;
  Resyncs& resyncs_;
  kj::ForkedPromise<void> replacing_ = kj::Promise<void>(kj::READY_NOW).fork();
  store::LogUpkeep upkeep_;
  kj::TaskSet tasks_;
};

}  // namespace feeds::replication
