#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/ids.h"
#include "common/base/limits.h"
#include "common/base/result.h"
#include "common/store/reader.h"

// Activities as stored and served. A reaction is an activity whose linked_activity_id is not empty.
namespace feeds {

// Stands in objectId and linkedActivityId for what was deleted; refused as an id of anything.
inline constexpr std::string_view kDeletedMark = "deleted";

struct Activity {
  ActivityId id;
  std::string object_id;      // of a reaction: the decimal id of the thread's top-level activity
  std::string collection_id;
  std::string linked_activity_id;  // of a reaction: its parent's decimal id
  std::int64_t created_at_ns = 0;
  std::int64_t updated_at_ns = 0;
  std::string user_id;
  std::string activity_type;
  std::string extra_data = "null";  // JSON, compact

  bool reaction() const { return !linked_activity_id.empty(); }
  // The thread a reaction belongs to and its parent; nullopt if none or deleted.
  std::optional<ActivityId> top() const;
  std::optional<ActivityId> parent() const;
};

// The activity as served, which is its stored value.
std::string to_json(const Activity& activity);
// The inverse, for stored values only: anything else is a bug or a damaged disk (kInternal).
Result<Activity> parse_activity_value(std::string_view value);
// The id alone, without parsing the rest.
std::optional<ActivityId> id_of_activity_value(std::string_view value);

// What index rows hold of an activity: the value, or nothing if it is too long for a copy.
std::string_view copy_of(std::string_view value);

// RFC 3339, UTC, nine decimals.
std::string format_time(std::int64_t ns);
// RFC 3339 with any offset and up to nine decimals, 1677-09-21 to 2262-04-11. nullopt otherwise.
std::optional<std::int64_t> parse_time(std::string_view text);

}  // namespace feeds
