#pragma once

#include <optional>
#include <string>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "primary/commit/group.h"

// Commands on simple feeds. Each is judged and written by run(), whose results are the members
// below its inputs. Errors: as named, and kValueTooLarge for a value over
// limits::kStoredValueBytes.
namespace feeds::commands {

struct CreateFeed {
  std::string user_id;     // JSON, compact; empty: unset
  std::string extra_data;  // likewise

  FeedId feed{};
  std::string value{};  // the feed as served

  Status run(commit::Group& group);
};

// Error: kNoSuchFeed.
struct PublishArticle {
  FeedId feed;
  std::string text;  // UTF-8

  ArticleId article{};
  std::string value{};  // the article as served

  Status run(commit::Group& group);
};

// Error: kNoSuchFeed.
struct UpdateFeed {
  FeedId feed;
  std::string extra_data;  // JSON, compact; empty: unset it

  std::string value{};

  Status run(commit::Group& group);
};

// The feed, its articles and its list of activities, which live on. Error: kNoSuchFeed; kOverloaded
// if too many large deletions are pending.
struct DeleteFeed {
  FeedId feed;

  Status run(commit::Group& group);
};

}  // namespace feeds::commands
