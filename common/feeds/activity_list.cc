#include "common/feeds/activity_list.h"

#include <fmt/format.h>

#include "common/feeds/feed.h"

namespace feeds {
namespace {

// The rows of an object. If it was deleted and the deletion is under way, only those made since:
// what is left of the older ones is gone in every way, and may be a million rows.
keys::Range rows_of(const PendingDeletions& pending, const ObjectReference& object,
                    keys::Before before) {
  auto range = keys::object_activities(object.collection_id, object.object_id, before);
  for (const auto& deletion : pending.deletions()) {
    const bool of_object = deletion.kind == DeletionKind::kObjectCascade ||
                           deletion.kind == DeletionKind::kObjectSetNil;
    if (!of_object || deletion.object_id != object.object_id) continue;
    if (!object.collection_id.empty() && deletion.collection_id != object.collection_id) continue;
    // Newest first: the newest that is gone is where the range ends.
    range.end =
        std::min(range.end, keys::object_activity_key(object.collection_id, object.object_id,
                                                      ActivityId{deletion.below - 1}));
  }
  return range;
}

Status append_only_one(store::View& view, const PendingDeletions& pending,
                       const ObjectReference& object, const ActivityPageRequest& request,
                       std::string& out) {
  const auto page = append_activities(view, pending, rows_of(pending, object, request.before),
                                      request.limit, out);
  if (!page) return page.error();
  if (page->count == 0) {
    return Error{Code::kNoSuchActivity,
                 fmt::format("no activity points at the object \"{}\"", object.object_id)};
  }
  if (page->next) {
    return Error{Code::kSeveralActivities,
                 fmt::format("several activities point at the object \"{}\"", object.object_id)};
  }
  return done();
}

}  // namespace

Error no_such_activity(ActivityId activity) {
  return Error{Code::kNoSuchActivity, fmt::format("there is no activity {}", activity.value)};
}

Status append_activity(store::View& view, const PendingDeletions& pending, ActivityId activity,
                       std::string& out) {
  if (!pending.touch_activities()) {
    const auto value = view.find(keys::activity_key(activity));
    if (!value) return no_such_activity(activity);
    out += *value;
    return done();
  }
  store::ViewReader reader(view);
  const auto found = find_activity(reader, pending, activity);
  if (!found) return found.error();
  if (!*found) return no_such_activity(activity);
  out += to_json(**found);
  return done();
}

Status append_feed_activities(store::View& view, const PendingDeletions& pending, FeedId feed,
                              const ActivityPageRequest& request, std::string& out) {
  if (!has_feed(view, feed)) return no_such_feed(feed);
  return append_activity_list(view, pending, keys::feed_activities(feed, request.before),
                              request.limit, "activities", out);
}

Status append_object_activities(store::View& view, const PendingDeletions& pending,
                                const ObjectReference& object, const ActivityPageRequest& request,
                                std::string& out) {
  return append_activity_list(view, pending, rows_of(pending, object, request.before),
                              request.limit, "activities", out);
}

Status append_activity_by_object(store::View& view, const PendingDeletions& pending,
                                 const ObjectReference& object, std::string& out) {
  const std::size_t begin = out.size();
  auto status = append_only_one(view, pending, object, {.limit = 1, .before = {}}, out);
  if (!status) out.resize(begin);
  return status;
}

}  // namespace feeds
