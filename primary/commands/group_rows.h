#pragma once

#include <string>
#include <string_view>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/feeds/activity.h"
#include "common/key_format/key_format.h"
#include "primary/commit/group.h"

// The entries of grouping feeds, with the number and the newest of each group. Errors: kInternal,
// unless others are named.
namespace feeds::commands {

// What key formats see of `activity`, which must outlive it.
key_format::Activity key_fields(const Activity& activity);
// The key in a grouping feed whose stored value is `feed_value`. A command has one subject for all
// its feeds, so that what they cost together is bounded. Error: kKeyFormatFailed naming the feed.
Result<std::string> render_key(commit::Group& group, FeedId feed, std::string_view feed_value,
                               key_format::Subject& subject);

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
