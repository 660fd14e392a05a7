#pragma once

#include <string>
#include <string_view>

#include "common/feeds/activity_page.h"

// Activities by id, of a feed, and by the object they point at. Each appends what is served.
namespace feeds {

Error no_such_activity(ActivityId activity);

// Error: kNoSuchActivity.
Status append_activity(store::View& view, const PendingDeletions& pending, ActivityId activity,
                       std::string& out);

// `{"activities":[…],"next":…}` of a simple feed. Error: kNoSuchFeed.
Status append_feed_activities(store::View& view, const PendingDeletions& pending, FeedId feed,
                              const ActivityPageRequest& request, std::string& out);

// What activities point at. An empty collection: those that name none.
struct ObjectReference {
  std::string collection_id;
  std::string object_id;
};

// `{"activities":[…],"next":…}` of those that point at an object, reactions left out.
Status append_object_activities(store::View& view, const PendingDeletions& pending,
                                const ObjectReference& object, const ActivityPageRequest& request,
                                std::string& out);

// The only one of them. Error: kNoSuchActivity, kSeveralActivities.
Status append_activity_by_object(store::View& view, const PendingDeletions& pending,
                                 const ObjectReference& object, std::string& out);

}  // namespace feeds
