#pragma once

#include <string>

#include "common/feeds/activity_page.h"

// Reactions: one, those of an activity, and those of a thread. Each appends what is served.
namespace feeds {

// Error: kNoSuchActivity; kNotAReaction.
Status append_reaction(store::View& view, const PendingDeletions& pending, ActivityId reaction,
                       std::string& out);

struct ReactionsRequest {
  ActivityId activity;
  ActivityPageRequest page;
  int depth = 1;  // 1…limits::kReactionDepth
};

// `{"reactions":[…],"next":…}`: the direct ones. With a depth of 2 and more each has the same two
// members, with its newest limits::kNestedReactions, and so on down. At most
// limits::kReplyReactions in all, nearer levels first; a list that was left out for that is empty
// with `next` set to where it begins. Error: kNoSuchActivity.
Status append_reactions(store::View& view, const PendingDeletions& pending,
                        const ReactionsRequest& request, std::string& out);

// `{"reactions":[…],"next":…}`: every reaction of the thread that the activity tops or is in.
// Error: kNoSuchActivity, also if the top is gone.
Status append_thread(store::View& view, const PendingDeletions& pending, ActivityId activity,
                     const ActivityPageRequest& request, std::string& out);

}  // namespace feeds
