#pragma once

#include <functional>
#include <string>

#include "common/feeds/activity.h"
#include "common/feeds/pending_deletion.h"
#include "common/keys/activity_keyspace.h"
#include "common/store/view.h"

// Pages of activities from index rows, newest first. One thread's, like the view they read.
namespace feeds {

struct ActivityPageRequest {
  std::uint64_t limit = limits::kPageLimit;
  keys::Before before;  // offsetId
};

// Which activities are shown, beyond those that are gone; nullptr: all.
using Keep = std::function<bool(const Activity&)>;

// The activities of index rows, one at a time, as they are once everything pending is done.
class ActivityRows {
 public:
  // Passes over at most `skips` rows that are not shown, which it counts down. References outlive
  // it; the view may not be moved by others between two calls of next().
  ActivityRows(store::View& view, const PendingDeletions& pending, keys::Range range,
               std::uint64_t& skips, Keep keep = nullptr);

  // Appends the next activity. False at the end, or if nothing may be skipped any more: see cut().
  // Error: kInternal.
  Result<bool> next(std::string& out);

  // Whether next() gave false with rows still left.
  bool cut() const { return cut_; }
  // The offset to go on with behind what next() has passed.
  ActivityId resume() const { return resume_; }

 private:
  bool advance();
  Result<bool> append_looked_up(std::string& out);

  store::View& view_;
  const PendingDeletions& pending_;
  keys::Range range_;
  std::uint64_t& skips_;
  Keep keep_;
  bool as_stored_;  // copies go out as they are
  bool started_ = false;
  bool moved_ = false;  // the view is elsewhere than at last_key_
  bool cut_ = false;
  std::string last_key_;
  ActivityId resume_;
};

struct ActivityPage {
  std::uint64_t count = 0;
  // The offset to go on with; nullopt exactly when nothing follows (or only rows that are gone;
  // then possibly an empty page more).
  std::optional<ActivityId> next;
  bool cut = false;  // ended because too many rows were gone
};

// Appends activities, comma-separated: at most `limit`, and, but for the first, not past `end`
// bytes of `out`. Error: kInternal.
Result<ActivityPage> append_activities(ActivityRows& rows, std::uint64_t limit, std::size_t end,
                                       std::string& out);

// The same of a range, with a page's own bounds: limits::kPageBytes and limits::kSkippedRows.
Result<ActivityPage> append_activities(store::View& view, const PendingDeletions& pending,
                                       const keys::Range& range, std::uint64_t limit,
                                       std::string& out, Keep keep = nullptr);

// Appends `{"<name>":[…],"next":…}` of a range. Error: kInternal.
Status append_activity_list(store::View& view, const PendingDeletions& pending,
                            const keys::Range& range, std::uint64_t limit, std::string_view name,
                            std::string& out, Keep keep = nullptr);

// Appends `"next":"10000"` or `"next":null`.
void append_next(std::string& out, std::optional<ActivityId> next);

}  // namespace feeds
