#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/feeds/activity.h"
#include "common/store/reader.h"

// Deletions that are carried out in steps, and what they mean to a read meanwhile.
namespace feeds {

// Persisted (schema/README.md, "Deletion records"): numbers never change.
enum class DeletionKind : std::uint8_t {
  kArticlesOfFeed = 1,
  kActivitiesOfFeed = 2,
  kEntriesOfGroupingFeed = 3,
  kMarksOfReactions = 4,
  kObjectCascade = 5,
  kObjectSetNil = 6,
};

struct Deletion {
  DeletionKind kind;
  std::uint64_t target = 0;     // feed or activity id, for kinds 1-4
  std::uint64_t below = 0;      // N, for kinds 5 and 6
  std::string collection_id{};  // likewise
  std::string object_id{};
};

std::string encode(const Deletion& deletion);
// Error: kInternal, no known form.
Result<Deletion> decode_deletion(std::string_view value);
// For `feedctl dump`.
std::string to_text(const Deletion& deletion);

// The deletions under way in one state of the store. Reads pass every activity they are about to
// show, or to act on, through see().
class PendingDeletions {
 public:
  static Result<PendingDeletions> load(store::Reader& reader);

  bool empty() const { return deletions_.empty(); }
  // Whether see() can change or drop anything.
  bool touch_activities() const { return touch_activities_; }

  // The activity as it is once everything pending is done: false if it is gone then; else adjusted:
  // marks of deleted threads and parents, references of deleted objects. `reader` is of the same
  // state.
  Result<bool> see(store::Reader& reader, Activity& activity) const;

  const std::vector<Deletion>& deletions() const { return deletions_; }

 private:
  bool gone(const Activity& activity) const;  // itself points at a deleted object (CASCADE)
  Result<bool> gone(store::Reader& reader, ActivityId id) const;

  std::vector<Deletion> deletions_;
  bool cascades_ = false;
  bool touch_activities_ = false;
};

// The activity of that id as see() shows it; nullopt if there is none.
Result<std::optional<Activity>> find_activity(store::Reader& reader,
                                              const PendingDeletions& pending, ActivityId id);

}  // namespace feeds
