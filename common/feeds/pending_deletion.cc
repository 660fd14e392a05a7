#include "common/feeds/pending_deletion.h"

#include <fmt/format.h>

#include "common/json/text.h"
#include "common/keys/activity_keyspace.h"
#include "common/keys/key_codec.h"

namespace feeds {
namespace {

bool of_object(DeletionKind kind) {
  return kind == DeletionKind::kObjectCascade || kind == DeletionKind::kObjectSetNil;
}

// Whether a deleted object is what the activity refers to: by its collection, or without naming
// one.
bool refers(const Activity& activity, const Deletion& deletion) {
  return of_object(deletion.kind) && !activity.reaction() && activity.id.value < deletion.below &&
         activity.object_id == deletion.object_id &&
         (activity.collection_id.empty() || activity.collection_id == deletion.collection_id);
}

Error unknown_form() {
  return Error{Code::kInternal, "a deletion record has no known form"};
}

std::string as_json(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

}  // namespace

std::string encode(const Deletion& deletion) {
  std::string value(1, static_cast<char>(deletion.kind));
  if (!of_object(deletion.kind)) {
    keys::append_integer(value, deletion.target);
    return value;
  }
  keys::append_integer(value, deletion.below);
  keys::append_text(value, deletion.collection_id);
  keys::append_text(value, deletion.object_id);
  return value;
}

Result<Deletion> decode_deletion(std::string_view value) {
  const auto kind = value.empty() ? 0 : static_cast<unsigned char>(value[0]);
  if (kind < 1 || kind > static_cast<unsigned char>(DeletionKind::kObjectSetNil)) {
    return unknown_form();
  }
  value.remove_prefix(1);
  Deletion deletion{static_cast<DeletionKind>(kind)};
  const auto number = keys::take_integer(value);
  if (!number) return unknown_form();
  if (!of_object(deletion.kind)) {
    deletion.target = *number;
  } else {
    deletion.below = *number;
    auto collection = keys::take_text(value);
    if (!collection) return unknown_form();
    auto object = keys::take_text(value);
    if (!object) return unknown_form();
    deletion.collection_id = std::move(*collection);
    deletion.object_id = std::move(*object);
  }
  if (!value.empty()) return unknown_form();
  return deletion;
}

std::string to_text(const Deletion& deletion) {
  const auto object = [&] {
    return fmt::format("activities below {} of object {} of collection {}", deletion.below,
                       as_json(deletion.object_id), as_json(deletion.collection_id));
  };
  switch (deletion.kind) {
    case DeletionKind::kArticlesOfFeed:
      return fmt::format("articles of feed {}", deletion.target);
    case DeletionKind::kActivitiesOfFeed:
      return fmt::format("list of activities of feed {}", deletion.target);
    case DeletionKind::kEntriesOfGroupingFeed:
      return fmt::format("entries of grouping feed {}", deletion.target);
    case DeletionKind::kMarksOfReactions:
      return fmt::format("marks on the reactions of activity {}", deletion.target);
    case DeletionKind::kObjectCascade:
      return object();
    case DeletionKind::kObjectSetNil:
      return "references in " + object();
  }
  return {};
}

Result<PendingDeletions> PendingDeletions::load(store::Reader& reader) {
  PendingDeletions pending;
  Status decoded = done();
  const auto range = keys::range_of(keys::Space::kPending);
  const auto scanned =
      reader.scan(range.first, range.end, [&](std::string_view, std::string_view value) {
        auto deletion = decode_deletion(value);
        if (!deletion) {
          decoded = deletion.error();
          return false;
        }
        pending.cascades_ = pending.cascades_ || deletion->kind == DeletionKind::kObjectCascade;
        pending.touch_activities_ = pending.touch_activities_ || of_object(deletion->kind) ||
                                    deletion->kind == DeletionKind::kMarksOfReactions;
        pending.deletions_.push_back(std::move(*deletion));
        return true;
      });
  if (!scanned) return scanned.error();
  if (!decoded) return decoded.error();
  return pending;
}

bool PendingDeletions::gone(const Activity& activity) const {
  // Oldest first, as they are carried out: an activity that lost its reference to an earlier one is
  // not touched by a later one.
  for (const auto& deletion : deletions_) {
    if (!refers(activity, deletion)) continue;
    return deletion.kind == DeletionKind::kObjectCascade;
  }
  return false;
}

Result<bool> PendingDeletions::gone(store::Reader& reader, ActivityId id) const {
  const auto value = reader.get(keys::activity_key(id));
  if (!value) return value.error();
  if (!*value) return true;
  const auto activity = parse_activity_value(**value);
  if (!activity) return activity.error();
  return gone(*activity);
}

Result<bool> PendingDeletions::see(store::Reader& reader, Activity& activity) const {
  if (!touch_activities_) return true;
  if (!activity.reaction()) {
    if (gone(activity)) return false;
    for (const auto& deletion : deletions_) {
      if (!refers(activity, deletion)) continue;
      activity.object_id.clear();
      activity.collection_id.clear();
    }
    return true;
  }
  const auto top = activity.top();
  const auto parent = activity.parent();
  const auto mark = [&](ActivityId id) {
    if (top == id) activity.object_id = kDeletedMark;
    if (parent == id) activity.linked_activity_id = kDeletedMark;
  };
  for (const auto& deletion : deletions_) {
    if (deletion.kind == DeletionKind::kMarksOfReactions) mark(ActivityId{deletion.target});
  }
  // A cascade takes no reactions, so of the activities above this one only the topmost can be gone
  // by it.
  if (cascades_ && top && activity.object_id != kDeletedMark) {
    const auto top_gone = gone(reader, *top);
    if (!top_gone) return top_gone.error();
    if (*top_gone) mark(*top);
  }
  return true;
}

Result<std::optional<Activity>> find_activity(store::Reader& reader,
                                              const PendingDeletions& pending, ActivityId id) {
  const auto value = reader.get(keys::activity_key(id));
  if (!value) return value.error();
  if (!*value) return std::optional<Activity>();
  auto activity = parse_activity_value(**value);
  if (!activity) return activity.error();
  const auto there = pending.see(reader, *activity);
  if (!there) return there.error();
  if (!*there) return std::optional<Activity>();
  return std::optional(std::move(*activity));
}

}  // namespace feeds
