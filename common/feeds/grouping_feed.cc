#include "common/feeds/grouping_feed.h"

#include <fmt/format.h>

#include <charconv>

#include "common/feeds/group_head.h"
#include "common/json/text.h"
#include "common/keys/key_codec.h"

namespace feeds {
namespace {

constexpr std::size_t kHexDigits = 16;

Error no_such_grouping_feed(FeedId feed) {
  return Error{Code::kNoSuchGroupingFeed, fmt::format("there is no grouping feed {}", feed.value)};
}

std::optional<std::uint64_t> take_hex(std::string_view& text) {
  if (text.size() < kHexDigits) return std::nullopt;
  const auto* end = text.data() + kHexDigits;
  const bool lower = text.substr(0, kHexDigits).find_first_of("ABCDEF-") == std::string_view::npos;
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), end, value, 16);
  if (!lower || parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  text.remove_prefix(kHexDigits);
  return value;
}

Status require(store::View& view, FeedId feed) {
  if (!view.find(keys::grouping_feed_key(feed))) return no_such_grouping_feed(feed);
  return done();
}

// A page of groups in the making. Walks the order of groups, whose rows show the newest activities of
// each; leaves it for those of which more is asked for.
class GroupPage {
 public:
  GroupPage(store::View& view, const PendingDeletions& pending, FeedId feed,
            const GroupPageRequest& request, std::string& out)
      : view_(view), pending_(pending), feed_(feed), request_(request), out_(out) {}

  Status run() {
    out_ += "{\"activityGroups\":[";
    end_ = out_.size() + limits::kPageBytes;
    auto range =
        request_.from ? keys::group_order(feed_, request_.from->newest) : keys::group_order(feed_);
    if (request_.from && request_.from->inside) {
      range.first = keys::group_order_key(feed_, request_.from->newest);
    }
    std::optional<GroupCursor> next;
    moved_ = true;
    while (moved_ ? view_.seek(range.first, range.end) : view_.next()) {
      moved_ = false;
      const auto newest = *keys::last_activity(view_.key());
      if (shown_ == request_.limit && !pending_.touch_activities()) {
        next = last_;
        break;
      }
      auto head = GroupHeadReader::read(view_.value());
      if (!head) return Error{Code::kInternal, "a group's head is damaged"};
      if (shows_all(newest, *head)) {
        if (!add(newest, *head)) {
          next = last_;
          break;
        }
        continue;
      }
      range.first = view_.key();
      range.first += '\0';
      moved_ = true;
      const auto end = add_looked_up(newest, std::string(head->key()), head->entries());
      if (!end) return end.error();
      if (*end) {
        next = **end;
        break;
      }
    }
    out_ += "],\"next\":";
    if (next) {
      out_ += '"' + encode_cursor(feed_, *next) + '"';
    } else {
      out_ += "null";
    }
    out_ += '}';
    return view_.status();
  }

 private:
  // Whether the head holds all that the page shows of its group.
  bool shows_all(ActivityId newest, const GroupHeadReader& head) const {
    if (pending_.touch_activities()) return false;
    if (request_.from && request_.from->newest == newest) return false;
    return head.copies() >= std::min(request_.activity_limit, head.entries());
  }

  // Adds a group from its head. False if the page ends before it.
  bool add(ActivityId newest, GroupHeadReader& head) {
    const std::size_t begin = out_.size();
    append_head(head.key(), head.entries());
    const auto shown = std::min(request_.activity_limit, head.copies());
    for (std::uint64_t i = 0; i < shown; ++i) {
      if (i > 0) out_ += ',';
      out_ += head.next().value;
    }
    if (shown_ > 0 && out_.size() > end_) {
      out_.resize(begin);
      return false;
    }
    out_ += "]}";
    ++shown_;
    last_ = GroupCursor{newest, {}};
    return true;
  }

