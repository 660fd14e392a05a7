#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/feeds/page.h"

// Users, their subscriptions, and what they consume.
namespace feeds {

// Appends `{"id":10000,"feeds":{"10000":10255}}`. Error: kNoSuchUser.
Status append_user(store::View& view, UserId user, std::string& out);

std::unique_ptr<ItemCursor> list_users(store::View view, std::optional<UserId> after);

struct FeedStart {
  FeedId feed;
  ArticleId start;
};

// What consumeFeeds gives: a page of each of `named`, and of every other subscribed feed from its
// recorded id, by feed id; feeds that are gone are left out. The whole request is judged here, so the
// cursor fails only for unreadable storage.
// Error: kNoSuchUser; kNoSuchFeed for a named id that the feeds counter never gave out;
// kStartIdOutOfRange or kPastEndHere for a named article id.
Result<std::unique_ptr<ItemCursor>> consume_feeds(store::View view, UserId user,
                                                  const std::map<FeedId, ArticleId>& named,
                                                  bool replica);

}  // namespace feeds
