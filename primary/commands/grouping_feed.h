#pragma once

#include <string>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "primary/commit/group.h"

// Commands on grouping feeds. See feed.h for the form. `value` is the grouping feed as served.
namespace feeds::commands {

// Error: kBadKeyFormat with line and column if `key_format` does not parse.
Status check_key_format(std::string_view key_format);

struct CreateGroupingFeed {
  std::string user_id = R"("")";    // JSON, compact
  std::string key_format{};         // UTF-8, as checked by check_key_format()
  std::string extra_data = "null";  // JSON, compact

  FeedId feed{};
  std::string value{};

  Status run(commit::Group& group);
};

// Error: kNoSuchGroupingFeed.
struct UpdateGroupingFeed {
  FeedId feed;
  std::string extra_data{};  // JSON, compact

  std::string value{};

  Status run(commit::Group& group);
};

// The feed and its entries; the activities live on. Error: kNoSuchGroupingFeed; kOverloaded.
struct DeleteGroupingFeed {
  FeedId feed;

  Status run(commit::Group& group);
};

}  // namespace feeds::commands
