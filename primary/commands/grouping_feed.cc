#include "primary/commands/grouping_feed.h"

#include <fmt/format.h>

#include <cassert>

#include "common/json/text.h"
#include "common/keys/activity_keyspace.h"
#include "primary/commands/activity_rows.h"
#include "primary/commands/deletion_steps.h"
#include "primary/commit/deletions.h"

namespace feeds::commands {
namespace {

std::string feed_value(FeedId feed, std::string_view user_id, std::string_view key_format_json,
                       std::string_view extra_data) {
  return fmt::format(R"({{"id":{},"userId":{},"keyFormat":{},"extraData":{}}})", feed.value,
                     user_id, key_format_json, extra_data);
}

// The stored value. Error: kNoSuchGroupingFeed.
Result<std::string> stored_value(commit::Group& group, FeedId feed) {
  auto value = group.get(keys::grouping_feed_key(feed));
  if (!value) return value.error();
  if (*value) return std::move(**value);
  return Error{Code::kNoSuchGroupingFeed, fmt::format("there is no grouping feed {}", feed.value)};
}

}  // namespace

Status check_key_format(std::string_view key_format) {
  key_format::FormatError error;
  if (key_format::Template::parse(key_format, error)) return done();
  return Error{Code::kBadKeyFormat,
               fmt::format("the keyFormat does not parse: line {}, column {}: {}", error.line,
                           error.column, error.message)};
}

Status CreateGroupingFeed::run(commit::Group& group) {
  feed.value = group.counters().peek(keys::CounterKind::kFeeds);
  std::string format;
  json::append_string(format, key_format);
  value = feed_value(feed, user_id, format, extra_data);
  if (auto fits = check_size(value); !fits) return fits;
  group.counters().take(keys::CounterKind::kFeeds);
  group.put(keys::grouping_feed_key(feed), value);
  return done();
}

Status UpdateGroupingFeed::run(commit::Group& group) {
  const auto stored = stored_value(group, feed);
  if (!stored) return stored.error();
  const auto object = json::parse_object(*stored);
  const auto* user = object ? object->find("userId") : nullptr;
  const auto* format = object ? object->find("keyFormat") : nullptr;
  if (user == nullptr || format == nullptr) {
    return Error{Code::kInternal, "a grouping feed's value is damaged"};
  }
  value = feed_value(feed, user->raw, format->raw, extra_data);
  if (auto fits = check_size(value); !fits) return fits;
  if (value != *stored) group.put(keys::grouping_feed_key(feed), value);
  return done();
}

Status DeleteGroupingFeed::run(commit::Group& group) {
  const auto budget = group.deletions().inline_budget(group);
  if (const auto stored = stored_value(group, feed); !stored) return stored.error();
  group.erase(keys::grouping_feed_key(feed));
  return delete_or_defer(group, PendingDeletions(),
                         {.kind = DeletionKind::kEntriesOfGroupingFeed, .target = feed.value},
                         budget);
}

}  // namespace feeds::commands
