#include "common/feeds/counter.h"

#include <fmt/format.h>

#include "common/feeds/feed.h"
#include "common/keys/key_codec.h"

namespace feeds {
namespace {

using keys::CounterKind;
constexpr std::array kKinds = {CounterKind::kUsers, CounterKind::kFeeds, CounterKind::kActivities};

std::string_view name_of(CounterKind kind) {
  constexpr std::array<std::string_view, 3> kNames = {"/users", "/feeds", "/activities"};
  return kNames[static_cast<std::size_t>(kind) - 1];
}

// The three named counters, used or not, then the articles counter of each feed, which its articles
// tell.
class CounterCursor : public ItemCursor {
 public:
  CounterCursor(store::View view, std::optional<CounterName> after)
      : view_(std::move(view)), feeds_(keys::range_of(keys::Space::kFeeds)) {
    if (!after) return;
    named_ = after->kind ? static_cast<std::size_t>(*after->kind) : kKinds.size();
    if (after->feed) feeds_.first = keys::feed_key(*after->feed) + '\0';
  }

  Result<bool> next(std::string& out) override {
    if (named_ < kKinds.size()) {
      const auto kind = kKinds[named_++];
      last_ = name_of(kind);
      append(out, counter_value(view_, kind));
      if (auto status = view_.status(); !status) return status.error();
      return true;
    }
    std::optional<FeedId> feed;
    if (view_.seek(feeds_.first)) feed = keys::parse_feed(view_.key());
    if (feed) {
      feeds_.first = keys::feed_key(*feed) + '\0';
      last_ = fmt::format("/articles/{}", feed->value);
      const auto next = next_article(view_, *feed);
      if (view_.status()) append(out, next.value);
    }
    if (auto status = view_.status(); !status) return status.error();
    return feed.has_value();
  }
  std::string after() const override { return last_; }
  const store::View& view() const override { return view_; }

 private:
  void append(std::string& out, std::uint64_t value) const {
    out += fmt::format(R"({{"name":"{}","value":{}}})", last_, value);
  }

  store::View view_;
  keys::Range feeds_;  // not yet told
  std::size_t named_ = 0;
  std::string last_;
};

}  // namespace

std::uint64_t counter_value(store::View& view, CounterKind kind) {
  const auto value = view.find(keys::counter_key(kind));
  const auto next = value ? keys::decode_integer(*value) : std::nullopt;
  return next.value_or(kFirstId);
}

std::optional<CounterName> parse_counter_name(std::string_view name) {
  for (const auto kind : kKinds) {
    if (name == name_of(kind)) return CounterName{kind, std::nullopt};
  }
  constexpr std::string_view kPrefix = "/articles/";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  const auto feed = parse_decimal(name.substr(kPrefix.size()));
  if (!feed) return std::nullopt;
  return CounterName{std::nullopt, FeedId{*feed}};
}

std::unique_ptr<ItemCursor> list_counters(store::View view, std::optional<CounterName> after) {
  return std::make_unique<CounterCursor>(std::move(view), after);
}

}  // namespace feeds