  // Adds a group, unless all of it is gone. If the page ends before it: where to go on.
  Result<std::optional<GroupCursor>> add_looked_up(ActivityId newest, const std::string& group,
                                                   std::uint64_t entries) {
    keys::Before inside;
    if (request_.from && request_.from->newest == newest) inside = request_.from->inside;
    const std::size_t begin = out_.size();
    append_head(group, entries);
    // One behind the page only shows that there is one.
    const auto limit = shown_ == request_.limit ? 1 : request_.activity_limit;
    ActivityRows rows(view_, pending_, keys::grouped_activities(feed_, group, inside), skips_);
    const auto page = append_activities(rows, limit, out_.size() + limits::kPageBytes, out_);
    if (!page) return page.error();

    std::optional<GroupCursor> end;
    if (page->count == 0) {
      out_.resize(begin);
      if (page->cut) {
        end = GroupCursor{newest, page->next};
      } else {
        last_ = GroupCursor{newest, {}};
      }
      return end;
    }
    if (shown_ == request_.limit || (shown_ > 0 && out_.size() > end_)) {
      out_.resize(begin);
      return std::optional(last_);
    }
    out_ += "]}";
    ++shown_;
    last_ = GroupCursor{newest, {}};
    return end;
  }

  void append_head(std::string_view group, std::uint64_t entries) {
    out_ += shown_ > 0 ? ",{\"groupKey\":" : "{\"groupKey\":";
    json::append_string(out_, group);
    out_ += ",\"activityCount\":";
    append_decimal(out_, entries);
    out_ += ",\"activities\":[";
  }

  store::View& view_;
  const PendingDeletions& pending_;
  FeedId feed_;
  const GroupPageRequest& request_;
  std::string& out_;
  std::size_t end_ = 0;
  bool moved_ = false;  // the view is elsewhere than in the order of groups
  std::uint64_t shown_ = 0;
  std::uint64_t skips_ = limits::kSkippedRows;
  GroupCursor last_;  // behind the group passed last
};

}  // namespace

std::optional<GroupCounts> decode_group(std::string_view value) {
  const auto entries = keys::take_integer(value);
  const auto newest = keys::take_integer(value);
  if (!entries || !newest || !value.empty()) return std::nullopt;
  return GroupCounts{*entries, ActivityId{*newest}};
}

Status append_grouping_feed(store::View& view, FeedId feed, std::string& out) {
  const auto value = view.find(keys::grouping_feed_key(feed));
  if (!value) return no_such_grouping_feed(feed);
  out += *value;
  return done();
}

std::string encode_cursor(FeedId feed, const GroupCursor& cursor) {
  auto text = fmt::format("g{:016x}{:016x}", feed.value, cursor.newest.value);
  if (cursor.inside) text += fmt::format("{:016x}", cursor.inside->value);
  return text;
}

std::optional<GroupCursor> decode_cursor(FeedId feed, std::string_view text) {
  if (!text.starts_with('g')) return std::nullopt;
  text.remove_prefix(1);
  const auto of = take_hex(text);
  const auto newest = take_hex(text);
  if (!of || !newest || *of != feed.value) return std::nullopt;
  GroupCursor cursor{ActivityId{*newest}, {}};
  if (text.empty()) return cursor;
  const auto inside = take_hex(text);
  if (!inside || !text.empty()) return std::nullopt;
  cursor.inside = ActivityId{*inside};
  return cursor;
}

Status append_groups(store::View& view, const PendingDeletions& pending, FeedId feed,
                     const GroupPageRequest& request, std::string& out) {
  if (auto there = require(view, feed); !there) return there;
  return GroupPage(view, pending, feed, request, out).run();
}

Status append_group_activities(store::View& view, const PendingDeletions& pending, FeedId feed,
                               std::string_view group, const ActivityPageRequest& request,
                               std::string& out) {
  if (auto there = require(view, feed); !there) return there;
  return append_activity_list(view, pending, keys::grouped_activities(feed, group, request.before),
                              request.limit, "activities", out);
}

}  // namespace feeds
