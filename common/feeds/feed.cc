#include "common/feeds/feed.h"

#include <fmt/format.h>

#include "common/feeds/row_cursor.h"
#include "common/json/text.h"
#include "common/keys/key_codec.h"
#include "common/keys/keyspace.h"

namespace feeds {
namespace {

constexpr std::string_view kArticles = R"(,"articles":[)";

// Length of `{"id":10000,"articles":[`, where the page goes in.
std::size_t head_length(std::string_view value) {
  const auto at = value.find(kArticles);
  assert(at != std::string_view::npos);
  return at + kArticles.size();
}

Error out_of_range(FeedId feed, ArticleId start, ArticleId next, bool replica) {
  const bool past_end = start > next;
  const auto detail = fmt::format("startId {} is not in {}…{}, the ids of feed {}{}", start.value,
                                  kFirstId, next.value, feed.value,
                                  past_end && replica ? " as far as this replica has them" : "");
  return Error{past_end && replica ? Code::kPastEndHere : Code::kStartIdOutOfRange, detail};
}

// Appends articles from `start` on; returns the id to go on with, `start` if there was none.
ArticleId append_articles(store::View& view, FeedId feed, ArticleId start, std::uint64_t limit,
                          std::string& out) {
  const std::string first = keys::article_key(feed, start);
  const std::string end = keys::articles_of(feed).end;
  const std::size_t end_of_page = out.size() + limits::kPageBytes;
  std::uint64_t count = 0;
  bool more = view.seek(first, end);
  for (; more && count < limit; more = view.next()) {
    const auto value = view.value();
    if (count > 0) {
      if (out.size() + value.size() > end_of_page) break;
      out += ',';
    }
    out += value;
    ++count;
  }
  return ArticleId{start.value + count};
}

}  // namespace

std::string make_feed_value(FeedId feed, const FeedProperties& properties) {
  std::string value = fmt::format(R"({{"id":{}{}])", feed.value, kArticles);
  if (!properties.user_id.empty()) value += R"(,"userId":)" + properties.user_id;
  if (!properties.extra_data.empty()) value += R"(,"extraData":)" + properties.extra_data;
  value += '}';
  return value;
}

FeedProperties properties_of(FeedId feed, std::string_view value) {
  // The members' own texts, exactly: make_feed_value put them there.
  const auto object = json::parse_object(value);
  assert(object.ok());
  FeedProperties properties;
  if (const auto* user = object->find("userId")) properties.user_id = user->raw;
  if (const auto* extra = object->find("extraData")) properties.extra_data = extra->raw;
  assert(make_feed_value(feed, properties) == value);
  return properties;
}

std::string make_article_value(ArticleId article, std::string_view text) {
  std::string value = fmt::format(R"({{"id":{},"text":)", article.value);
  json::append_string(value, text);
  value += '}';
  return value;
}

Error no_such_feed(FeedId feed) {
  return Error{Code::kNoSuchFeed, fmt::format("there is no feed {}", feed.value)};
}

bool has_feed(store::View& view, FeedId feed) { return view.find(keys::feed_key(feed)).has_value(); }

ArticleId next_article(store::View& view, FeedId feed) {
  const auto articles = keys::articles_of(feed);
  if (!view.seek_last(articles.first, articles.end)) return ArticleId{kFirstId};
  return ArticleId{keys::parse_article(view.key())->article.value + 1};
}

Status append_feed_page(store::View& view, FeedId feed, const ArticlePage& page, bool replica,
                        std::string& out) {
  const auto found = view.find(keys::feed_key(feed));
  if (!found) return no_such_feed(feed);
  const std::size_t head = head_length(*found);
  const std::string tail(found->substr(head));
  const std::size_t begin = out.size();
  out += found->substr(0, head);

  std::optional<ArticleId> next;
  ArticleId start{kFirstId};
  if (page.start) {
    start = *page.start;
  } else {
    // The articles of a feed have no gaps.
    next = next_article(view, feed);
    start.value = std::max(kFirstId, next->value - std::min(next->value, page.limit));
  }
  const bool too_low = start.value < kFirstId;
  const auto go_on = too_low ? start : append_articles(view, feed, start, page.limit, out);
  if (go_on == start && !next) {
    next = next_article(view, feed);
    if (too_low || start > *next) {
      out.resize(begin);
      return out_of_range(feed, start, *next, replica);
    }
  }
  out += R"(],"next":)";
  append_decimal(out, go_on.value);
  out.append(tail, 1);  // without the bracket that closes `articles`
  return done();
}

std::unique_ptr<ItemCursor> list_feeds(store::View view, std::optional<FeedId> after) {
  auto range = keys::range_of(keys::Space::kFeeds);
  if (after) range.first = keys::feed_key(*after) + '\0';
  return std::make_unique<RowCursor>(
      std::move(view), std::move(range), [](std::string_view, std::string_view value,
                                            std::string& out) { out += value; },
      [](std::string_view key) { return std::to_string(keys::parse_feed(key)->value); });
}

}  // namespace feeds
