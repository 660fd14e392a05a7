#include "tests/support/activity_rows.h"

#include <map>
#include <set>

#include "common/feeds/activity.h"
#include "common/feeds/group_head.h"
#include "common/keys/activity_keyspace.h"
#include "common/keys/key_codec.h"
#include "common/keys/keyspace.h"

namespace feeds::test {
namespace {

using Rows = std::map<std::string, std::string>;

Rows rows_of(store::View& view, keys::Space space) {
  Rows rows;
  const auto range = keys::range_of(space);
  view.scan(range.first, range.end, [&](std::string_view key, std::string_view value) {
    rows.emplace(key, value);
    return true;
  });
  return rows;
}

class Check {
 public:
  explicit Check(store::View& view) : view_(view) {}

  std::vector<std::string> run() {
    for (const auto& [key, value] : rows_of(view_, keys::Space::kActivities)) activity(key, value);
    for (const auto& [key, value] : rows_of(view_, keys::Space::kActivityFeeds)) in_feed(key);
    for (const auto& [key, value] : rows_of(view_, keys::Space::kActivityGroupingFeeds)) {
      in_grouping_feed(key, value);
    }
    for (const auto& [group, state] : groups_) {
      const auto newest = *state.entries.rbegin();
      auto value = keys::encode_integer(state.entries.size());
      keys::append_integer(value, newest);
      expected_[keys::group_key(group.first, group.second)] = value;
      GroupHead head{state.entries.size(), group.second, {}};
      for (auto id = state.entries.rbegin(); id != state.entries.rend(); ++id) {
        if (!head.append(ActivityId{*id}, copies_[*id])) break;
      }
      expected_[keys::group_order_key(group.first, ActivityId{newest})] = encode(head);
    }
    compare();
    return std::move(wrong_);
  }

 private:
  struct GroupState {
    std::set<std::uint64_t> entries;
  };

  void wrong(const std::string& key, const std::string& what) {
    wrong_.push_back(keys::print_key(key) + ": " + what);
  }

  void activity(const std::string& key, const std::string& value) {
    const auto parsed = parse_activity_value(value);
    if (!parsed || keys::activity_key(parsed->id) != key || to_json(*parsed) != value) {
      return wrong(key, "damaged");
    }
    const std::string copy(copy_of(value));
    copies_[parsed->id.value] = copy;
    if (parsed->reaction()) {
      if (const auto parent = parsed->parent()) expect(keys::reaction_key(*parent, parsed->id), copy);
      if (const auto top = parsed->top()) expect(keys::thread_key(*top, parsed->id), copy);
    } else if (!parsed->object_id.empty()) {
      expect(keys::object_activity_key(parsed->collection_id, parsed->object_id, parsed->id), copy);
    }
  }

  void in_feed(const std::string& key) {
    const auto feed = *keys::parse_activity_feed(key);
    const auto id = id_in(key);
    if (!copies_.contains(id)) return wrong(key, "of no activity");
    if (!view_.find(keys::feed_key(feed))) return wrong(key, "of no feed");
    expect(keys::feed_activity_key(feed, ActivityId{id}), copies_[id]);
  }

  void in_grouping_feed(const std::string& key, const std::string& group) {
    const auto feed = *keys::parse_activity_grouping_feed(key);
    const auto id = id_in(key);
    if (!copies_.contains(id)) return wrong(key, "of no activity");
    if (!view_.find(keys::grouping_feed_key(feed))) return wrong(key, "of no grouping feed");
    expect(keys::grouped_activity_key(feed, group, ActivityId{id}), copies_[id]);
    groups_[{feed, group}].entries.insert(id);
  }

  void expect(std::string key, std::string value) {
    expected_.emplace(std::move(key), std::move(value));
  }

  static std::uint64_t id_in(const std::string& key) {
    std::string_view rest(key);
    rest.remove_prefix(1);
    return *keys::take_integer(rest);
  }

  void compare() {
    Rows actual;
    for (const auto space :
         {keys::Space::kFeedActivities, keys::Space::kObjectIdActivities,
          keys::Space::kActivityReactions, keys::Space::kThreadReactions,
          keys::Space::kGroupingFeedActivities, keys::Space::kGroups, keys::Space::kGroupOrder}) {
      actual.merge(rows_of(view_, space));
    }
    for (const auto& [key, value] : expected_) {
      const auto found = actual.find(key);
      if (found == actual.end()) {
        wrong(key, "is missing");
      } else if (found->second != value) {
        wrong(key, "differs");
      }
    }
    for (const auto& [key, value] : actual) {
      if (!expected_.contains(key)) wrong(key, "should not be");
    }
  }

  store::View& view_;
  std::map<std::uint64_t, std::string> copies_;
  std::map<std::pair<FeedId, std::string>, GroupState> groups_;
  Rows expected_;
  std::vector<std::string> wrong_;
};

}  // namespace

std::vector<std::string> wrong_activity_rows(store::View& view) { return Check(view).run(); }

}  // namespace feeds::test
