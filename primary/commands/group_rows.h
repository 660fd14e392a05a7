#pragma once

#include <string>
#include <string_view>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/feeds/activity.h"
#include "primary/commit/group.h"

// The entries of grouping feeds, with the number and the newest of each group. Errors: kInternal,
// unless others are named.
namespace feeds::commands {

// The key of `activity` in a grouping feed whose stored value is `feed_value`.
// Error: kKeyFormatFailed naming the feed.
Result<std::string> render_key(commit::Group& group, FeedId feed, std::string_view feed_value,
                               const Activity& activity);

// Enters an activity that is not in the feed.
Status add_to_group(commit::Group& group, FeedId feed, std::string_view key, ActivityId activity,
                    std::string_view copy);
// Gives an entry another copy.
Status rewrite_in_group(commit::Group& group, FeedId feed, std::string_view key,
                        ActivityId activity, std::string_view copy);
// Takes out an activity that is in the feed under `key`.
Status remove_from_group(commit::Group& group, FeedId feed, std::string_view key,
                         ActivityId activity);
// Erases the entry alone: for a feed that is gone, whose groups are going.
void erase_grouped(commit::Group& group, FeedId feed, std::string_view key, ActivityId activity);

}  // namespace feeds::commands
