#include "common/feeds/user.h"

#include <fmt/format.h>

#include "common/feeds/counter.h"
#include "common/feeds/feed.h"
#include "common/keys/activity_keyspace.h"
#include "common/keys/key_codec.h"
#include "common/keys/keyspace.h"

namespace feeds {
namespace {

Error no_such_user(UserId user) {
  return Error{Code::kNoSuchUser, fmt::format("there is no user {}", user.value)};
}

// Appends the user whose row the view is at, moving past its subscriptions.
// Returns whether the view is at a row still.
bool append_user_here(store::View& view, UserId user, std::string& out) {
  out += R"({"id":)";
  append_decimal(out, user.value);
  out += R"(,"feeds":{)";
  bool first = true;
  bool more = view.next();
  for (; more; more = view.next()) {
    const auto row = keys::parse_user_row(view.key());
    if (!row || row->user != user) break;
    out += first ? "\"" : ",\"";
    append_decimal(out, row->feed->value);
    out += "\":";
    append_decimal(out, keys::decode_integer(view.value()).value_or(0));
    first = false;
  }
  out += "}}";
  return more;
}

class UserCursor : public ItemCursor {
 public:
  UserCursor(store::View view, std::optional<UserId> after) : view_(std::move(view)) {
    const auto range = keys::range_of(keys::Space::kUsers);
    more_ = view_.seek(after ? keys::user_key(UserId{after->value + 1}) : range.first, range.end);
  }

  Result<bool> next(std::string& out) override {
    if (!more_) {
      if (auto status = view_.status(); !status) return status.error();
      return false;
    }
    last_ = keys::parse_user_row(view_.key())->user;
    more_ = append_user_here(view_, last_, out);
    return true;
  }
  std::string after() const override { return std::to_string(last_.value); }
  const store::View& view() const override { return view_; }

 private:
  store::View view_;
  bool more_ = false;
  UserId last_;
};

// Pages of many feeds from one view.
class ConsumeCursor : public ItemCursor {
 public:
  ConsumeCursor(store::View view, std::vector<FeedStart> starts, bool replica)
      : view_(std::move(view)), starts_(std::move(starts)), replica_(replica) {}

  Result<bool> next(std::string& out) override {
    for (; at_ < starts_.size(); ++at_) {
      const auto& [feed, start] = starts_[at_];
      const auto appended = append_feed_page(view_, feed, ArticlePage{start}, replica_, out);
      if (auto status = view_.status(); !status) return status.error();
      if (appended) {
        ++at_;
        return true;
      }
      // A feed deleted since is left out.
      if (appended.error().code != Code::kNoSuchFeed) return appended.error();
    }
    return false;
  }
  std::string after() const override { return std::to_string(starts_[at_ - 1].feed.value); }
  const store::View& view() const override { return view_; }

 private:
  store::View view_;
  std::vector<FeedStart> starts_;
  bool replica_;
  std::size_t at_ = 0;
};

Result<std::map<FeedId, ArticleId>> subscriptions(store::View& view, UserId user) {
  if (!view.find(keys::user_key(user))) {
    if (auto status = view.status(); !status) return status.error();
    return no_such_user(user);
  }
  std::map<FeedId, ArticleId> recorded;
  const auto range = keys::subscriptions_of(user);
  view.scan(range.first, range.end, [&](std::string_view key, std::string_view value) {
    const auto row = keys::parse_user_row(key);
    recorded.emplace(*row->feed, ArticleId{keys::decode_integer(value).value_or(kFirstId)});
    return true;
  });
  return recorded;
}

// Whether a feed that is not there was a simple one, as far as can be told. Ids below kFirstId are
// given out only where a configured counter starts there.
bool was_feed(store::View& view, FeedId feed, bool subscribed) {
  if (subscribed) return true;
  const FeedId next{counter_value(view, keys::CounterKind::kFeeds)};
  return feed.value >= kFirstId && feed < next && !view.find(keys::grouping_feed_key(feed));
}

// Judges one named entry; true if the feed exists, false if it is gone.
Result<bool> judge_named(store::View& view, FeedId feed, ArticleId start, bool subscribed,
                         bool replica) {
  if (!has_feed(view, feed)) {
    if (!was_feed(view, feed, subscribed)) return no_such_feed(feed);
    return false;
  }
  const auto next = next_article(view, feed);
  if (start.value >= kFirstId && start <= next) return true;
  const bool past_end = replica && start > next;
  return Error{past_end ? Code::kPastEndHere : Code::kStartIdOutOfRange,
               fmt::format("member \"{}\": article id {} is not in {}…{}", feed.value, start.value,
                           kFirstId, next.value)};
}

}  // namespace

Status append_user(store::View& view, UserId user, std::string& out) {
  const auto row = keys::user_key(user);
  if (!view.seek(row, keys::subscriptions_of(user).end) || view.key() != row) {
    return no_such_user(user);
  }
  append_user_here(view, user, out);
  return done();
}

std::unique_ptr<ItemCursor> list_users(store::View view, std::optional<UserId> after) {
  return std::make_unique<UserCursor>(std::move(view), after);
}

Result<std::unique_ptr<ItemCursor>> consume_feeds(store::View view, UserId user,
                                                  const std::map<FeedId, ArticleId>& named,
                                                  bool replica) {
  auto starts = subscriptions(view, user);
  if (!starts) return starts.error();
  for (const auto& [feed, start] : named) {
    const auto exists = judge_named(view, feed, start, starts->contains(feed), replica);
    if (!exists) return exists.error();
    starts->insert_or_assign(feed, start);
  }
  if (auto status = view.status(); !status) return status.error();
  std::vector<FeedStart> ordered;
  ordered.reserve(starts->size());
  for (const auto& [feed, start] : *starts) ordered.push_back({feed, start});
  return std::unique_ptr<ItemCursor>(
      std::make_unique<ConsumeCursor>(std::move(view), std::move(ordered), replica));
}

}  // namespace feeds
