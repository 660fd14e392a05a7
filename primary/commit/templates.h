#pragma once

#include <string_view>
#include <unordered_map>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/key_format/key_format.h"

namespace feeds::commit {

// The parsed key formats of grouping feeds that were written to lately. A feed's format never
// changes, and its id is never used again. Belongs to whoever holds the writer.
class Templates {
 public:
  // The template of `feed` if it is here; null if not. Valid until the next get().
  const key_format::Template* find(FeedId feed) const;
  // The template of `feed`, whose format is `format`: it parsed when the feed was created.
  const key_format::Template& get(FeedId feed, std::string_view format);

 private:
  std::unordered_map<FeedId, key_format::Template> templates_;
};

}  // namespace feeds::commit
