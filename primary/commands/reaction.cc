#include "primary/commands/reaction.h"

#include "primary/commands/activity_rows.h"

namespace feeds::commands {

Status CreateReaction::run(commit::Group& group) {
  const auto pending = pending_deletions(group);
  if (!pending) return pending.error();
  const auto loaded = load_activity(group, *pending, parent);
  if (!loaded) return loaded.error();
  const auto& above = loaded->seen;

  activity.value = group.counters().peek(keys::CounterKind::kActivities);
  Activity added{.id = activity,
                 .object_id = above.reaction() ? above.object_id : std::to_string(above.id.value),
                 .collection_id = {},
                 .linked_activity_id = std::to_string(above.id.value),
                 .created_at_ns = time_ns.value_or(group.now_ns()),
                 .user_id = user_id,
                 .activity_type = activity_type,
                 .extra_data = extra_data};
  added.updated_at_ns = added.created_at_ns;
  value = to_json(added);
  if (auto fits = check_size(value); !fits) return fits;
  group.counters().take(keys::CounterKind::kActivities);
  put_activity(group, added, value);
  return done();
}

}  // namespace feeds::commands
