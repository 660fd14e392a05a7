#include "primary/commit/templates.h"

#include <cassert>

namespace feeds::commit {
namespace {

constexpr std::size_t kKept = 4096;

}  // namespace

const key_format::Template* Templates::find(FeedId feed) const {
  const auto known = templates_.find(feed);
  return known != templates_.end() ? &known->second : nullptr;
}

const key_format::Template& Templates::get(FeedId feed, std::string_view format) {
  if (const auto* known = find(feed)) return *known;
  if (templates_.size() >= kKept) templates_.clear();
  key_format::FormatError error;
  auto parsed = key_format::Template::parse(format, error);
  assert(parsed);
  return templates_.emplace(feed, std::move(*parsed)).first->second;
}

}  // namespace feeds::commit
