#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/store/view.h"

// What must hold of the rows of one state of the store, whatever was done before: every row has its
// counterparts, every count is that of what it counts, every copy equals what it was copied from,
// ids are below their counters. Rows that a deletion under way covers may lack what it has taken
// already.
namespace feeds {

struct Violations {
  // `<key as printed>: <what is wrong>`, in the order of the walk; at most as many as were asked
  // for.
  std::vector<std::string> found;
  std::uint64_t rows = 0;  // in all, if none was found
};

// Walks everything, in bounded memory, for as long as it takes. Error: kInternal, the database
// cannot be read; kReopening if it was retired meanwhile.
Result<Violations> find_violations(store::View& view, std::size_t most);

}  // namespace feeds
