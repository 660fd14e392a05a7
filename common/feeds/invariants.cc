#include "common/feeds/invariants.h"

#include "common/feeds/invariant_walk.h"

namespace feeds {
namespace {

// Rows between and behind the known spaces, and rows in them that are of no known form.
void check_forms(invariants::Walk& walk) {
  std::string behind;
  const auto strange = [&](std::string_view key, std::string_view) {
    walk.violation(key, "no row of a known space");
  };
  for (const auto& info : keys::spaces()) {
    const auto range = keys::range_of(info.space);
    walk.each({behind, range.first}, strange);
    walk.each(range, [&](std::string_view key, std::string_view) {
      ++walk.violations().rows;
      if (keys::print_key(key).starts_with("/unknown/")) walk.violation(key, "no key of its space");
    });
    behind = range.end;
  }
  walk.each({behind, std::string(1, '\xff')}, strange);
}

}  // namespace

Result<Violations> find_violations(store::View& view, std::size_t most) {
  invariants::Walk walk(view, most);
  if (auto started = walk.start(); !started) return started.error();
  check_forms(walk);
  for (const auto check :
       {invariants::check_users, invariants::check_feeds, invariants::check_articles,
        invariants::check_activities, invariants::check_feed_entries, invariants::check_references,
        invariants::check_groups, invariants::check_collections}) {
    if (!walk.over()) check(walk);
  }
  if (!walk.status()) return walk.status().error();
  return std::move(walk.violations());
}

}  // namespace feeds
