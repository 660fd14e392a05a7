#pragma once

#include <functional>
#include <string>

#include "common/feeds/page.h"
#include "common/keys/keyspace.h"

namespace feeds {

// A list whose items are single rows of a range.
class RowCursor : public ItemCursor {
 public:
  using Render = std::function<void(std::string_view key, std::string_view value, std::string&)>;
  using Name = std::function<std::string(std::string_view key)>;

  RowCursor(store::View view, keys::Range range, Render render, Name name);

  Result<bool> next(std::string& out) override;
  std::string after() const override { return name_(last_key_); }
  const store::View& view() const override { return view_; }

 private:
  store::View view_;
  keys::Range range_;
  Render render_;
  Name name_;
  bool started_ = false;
  std::string last_key_;
};

}  // namespace feeds
