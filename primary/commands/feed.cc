#include "primary/commands/feed.h"

#include "common/feeds/feed.h"
#include "common/keys/keyspace.h"
#include "primary/commands/activity_rows.h"
#include "primary/commands/deletion_steps.h"
#include "primary/commit/deletions.h"

namespace feeds::commands {

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
  const auto budget = group.deletions().inline_budget(group);
  group.counters().remove_feed(feed);
  group.erase(keys::feed_key(feed));
  if (end - kFirstId > group.deletions().inline_rows()) {
    auto recorded =
        group.deletions().add(group, {.kind = DeletionKind::kArticlesOfFeed, .target = feed.value});
    if (!recorded) return recorded;
  } else {
    for (auto id = kFirstId; id < end; ++id) group.erase(keys::article_key(feed, ArticleId{id}));
  }
  return delete_or_defer(group, PendingDeletions(),
                         {.kind = DeletionKind::kActivitiesOfFeed, .target = feed.value}, budget);
}

}  // namespace feeds::commands
