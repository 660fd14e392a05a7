#include "common/feeds/row_cursor.h"

namespace feeds {

RowCursor::RowCursor(store::View view, keys::Range range, Render render, Name name)
    : view_(std::move(view)),
      range_(std::move(range)),
      render_(std::move(render)),
      name_(std::move(name)) {}

Result<bool> RowCursor::next(std::string& out) {
  const bool found = started_ ? view_.next() : view_.seek(range_.first, range_.end);
  started_ = true;
  if (!found) {
    if (auto status = view_.status(); !status) return status.error();
    return false;
  }
  render_(view_.key(), view_.value(), out);
  last_key_ = view_.key();
  return true;
}

}  // namespace feeds
