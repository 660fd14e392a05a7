#pragma once

#include <optional>
#include <string>

#include "common/base/ids.h"
#include "common/base/limits.h"
#include "common/base/result.h"
#include "common/store/view.h"

// Reads of resource A's and B's rows, as JSON, on a view. Each function appends to `out` what is
// served; whoever calls checks view.status() last, since a read error looks like an end.
namespace feeds {

// Items of a list, one at a time, in key order. One thread's.
class ItemCursor {
 public:
  virtual ~ItemCursor() = default;
  // Appends the next item; false at the end. Error: kInternal, the database cannot be read.
  virtual Result<bool> next(std::string& out) = 0;
  // What `after` must be to go on behind the item just given.
  virtual std::string after() const = 0;
  virtual const store::View& view() const = 0;
};

}  // namespace feeds
