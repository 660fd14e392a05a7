#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/feeds/activity.h"
#include "common/feeds/feed.h"
#include "common/feeds/group_head.h"
#include "common/feeds/pending_deletion.h"
#include "common/keys/activity_keyspace.h"
#include "common/keys/key_codec.h"
#include "common/store/writer.h"

namespace feeds::test {

// An activity to make, and where it is to be.
struct WantedActivity {
  std::string object{};
  std::string collection{};
  std::string type{};
  std::string extra_data = "null";
  std::vector<FeedId> feeds{};
  std::map<FeedId, std::string> groups{};
};

// Rows of activities, feeds, groups and collections, put by hand as schema/README.md has them.
// Nothing is written before commit().
class SocialRows {
 public:
  explicit SocialRows(const store::DatabasePtr& database) : writer_(database) {}

  FeedId feed() {
    const FeedId id{next_feed_++};
    batch_.put(keys::feed_key(id), make_feed_value(id, {}));
    return id;
  }
  FeedId grouping_feed() {
    const FeedId id{next_feed_++};
    batch_.put(keys::grouping_feed_key(id),
               "{\"id\":" + std::to_string(id.value) +
                   R"(,"userId":"","keyFormat":"{{.ActivityType}}","extraData":null})");
    return id;
  }

  ActivityId activity(const WantedActivity& wanted) {
    Activity made;
    made.id = ActivityId{next_activity_++};
    made.object_id = wanted.object;
    made.collection_id = wanted.collection;
    made.activity_type = wanted.type;
    made.extra_data = wanted.extra_data;
    return put(made, wanted);
  }
  ActivityId reaction(ActivityId top, ActivityId parent, const WantedActivity& wanted = {}) {
    Activity made;
    made.id = ActivityId{next_activity_++};
    made.object_id = std::to_string(top.value);
    made.linked_activity_id = std::to_string(parent.value);
    made.activity_type = wanted.type;
    made.extra_data = wanted.extra_data;
    return put(made, wanted);
  }
  // The row of an activity and of its indexes by what it is.
  ActivityId put(const Activity& made, const WantedActivity& places = {}) {
    const auto value = to_json(made);
    const auto copy = copy_of(value);
    batch_.put(keys::activity_key(made.id), value);
    if (!made.reaction() && !made.object_id.empty()) {
      batch_.put(keys::object_activity_key(made.collection_id, made.object_id, made.id), copy);
    }
    if (const auto top = made.top()) batch_.put(keys::thread_key(*top, made.id), copy);
    if (const auto parent = made.parent()) batch_.put(keys::reaction_key(*parent, made.id), copy);
    for (const auto feed : places.feeds) {
      batch_.put(keys::feed_activity_key(feed, made.id), copy);
      batch_.put(keys::activity_feed_key(made.id, feed), "");
    }
    for (const auto& [feed, group] : places.groups) enter(feed, group, made.id, copy);
    return made.id;
  }

  void collection(const std::string& id, const std::string& deleting_type = "CASCADE") {
    batch_.put(keys::collection_key(id),
               "{\"id\":\"" + id + "\",\"deletingType\":\"" + deleting_type + "\"}");
  }
  void object(const std::string& of, const std::string& id, const std::string& data = "null") {
    batch_.put(keys::object_key(of, id), "{\"id\":\"" + id + "\",\"data\":" + data + "}");
  }

  void pending(std::uint64_t job, const Deletion& deletion) {
    batch_.put(keys::pending_key(job), encode(deletion));
  }
  void put_row(const std::string& key, std::string_view value) { batch_.put(key, value); }
  void erase_row(const std::string& key) { batch_.erase(key); }

  std::uint64_t next_activity() const { return next_activity_; }
  void skip_to(std::uint64_t next) { next_activity_ = next; }

  void commit() {
    batch_.put(keys::counter_key(keys::CounterKind::kFeeds), keys::encode_integer(next_feed_));
    batch_.put(keys::counter_key(keys::CounterKind::kActivities),
               keys::encode_integer(next_activity_));
    if (!writer_.commit(batch_, 0)) std::abort();
    batch_.clear();
  }

 private:
  struct Group {
    std::uint64_t entries = 0;
    ActivityId newest;
    std::vector<GroupHead::Copy> copies;  // of all entries, newest first
  };

  void enter(FeedId feed, const std::string& key, ActivityId activity, std::string_view copy) {
    auto& group = groups_[{feed, key}];
    if (group.entries > 0) batch_.erase(keys::group_order_key(feed, group.newest));
    group.newest = activity;
    ++group.entries;
    group.copies.insert(group.copies.begin(), {activity, std::string(copy)});
    GroupHead head{group.entries, key, {}};
    for (const auto& each : group.copies) {
      if (!head.append(each.activity, each.value)) break;
    }
    batch_.put(keys::grouped_activity_key(feed, key, activity), copy);
    batch_.put(keys::activity_grouping_feed_key(activity, feed), key);
    batch_.put(keys::group_order_key(feed, activity), encode(head));
    auto value = keys::encode_integer(group.entries);
    keys::append_integer(value, activity.value);
    batch_.put(keys::group_key(feed, key), value);
  }

  store::Writer writer_;
  store::Batch batch_;
  std::uint64_t next_feed_ = kFirstId;
  std::uint64_t next_activity_ = kFirstId;
  std::map<std::pair<FeedId, std::string>, Group> groups_;
};

}  // namespace feeds::test
