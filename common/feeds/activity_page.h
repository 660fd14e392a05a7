#pragma once

#include <string>
#include <vector>

#include "common/feeds/activity.h"
#include "common/feeds/pending_deletion.h"
#include "common/keys/activity_keyspace.h"

// Pages of activities from index rows, newest first.
namespace feeds {

struct ActivityPageRequest {
  std::uint64_t limit = limits::kPageLimit;
  keys::Before before;  // offsetId
};

struct ActivityPage {
  std::uint64_t count = 0;
  // The offsetId to go on with; nullopt exactly when nothing follows (or only rows that are gone; then
  // possibly an empty page more).
  std::optional<ActivityId> next;
};

// Appends the activities of the index rows in `range`, comma-separated. Ends at the limit, at
// limits::kPageBytes, and after limits::kSkippedRows rows that are gone. Which of them are shown, beyond
// what is pending, `keep` decides, if given. Error: kInternal.
Result<ActivityPage> append_activities(store::View& view, const PendingDeletions& pending,
                                       const keys::Range& range, std::uint64_t limit,
                                       std::string& out,
                                       const std::function<bool(const Activity&)>& keep = nullptr);

}  // namespace feeds
