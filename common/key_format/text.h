#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <string_view>

#include "common/key_format/utf8.h"

namespace feeds::key_format {

// What a render may still do, in steps. Every evaluated node, argument and field costs one step and
// every 4 bytes of text made, compared or read as a printf format one more, so that neither loops
// nor widths nor long texts take more than milliseconds: a step is some 50 ns at worst.
class Budget {
 public:
  explicit Budget(std::int64_t steps) : left_(steps) {}

  // False once the budget is spent, for good.
  bool spend(std::size_t steps) {
    left_ -= static_cast<std::int64_t>(steps);
    return left_ >= 0;
  }
  bool spend_bytes(std::size_t bytes) { return spend(bytes / 4 + 1); }
  bool spent() const { return left_ < 0; }
  std::int64_t left() const { return left_; }

 private:
  std::int64_t left_;
};

// Text being made. Past the budget it stops growing; its maker asks Budget::spent() at the end.
class Text {
 public:
  Text(std::pmr::memory_resource& arena, Budget& budget) : text_(&arena), budget_(budget) {}

  void append(std::string_view text) {
    if (budget_.spend_bytes(text.size())) text_.append(text);
  }
  void append(char c) {
    if (budget_.spend(1)) text_.push_back(c);
  }
  void append_rune(char32_t rune) {
    char bytes[4];
    append(std::string_view(bytes, encode_rune(rune, bytes)));
  }
  void fill(char c, std::size_t count) {
    if (budget_.spend_bytes(count)) text_.append(count, c);
  }

  std::string_view view() const { return text_; }
  Budget& budget() { return budget_; }

  // The text, moved to where it outlives this object: the arena.
  std::string_view keep() const {
    if (text_.empty()) return {};
    auto* copy = static_cast<char*>(text_.get_allocator().resource()->allocate(text_.size(), 1));
    text_.copy(copy, text_.size());
    return {copy, text_.size()};
  }

 private:
  std::pmr::string text_;
  Budget& budget_;
};

}  // namespace feeds::key_format
