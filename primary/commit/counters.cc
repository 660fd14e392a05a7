#include "primary/commit/counters.h"

#include <algorithm>

#include "common/feeds/feed.h"
#include "common/keys/key_codec.h"

namespace feeds::commit {
namespace {

using keys::CounterKind;
constexpr std::array kKinds = {CounterKind::kUsers, CounterKind::kFeeds, CounterKind::kActivities};
// About 16 MiB of feeds that were written to lately.
constexpr std::size_t kCachedFeeds = 256 * 1024;

std::size_t index_of(CounterKind kind) { return static_cast<std::size_t>(kind) - 1; }

template <class T>
void add_once(std::vector<T>& list, T item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

}  // namespace

Result<Counters> Counters::load(store::DatabasePtr database) {
  Counters counters(std::move(database));
  for (const auto kind : kKinds) {
    const auto value = counters.database_->get(keys::counter_key(kind));
    if (!value) return value.error();
    const auto next = *value ? keys::decode_integer(**value) : std::nullopt;
    counters.used_[index_of(kind)] = next.has_value();
    counters.named_[index_of(kind)] = next.value_or(kFirstId);
  }
  return counters;
}

std::uint64_t Counters::peek(CounterKind kind) const { return named_[index_of(kind)]; }

std::uint64_t Counters::take(CounterKind kind) {
  auto& next = named_[index_of(kind)];
  undo_.push_back({kind, FeedId{}, used_[index_of(kind)] ? FeedCounter(next) : std::nullopt});
  used_[index_of(kind)] = true;
  add_once(named_changed_, kind);
  return next++;
}

bool Counters::start_at(CounterKind kind, std::uint64_t value) {
  if (used_[index_of(kind)]) return false;
  undo_.push_back({kind, FeedId{}, std::nullopt});
  used_[index_of(kind)] = true;
  named_[index_of(kind)] = value;
  add_once(named_changed_, kind);
  return true;
}

Result<std::optional<ArticleId>> Counters::peek_article(FeedId feed) {
  auto known = feeds_.find(feed);
  if (known == feeds_.end()) {
    const auto counter = read(feed);
    if (!counter) return counter.error();
    known = feeds_.emplace(feed, *counter).first;
  }
  if (!known->second) return std::optional<ArticleId>();
  return std::optional(ArticleId{*known->second});
}

Result<Counters::FeedCounter> Counters::read(FeedId feed) const {
  const auto articles = keys::articles_of(feed);
  store::View view(database_, articles.end);
  FeedCounter counter;
  if (has_feed(view, feed)) counter = next_article(view, feed).value;
  if (auto status = view.status(); !status) return status.error();
  return counter;
}

void Counters::take_article(FeedId feed) {
  const auto known = feeds_.find(feed);
  assert(known != feeds_.end() && known->second);
  set_feed(feed, *known->second + 1);
}

void Counters::add_feed(FeedId feed) { set_feed(feed, kFirstId); }
void Counters::remove_feed(FeedId feed) { set_feed(feed, std::nullopt); }

void Counters::set_feed(FeedId feed, FeedCounter next) {
  auto& counter = feeds_[feed];
  undo_.push_back({std::nullopt, feed, counter});
  counter = next;
}

void Counters::undo_to_mark() {
  for (auto change = undo_.rbegin(); change != undo_.rend(); ++change) {
    if (!change->kind) {
      feeds_[change->feed] = change->before;
      continue;
    }
    used_[index_of(*change->kind)] = change->before.has_value();
    named_[index_of(*change->kind)] = change->before.value_or(kFirstId);
  }
  undo_.clear();
}

void Counters::write_changes(store::Batch& batch) const {
  for (const auto kind : named_changed_) {
    if (!used_[index_of(kind)]) continue;
    batch.put(keys::counter_key(kind), keys::encode_integer(named_[index_of(kind)]));
  }
}

void Counters::settled() {
  named_changed_.clear();
  undo_.clear();
  if (feeds_.size() > kCachedFeeds) feeds_.clear();
}

}  // namespace feeds::commit
