#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"

namespace feeds {

// The value of a row of `group_order`: a group as a page shows it. It holds copies of the group's
// newest activities, without a gap, at most limits::kHeadActivities and limits::kHeadBytes of them:
// a page that shows no more of each group is one scan. The format is in schema/README.md, "Group
// heads".
struct GroupHead {
  struct Copy {
    ActivityId activity;
    std::string value;  // as served
    bool operator==(const Copy&) const = default;
  };

  std::uint64_t entries = 0;
  std::string key;
  std::vector<Copy> newest;  // newest first

  // Adds one that is older than those it has, if there is room. False if there was not, or if
  // `value` is empty: then nothing older may be added.
  bool append(ActivityId activity, std::string_view value);
};
std::string encode(const GroupHead& head);

// The same read in place, for pages.
class GroupHeadReader {
 public:
  // nullopt if `value` is damaged.
  static std::optional<GroupHeadReader> read(std::string_view value);

  std::uint64_t entries() const { return entries_; }
  std::string_view key() const { return key_; }
  // How many copies it holds.
  std::uint64_t copies() const { return copies_; }

  struct Copy {
    ActivityId activity;
    std::string_view value;
  };
  // The next copy, newest first; copies() times.
  Copy next();

 private:
  GroupHeadReader() = default;

  std::uint64_t entries_ = 0;
  std::string_view key_;
  std::uint64_t copies_ = 0;
  std::string_view rest_;
};
std::optional<GroupHead> decode_group_head(std::string_view value);

}  // namespace feeds
