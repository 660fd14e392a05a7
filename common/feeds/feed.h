#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/feeds/page.h"

// Simple feeds and their articles.
namespace feeds {

// What a feed row says besides its id. Both are JSON texts as sent; empty if unset.
struct FeedProperties {
  std::string user_id;
  std::string extra_data;
};

// The value of a feed row: the feed as listed, `{"id":10000,"articles":[],"userId":…,"extraData":…}`.
std::string make_feed_value(FeedId feed, const FeedProperties& properties);
// What make_feed_value was given.
FeedProperties properties_of(FeedId feed, std::string_view value);

// The value of an article row: the article as served.
std::string make_article_value(ArticleId article, std::string_view text);

Error no_such_feed(FeedId feed);

// Whether there is such a simple feed.
bool has_feed(store::View& view, FeedId feed);
// The id that the next article of a feed that exists will have: one past its last.
ArticleId next_article(store::View& view, FeedId feed);

struct ArticlePage {
  std::optional<ArticleId> start;  // absent: the newest articles
  std::uint64_t limit = limits::kPageLimit;
};

// Appends a feed with a page of its articles, oldest first, and `next`.
// Error: kNoSuchFeed; kStartIdOutOfRange if `start` is not in [first id, next id]
// (kPastEndHere instead, past the upper end, when `replica`).
Status append_feed_page(store::View& view, FeedId feed, const ArticlePage& page, bool replica,
                        std::string& out);

// All simple feeds after `after`, `articles` empty.
std::unique_ptr<ItemCursor> list_feeds(store::View view, std::optional<FeedId> after);

}  // namespace feeds
