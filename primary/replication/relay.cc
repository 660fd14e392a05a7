#include "primary/replication/relay.h"

#include <algorithm>

#include "common/base/limits.h"

namespace feeds::replication {
namespace {

// A send takes some 20 us of the thread that commits, receiver and all: the loop does those beyond.
constexpr std::size_t kSentAtOnce = 4;
// Of more rows are the commits of many commands, which come under load: that time is missed there.
constexpr std::uint32_t kEarlyEntries = 12;

}  // namespace

bool Relay::can_leave_early(const store::CheckedBatch& commit) {
  return commit.entries <= kEarlyEntries && commit.bytes.size() <= limits::kEarlyBytes;
}

bool Relay::writing(const store::SealedBatch& batch) {
  if (!followed_.load(std::memory_order_acquire)) return false;
  if (batch.bytes.size() > limits::kRelayBytes) return false;
  auto commit = std::make_shared<const store::CheckedBatch>(batch.as_logged());
  return newest_.with([&](Newest& newest) {
    newest.bytes += commit->bytes.size();
    const bool early = can_leave_early(*commit);
    if (early) newest.roused_for = commit->record.position.sequence;
    newest.commits.push_back(std::move(commit));
    while (newest.bytes > limits::kRelayBytes) {
      newest.bytes -= newest.commits.front()->bytes.size();
      newest.commits.pop_front();
    }
    return early;
  });
}

bool Relay::durable(Sequence now) {
  if (!followed_.load(std::memory_order_acquire)) return false;
  bool rouse = newest_.with([now](Newest& newest) { return newest.roused_for != now; });
  outlets_.with([&](auto& outlets) {
    std::size_t sends = 0;
    for (const auto& outlet : outlets) rouse |= outlet->release(now.value, ++sends <= kSentAtOnce);
  });
  return rouse;
}

void Relay::retired() {
  newest_.with([](Newest& newest) { newest = {}; });
  outlets_.with([](auto& outlets) {
    for (const auto& outlet : outlets) outlet->cut();
  });
}

void Relay::add(std::shared_ptr<wire::Outlet> outlet) {
  outlet->keep_back();
  outlets_.with([&](auto& outlets) {
    outlets.push_back(std::move(outlet));
    followed_.store(true, std::memory_order_release);
  });
}

void Relay::remove(const wire::Outlet& outlet) {
  const bool last = outlets_.with([&](auto& outlets) {
    std::erase_if(outlets, [&](const auto& other) { return other.get() == &outlet; });
    followed_.store(!outlets.empty(), std::memory_order_release);
    return outlets.empty();
  });
  if (last) newest_.with([](Newest& newest) { newest = {}; });
}

Relay::CommitPtr Relay::find(std::uint64_t first_sequence) {
  return newest_.with([first_sequence](Newest& newest) -> CommitPtr {
    const auto found = std::lower_bound(
        newest.commits.begin(), newest.commits.end(), first_sequence,
        [](const CommitPtr& commit, std::uint64_t s) { return commit->first_sequence < s; });
    if (found == newest.commits.end() || (*found)->first_sequence != first_sequence) return nullptr;
    return *found;
  });
}

}  // namespace feeds::replication
