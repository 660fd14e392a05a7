#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "primary/commands/activity.h"

// Commands on reactions. See activity.h. A reaction is put into feeds, updated and deleted as any
// activity.
namespace feeds::commands {

// A reaction to an activity, or to a reaction at any depth: its objectId is the top-level activity
// of the thread, "deleted" if that is gone. Error: kNoSuchActivity.
struct CreateReaction {
  ActivityId parent;
  std::optional<std::int64_t> time_ns{};  // createdAt; nullopt: the time of the commit
  std::string user_id{};
  std::string activity_type{};
  std::string extra_data = "null";  // JSON, compact

  ActivityId activity{};
  std::string value{};  // the reaction as served

  Status run(commit::Group& group);
};

// As UpdateActivity and DeleteActivity. Error: kNotAReaction for another activity.
inline UpdateActivity update_reaction(ActivityId reaction, std::string extra_data) {
  return {.activity = reaction, .extra_data = std::move(extra_data), .reaction = true};
}
inline DeleteActivity delete_reaction(ActivityId reaction) {
  return {.activity = reaction, .reaction = true};
}

}  // namespace feeds::commands
