#include <fmt/format.h>

#include <cstdio>

#include "common/feeds/feed.h"
#include "common/feeds/group_head.h"
#include "common/feeds/grouping_feed.h"
#include "common/feeds/pending_deletion.h"
#include "common/feeds/user.h"
#include "common/json/text.h"
#include "common/keys/key_codec.h"
#include "common/keys/keyspace.h"
#include "common/store/view.h"
#include "tools/feedctl/commands/commands.h"
#include "tools/feedctl/data.h"

namespace feeds::feedctl {
namespace {

void print_line(std::string_view key, std::string_view value) {
  std::string line(key);
  line.append(" => ").append(value).append("\n");
  std::fwrite(line.data(), 1, line.size(), stdout);
}

std::string system_value(std::string_view key, std::string_view value) {
  if (key == keys::position_key()) {
    const auto record = store::decode_position(value);
    return record ? to_string(record->position) : "?";
  }
  if (keys::parse_pending(key)) {
    const auto deletion = decode_deletion(value);
    return deletion ? to_text(*deletion) : "?";
  }
  return std::to_string(keys::decode_integer(value).value_or(0));
}

void dump_space(store::View& view, keys::Space space) {
  const auto range = keys::range_of(space);
  view.scan(range.first, range.end, [](std::string_view key, std::string_view value) {
    print_line(keys::print_key(key), system_value(key, value));
    return true;
  });
}

// They are not stored: the last article of a feed tells.
void dump_article_counters(const std::shared_ptr<store::Database>& database) {
  store::View feeds(database);
  store::View articles(database);
  const auto range = keys::range_of(keys::Space::kFeeds);
  feeds.scan(range.first, range.end, [&](std::string_view key, std::string_view) {
    if (const auto feed = keys::parse_feed(key)) {
      print_line(fmt::format("/system/counters/articles/{}", feed->value),
                 std::to_string(next_article(articles, *feed).value));
    }
    return true;
  });
}

std::string quoted_text(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

// A value as people can read it: JSON as it is, numbers in digits, keys of groups as JSON strings.
std::string data_value(keys::Space space, std::string_view value) {
  switch (space) {
    case keys::Space::kActivityGroupingFeeds:
      return quoted_text(value);
    case keys::Space::kGroupOrder: {
      const auto head = decode_group_head(value);
      return head ? quoted_text(head->key) : "?";
    }
    case keys::Space::kGroups: {
      const auto group = decode_group(value);
      if (!group) return "?";
      return fmt::format("{} entries, newest {}", group->entries, group->newest.value);
    }
    default:
      return std::string(value);
  }
}

void dump_rows(store::View& view, keys::Space space) {
  const auto range = keys::range_of(space);
  view.scan(range.first, range.end, [space](std::string_view key, std::string_view value) {
    print_line(keys::print_key(key), data_value(space, value));
    return true;
  });
}

// A user and its subscriptions are one line, as the API shows it.
Status dump_users(store::View view) {
  const auto users = list_users(std::move(view), std::nullopt);
  std::string user;
  while (true) {
    user.clear();
    const auto more = users->next(user);
    if (!more) return more.error();
    if (!*more) return done();
    print_line("/data/users/" + users->after(), user);
  }
}

Status dump(const std::shared_ptr<store::Database>& database) {
  store::View view(database);
  std::fputs("===== COUNTERS =====\n", stdout);
  dump_space(view, keys::Space::kMeta);
  dump_space(view, keys::Space::kCounters);
  dump_article_counters(database);
  dump_space(view, keys::Space::kPending);
  std::fputs("===== KEYS =====\n", stdout);
  // Nothing else writes through this read-only handle: every view of it is the same.
  if (auto users = dump_users(store::View(database)); !users) return users;
  for (const auto& info : keys::spaces()) {
    if (info.space > keys::Space::kUsers) dump_rows(view, info.space);
  }
  return view.status();
}

int run(const std::string& data) {
  const auto database = store::Database::open(database_of(data), store::Access::kReadOnly, false);
  if (!database) {
    std::fprintf(stderr, "feedctl dump: %s\n", database.error().detail.c_str());
    return kCannot;
  }
  const auto dumped = dump(*database);
  if (dumped) return kGood;
  std::fprintf(stderr, "feedctl dump: %s\n", dumped.error().detail.c_str());
  return kFailed;
}

}  // namespace

void add_dump(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "dump", "Print every key and its value. Reads only; may run beside the node.");
  const auto data = std::make_shared<std::string>();
  command->add_option("--data", *data, "The node's data directory.")->required()->type_name("DIR");
  command->callback([data, &action] { action = [data] { return run(*data); }; });
}

}  // namespace feeds::feedctl
