#include "common/feeds/activity_page.h"

namespace feeds {
namespace {

// A ViewReader that tells whether it was used, which may have moved the view.
class TellingReader : public store::ViewReader {
 public:
  using ViewReader::ViewReader;
  Result<std::optional<std::string>> get(std::string_view key) override {
    used = true;
    return ViewReader::get(key);
  }
  bool used = false;
};

}  // namespace

ActivityRows::ActivityRows(store::View& view, const PendingDeletions& pending, keys::Range range,
                           std::uint64_t& skips, Keep keep)
    : view_(view),
      pending_(pending),
      range_(std::move(range)),
      skips_(skips),
      keep_(std::move(keep)),
      as_stored_(!pending.touch_activities() && keep_ == nullptr) {}

bool ActivityRows::advance() {
  const bool there = !started_ ? view_.seek(range_.first, range_.end)
                     : moved_  ? view_.seek(last_key_ + '\0', range_.end)
                               : view_.next();
  moved_ = false;
  if (!there) return false;
  // Until the first row is passed, going on means to begin with it again.
  if (!started_) resume_.value = keys::last_activity(view_.key())->value + 1;
  started_ = true;
  return true;
}

Result<bool> ActivityRows::next(std::string& out) {
  while (!cut_ && advance()) {
    const auto activity = *keys::last_activity(view_.key());
    const auto copy = view_.value();
    if (as_stored_ && !copy.empty()) {
      out += copy;
      resume_ = activity;
      return true;
    }
    const auto shown = append_looked_up(out);
    if (!shown) return shown.error();
    if (!*shown && skips_ == 0) {
      cut_ = true;
      break;
    }
    resume_ = activity;
    if (*shown) return true;
    --skips_;
  }
  if (auto status = view_.status(); !status) return status.error();
  return false;
}

// The activity of the row that the view is at, false if it is not shown.
Result<bool> ActivityRows::append_looked_up(std::string& out) {
  last_key_ = view_.key();
  TellingReader reader(view_);
  std::string value(view_.value());
  if (value.empty()) {
    auto found = reader.get(keys::activity_key(*keys::last_activity(last_key_)));
    if (!found) return found.error();
    moved_ = true;
    if (!*found) return false;
    value = std::move(**found);
  }
  if (as_stored_) {
    out += value;
    return true;
  }
  auto activity = parse_activity_value(value);
  if (!activity) return activity.error();
  const auto there = pending_.see(reader, *activity);
  moved_ = moved_ || reader.used;
  if (!there) return there.error();
  if (!*there || (keep_ != nullptr && !keep_(*activity))) return false;
  out += to_json(*activity);
  return true;
}

Result<ActivityPage> append_activities(ActivityRows& rows, std::uint64_t limit, std::size_t end,
                                       std::string& out) {
  ActivityPage page;
  while (true) {
    const std::size_t before = out.size();
    const auto shown = rows.resume();
    if (page.count > 0) out += ',';
    const auto more = rows.next(out);
    if (!more) return more.error();
    if (!*more) {
      out.resize(before);
      page.cut = rows.cut();
      if (page.cut) page.next = rows.resume();
      return page;
    }
    // That there is one more is known by having it.
    if (page.count == limit || (page.count > 0 && out.size() > end)) {
      out.resize(before);
      page.next = shown;
      return page;
    }
    ++page.count;
  }
}

Result<ActivityPage> append_activities(store::View& view, const PendingDeletions& pending,
                                       const keys::Range& range, std::uint64_t limit,
                                       std::string& out, Keep keep) {
  std::uint64_t skips = limits::kSkippedRows;
  ActivityRows rows(view, pending, range, skips, std::move(keep));
  return append_activities(rows, limit, out.size() + limits::kPageBytes, out);
}

Status append_activity_list(store::View& view, const PendingDeletions& pending,
                            const keys::Range& range, std::uint64_t limit, std::string_view name,
                            std::string& out, Keep keep) {
  out.append("{\"").append(name).append("\":[");
  const auto page = append_activities(view, pending, range, limit, out, std::move(keep));
  if (!page) return page.error();
  out += "],";
  append_next(out, page->next);
  out += '}';
  return done();
}

void append_next(std::string& out, std::optional<ActivityId> next) {
  if (!next) {
    out += "\"next\":null";
    return;
  }
  out += "\"next\":\"";
  append_decimal(out, next->value);
  out += '"';
}

}  // namespace feeds
