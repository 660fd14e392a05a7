#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/feeds/activity.h"
#include "primary/commands/activity.h"
#include "primary/commands/collection.h"
#include "primary/commands/reaction.h"

namespace feeds::test {

// What activities, reactions, collections and grouping feeds must show, kept in the plainest way. Each
// command answers with the code of its error, "ok" if there is none.
class SocialModel {
 public:
  // The key formats that feeds are made with, each beside what it means. nullopt: it fails.
  struct Format {
    std::string text;
    std::function<std::optional<std::string>(const Activity&)> key;
  };
  static const std::vector<Format>& formats();

  struct GroupingFeed {
    const Format* format = nullptr;
    std::map<std::uint64_t, std::string> entries;
  };
  struct Collection {
    bool cascade = false;
    std::set<std::string> objects;
  };

  std::map<std::uint64_t, Activity> activities;
  std::map<std::uint64_t, std::set<std::uint64_t>> feeds;  // simple feeds and what is in them
  std::map<std::uint64_t, GroupingFeed> grouping_feeds;
  std::map<std::string, Collection> collections;
  std::uint64_t next_feed = kFirstId;
  std::uint64_t next_activity = kFirstId;

  // `value`: the reply, for the time of the commit.
  std::string add(const commands::AddActivity& command);
  std::string add_existing(const commands::AddExistingActivity& command);
  std::string remove(const commands::RemoveActivity& command);
  std::string update(const commands::UpdateActivity& command);
  std::string erase(const commands::DeleteActivity& command);
  std::string react(const commands::CreateReaction& command);
  std::string create_collection(const commands::CreateCollection& command);
  std::string create_object(const commands::CreateObject& command);
  std::string delete_object(const commands::DeleteObject& command);
  std::string delete_grouping_feed(FeedId feed);

  // Values, newest first.
  using Keep = std::function<bool(const Activity&)>;
  std::vector<const Activity*> newest(const Keep& keep) const;

 private:
  bool is_feed(FeedId feed) const;
  void enter(std::uint64_t feed, const Activity& activity);
  std::optional<std::string> check_feeds(const std::vector<FeedId>& feeds, const Activity& activity);
  void drop(std::uint64_t id);
};

}  // namespace feeds::test
