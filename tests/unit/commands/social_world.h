#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/feeds/group_head.h"
#include "common/feeds/invariants.h"
#include "common/feeds/pending_deletion.h"
#include "common/keys/activity_keyspace.h"
#include "primary/commands/activity.h"
#include "primary/commands/collection.h"
#include "primary/commands/feed.h"
#include "primary/commands/grouping_feed.h"
#include "primary/commands/reaction.h"
#include "tests/support/activity_rows.h"
#include "tests/support/committer_world.h"
#include "tests/support/eventually.h"

namespace feeds::test {

using Ids = std::vector<std::uint64_t>;

// A committer, and short names for what the tests of commands do with it.
class SocialWorld : public ::testing::Test {
 protected:
  explicit SocialWorld(commit::CommitterOptions options = {}) : world_(std::move(options)) {}

  // Every test ends in a state whose rows agree with each other.
  void TearDown() override {
    ASSERT_TRUE(clean());
    auto view = world_.view();
    EXPECT_THAT(wrong_activity_rows(view), ::testing::IsEmpty());
    EXPECT_THAT(find_violations(view, 10)->found, ::testing::IsEmpty());
  }

  template <class Command>
  Status run(Command& command) {
    return world_.run(command).status;
  }
  // The error's code by name, "ok" if there is none.
  template <class Command>
  std::string code(Command command) {
    const auto status = run(command);
    return status ? "ok" : std::string(code_info(status.error().code).name);
  }
  template <class Command>
  std::string detail(Command command) {
    const auto status = run(command);
    return status ? "" : status.error().detail;
  }

  FeedId feed() {
    commands::CreateFeed command;
    EXPECT_TRUE(run(command).ok());
    return command.feed;
  }
  FeedId grouping(std::string format) {
    commands::CreateGroupingFeed command{.key_format = std::move(format)};
    EXPECT_TRUE(run(command).ok());
    return command.feed;
  }
  ActivityId add(commands::AddActivity command) {
    const auto status = run(command);
    EXPECT_TRUE(status.ok()) << (status ? "" : status.error().detail);
    return command.activity;
  }
  ActivityId add(std::vector<FeedId> feeds) { return add(commands::AddActivity{.feeds = feeds}); }
  std::vector<FeedId> feeds(std::size_t count) {
    return made_many<FeedId>(std::vector<commands::CreateFeed>(count), &commands::CreateFeed::feed);
  }
  std::vector<FeedId> groupings(std::size_t count, const std::string& format) {
    return made_many<FeedId>(std::vector<commands::CreateGroupingFeed>(count, {.key_format = format}),
                             &commands::CreateGroupingFeed::feed);
  }
  // Many activities at once.
  std::vector<ActivityId> add_many(std::size_t count, const commands::AddActivity& like) {
    return made_many<ActivityId>(std::vector<commands::AddActivity>(count, like),
                                 &commands::AddActivity::activity);
  }
  ActivityId react(ActivityId parent) {
    commands::CreateReaction command{.parent = parent};
    EXPECT_TRUE(run(command).ok());
    return command.activity;
  }
  std::vector<ActivityId> react_many(std::size_t count, ActivityId parent) {
    return made_many<ActivityId>(
        std::vector<commands::CreateReaction>(count, {.parent = parent}),
        &commands::CreateReaction::activity);
  }
  void collection(std::string id, commands::DeletingType type) {
    ASSERT_EQ(code(commands::CreateCollection{.collection = std::move(id), .deleting_type = type}), "ok");
  }
  void object(std::string collection, std::string id) {
    ASSERT_EQ(code(commands::CreateObject{.collection = collection, .object = std::move(id)}), "ok");
  }

  // The activity as reads show it, with every deletion under way seen through.
  std::optional<Activity> find(ActivityId id) {
    auto view = world_.view();
    store::ViewReader reader(view);
    const auto pending = PendingDeletions::load(reader);
    auto found = find_activity(reader, *pending, id);
    EXPECT_TRUE(found.ok());
    return *found;
  }
  std::string object_of(ActivityId id) { return find(id)->object_id; }
  std::string link_of(ActivityId id) { return find(id)->linked_activity_id; }

  // The activities of a list, newest first, as reads show them.
  Ids listed(const keys::Range& range) {
    Ids ids;
    world_.view().scan(range.first, range.end, [&](std::string_view key, std::string_view) {
      const auto id = *keys::last_activity(key);
      if (find(id)) ids.push_back(id.value);
      return true;
    });
    return ids;
  }
  Ids in_feed(FeedId feed) { return listed(keys::feed_activities(feed)); }
  // The groups of a feed, by key.
  std::map<std::string, Ids> groups(FeedId feed) {
    std::map<std::string, Ids> groups;
    const auto range = keys::grouped_activities(feed);
    world_.view().scan(range.first, range.end, [&](std::string_view key, std::string_view) {
      const auto row = *keys::parse_grouped(key);
      if (find(row.activity)) groups[row.group].push_back(row.activity.value);
      return true;
    });
    return groups;
  }
  // The keys of the groups, newest first.
  std::vector<std::string> group_order(FeedId feed) {
    std::vector<std::string> order;
    const auto range = keys::group_order(feed);
    world_.view().scan(range.first, range.end, [&](std::string_view, std::string_view value) {
      order.push_back(decode_group_head(value)->key);
      return true;
    });
    return order;
  }

  std::size_t rows(const keys::Range& range) {
    std::size_t count = 0;
    world_.view().scan(range.first, range.end, [&](auto, auto) {
      ++count;
      return true;
    });
    return count;
  }
  std::size_t rows(keys::Space space) { return rows(keys::range_of(space)); }
  std::size_t pending() { return rows(keys::Space::kPending); }

  // Waits until nothing is pending.
  bool clean() {
    return eventually([this] { return pending() == 0; }, kPatience, std::chrono::milliseconds(1));
  }

  CommitterWorld world_;

 private:
  // Runs commands together and gives what each made.
  template <class IdType, class Command>
  std::vector<IdType> made_many(std::vector<Command> commands, IdType Command::* made) {
    std::vector<Command*> pointers;
    for (auto& command : commands) pointers.push_back(&command);
    for (const auto& outcome : world_.run_all(pointers)) EXPECT_TRUE(outcome.status.ok());
    std::vector<IdType> ids;
    for (const auto& command : commands) ids.push_back(command.*made);
    return ids;
  }
};

}  // namespace feeds::test
