#include "primary/commands/feed.h"

#include <fmt/format.h>

#include "common/base/limits.h"
#include "common/feeds/feed.h"
#include "common/keys/keyspace.h"
#include "primary/commit/deletions.h"

namespace feeds::commands {
namespace {

Error no_such_feed(FeedId feed) {
  return Error{Code::kNoSuchFeed, fmt::format("there is no feed {}", feed.value)};
}

Status check_size(const std::string& value) {
  if (value.size() <= limits::kStoredValueBytes) return done();
  return Error{Code::kValueTooLarge, fmt::format("the value as stored is {} bytes; at most {} fit",
                                                 value.size(), limits::kStoredValueBytes)};
}

}  // namespace

Status CreateFeed::run(commit::Group& group) {
  feed.value = group.counters().peek(keys::CounterKind::kFeeds);
  value = make_feed_value(feed, {user_id, extra_data});
  if (auto fits = check_size(value); !fits) return fits;
  group.counters().take(keys::CounterKind::kFeeds);
  group.counters().add_feed(feed);
  group.put(keys::feed_key(feed), value);
  return done();
}

Status PublishArticle::run(commit::Group& group) {
  const auto next = group.counters().peek_article(feed);
  if (!next) return next.error();
  if (!*next) return no_such_feed(feed);
  article = **next;
  value = make_article_value(article, text);
  if (auto fits = check_size(value); !fits) return fits;
  group.counters().take_article(feed);
  group.put(keys::article_key(feed, article), value);
  return done();
}

Status UpdateFeed::run(commit::Group& group) {
  const auto stored = group.get(keys::feed_key(feed));
  if (!stored) return stored.error();
  if (!*stored) return no_such_feed(feed);
  auto properties = properties_of(feed, **stored);
  properties.extra_data = extra_data;
  value = make_feed_value(feed, properties);
  if (auto fits = check_size(value); !fits) return fits;
  if (value != **stored) group.put(keys::feed_key(feed), value);
  return done();
}

Status DeleteFeed::run(commit::Group& group) {
  const auto next = group.counters().peek_article(feed);
  if (!next) return next.error();
  if (!*next) return no_such_feed(feed);
  const auto end = (*next)->value;
  group.counters().remove_feed(feed);
  group.erase(keys::feed_key(feed));
  if (end - kFirstId > limits::kInlineDeleteRows) {
    return group.deletions().add(group, commit::DeletionKind::kArticlesOfFeed, feed.value);
  }
  for (auto id = kFirstId; id < end; ++id) group.erase(keys::article_key(feed, ArticleId{id}));
  return done();
}

}  // namespace feeds::commands
