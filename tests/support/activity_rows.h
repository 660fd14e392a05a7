#pragma once

#include <string>
#include <vector>

#include "common/store/view.h"

namespace feeds::test {

// What is wrong with the rows of activities and their indexes in a state without pending deletions: a line
// each. The rows that there should be are made anew from `activities`, `activity_feeds` and
// `activity_grouping_feeds`, and compared with those that there are.
std::vector<std::string> wrong_activity_rows(store::View& view);

}  // namespace feeds::test
