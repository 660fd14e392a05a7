#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "common/base/result.h"

namespace feeds::feedctl {

struct PopulateOptions {
  std::string url;
  std::uint64_t feeds = 10;
  std::uint64_t articles = 256;  // a feed
  std::uint64_t users = 10;  // each subscribed to the first kPopulateSubscriptions feeds it made
  std::uint64_t text_bytes = 0;  // shorter texts are padded to this
  std::uint64_t connections = 32;
  bool social = false;            // activities too: see populate_social.h
  std::uint64_t activities = 20;  // a feed
};
inline constexpr std::uint64_t kPopulateSubscriptions = 5;

// `f:<feed>a:<article>`, both counted from 0, padded to `bytes`.
std::string article_text(std::uint64_t feed, std::uint64_t article, std::uint64_t bytes);

// Makes feeds, then their articles, then users, all side by side; the articles of a feed in order.
// What it makes is new, whatever the cluster holds. Progress goes to `terminal` if it is one.
// Returns a line for people, and another for what --social made. Error: the first request that
// failed for good; what was made stays.
Result<std::string> populate(const PopulateOptions& options, std::FILE* terminal);

}  // namespace feeds::feedctl
