#include "replica/replication/store_keeper.h"

#include <limits>

#include "common/base/log.h"

namespace feeds::replication {
namespace {

constexpr auto kUpkeepPause = store::LogUpkeep::kPause.count() * kj::SECONDS;

}  // namespace

StoreKeeper::StoreKeeper(LinkContext& context, Applier& applier, Resyncs& resyncs)
    : context_(context), applier_(applier), resyncs_(resyncs), tasks_(*this) {}

kj::Promise<Status> StoreKeeper::swap(std::filesystem::path incoming) {
  applier_.detach();
  auto pair = kj::newPromiseAndFulfiller<Status>();
  auto job =
      context_.disk
          .run([&store = context_.store, from = std::move(incoming)] { return store.swap(from); })
          .then([this, asker = kj::mv(pair.fulfiller)](Result<store::DatabasePtr> outcome) mutable {
            asker->fulfill(swapped(std::move(outcome)));
          });
  replacing_ = job.fork();
  tasks_.add(replacing_.addBranch());
  return kj::mv(pair.promise);
}

Status StoreKeeper::swapped(Result<store::DatabasePtr> outcome) {
  if (!outcome) {
    log::error("snapshot_not_swapped_in", {{"reason", outcome.error().detail}});
    applier_.attach();
    return outcome.error();
  }
  applier_.attach_replaced();
  resyncs_.settled();
  log::info("snapshot_swapped_in", {{"position", to_string((*outcome)->head().position)}});
  return done();
}

kj::Promise<void> StoreKeeper::ready() {
  return replacing_.addBranch().then([this]() -> kj::Promise<void> {
    if (applier_.attach()) return kj::READY_NOW;
    applier_.detach();
    log::warn("store_reopening", {});
    return context_.disk
        .run([&store = context_.store, &stopping = context_.stopping] {
          // What comes back is a handle, and is not needed.
          return store.reopen([&stopping] { return stopping.load(std::memory_order_acquire); })
              .ok();
        })
        .then([this](bool) { return ready(); });
  });
}

kj::Promise<void> StoreKeeper::look_after_log(kj::Duration after) {
  return context_.timer.afterDelay(after).then([this]() -> kj::Promise<void> {
    if (!applier_.attached()) return look_after_log(kUpkeepPause);
    const Sequence all{std::numeric_limits<std::uint64_t>::max()};
    auto work = upkeep_.look(applier_.database(), context_.options.retain_wal, all);
    if (work == nullptr) return look_after_log(kUpkeepPause);
    return context_.disk.run(std::move(work)).then([this](std::uint64_t) {
      return look_after_log(kUpkeepPause);
    });
  });
}

void StoreKeeper::taskFailed(kj::Exception&& exception) {
  log::error("store_keeper_failed", {{"reason", exception.getDescription().cStr()}});
}

}  // namespace feeds::replication
