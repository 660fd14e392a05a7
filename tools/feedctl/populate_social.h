#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "tools/feedctl/crew.h"

namespace feeds::feedctl {

// What populate_social() makes besides the activities of each feed.
inline constexpr std::uint64_t kSocialObjects = 5;
inline constexpr std::uint64_t kSocialComments = 3;  // to each feed's newest activity
inline constexpr std::uint64_t kSocialReplies = 2;   // to each comment, with a like of each reply

// Sample data of activities: a collection that cascades, with objects; a grouping feed by type and
// object; `activities` of different types in each of `feeds`, about the objects and in the grouping
// feed too; a thread three levels deep in each feed. What it makes is new, whatever the cluster
// holds. Returns a line for people. Error: the first request that failed for good; what was made
// stays.
Result<std::string> populate_social(Crew& crew, const std::vector<std::uint64_t>& feeds,
                                    std::uint64_t activities, std::FILE* terminal);

}  // namespace feeds::feedctl
