#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "common/feeds/activity.h"
#include "common/feeds/invariants.h"
#include "common/feeds/pending_deletion.h"
#include "common/keys/keyspace.h"

// What the checks of invariants.h are written with: walking a space while looking other rows up.
// Only for the files invariants*.cc.
namespace feeds::invariants {

class Walk {
 public:
  Walk(store::View& view, std::size_t most) : view_(view), reader_(view), most_(most) {}

  // Reads what is pending. Before anything else.
  Status start();

  // Calls `row` for each row of a space; `row` may look others up.
  using Row = std::function<void(std::string_view key, std::string_view value)>;
  void each(keys::Space space, const Row& row) { each(keys::range_of(space), row); }
  void each(const keys::Range& range, const Row& row);

  std::optional<std::string> get(std::string_view key);
  bool has(std::string_view key) { return get(key).has_value(); }
  // The first key of a range.
  std::optional<std::string> first(const keys::Range& range);
  // The stored activity; nullopt if there is none or it is damaged, which its own row tells of.
  std::optional<Activity> activity(ActivityId id);
  // The same as it is once everything pending is done; nullopt if it is gone then.
  std::optional<Activity> seen_activity(ActivityId id);

  bool pending(DeletionKind kind, std::uint64_t target) const;

  void violation(std::string_view key, std::string_view what);

  // Whether the walk should end: it failed, or found as many violations as wanted.
  bool over() const { return !status_ || violations_.found.size() >= most_; }
  const Status& status() const { return status_; }
  Violations& violations() { return violations_; }

 private:
  store::View& view_;
  store::ViewReader reader_;
  std::size_t most_;
  PendingDeletions pending_;
  Status status_ = done();
  Violations violations_;
};

// Each checks some spaces.
void check_users(Walk& walk);
void check_feeds(Walk& walk);
void check_articles(Walk& walk);
void check_activities(Walk& walk);
void check_feed_entries(Walk& walk);
void check_references(Walk& walk);
void check_groups(Walk& walk);
void check_collections(Walk& walk);

}  // namespace feeds::invariants
