#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "common/key_format/text.h"
#include "common/key_format/value.h"

namespace feeds::key_format {

// Go's package fmt for the values there are. Nothing here fails: what does not fit a verb is said
// in the text, as Go does ("%!d(string=x)"). The fields of a kStruct must be filled in.
class Printer {
 public:
  explicit Printer(Text& text) : text_(text) {}

  // Sprint: spaces between operands when neither is a string.
  void print(std::span<const Value> operands);
  // Sprintln: spaces always, and a newline.
  void println(std::span<const Value> operands);
  void printf(std::string_view format, std::span<const Value> operands);

  // Whether a %p of a slice or map was met. Go prints an address, which is not the same twice.
  bool asked_for_address() const { return asked_for_address_; }

 private:
  struct Flags {
    bool has_width = false;
    bool has_precision = false;
    bool minus = false;
    bool plus = false;
    bool sharp = false;
    bool space = false;
    bool zero = false;
    // %+v and %#v are formats of their own, not flags of the parts.
    bool plus_v = false;
    bool sharp_v = false;
    int width = 0;
    int precision = 0;
  };

  // One printf call: where it is in its format and operands.
  struct Call {
    std::string_view format;
    std::span<const Value> operands;
    std::size_t at = 0;
    std::size_t operand = 0;
    bool after_index = false;  // the item before was an index such as [3]
    bool reordered = false;    // an index was used at all
    bool good_index = true;    // since the last %
  };

  void verb(Call& call);
  bool simple_verb(Call& call);
  void width(Call& call);
  void precision(Call& call);
  void index(Call& call);
  void set_v_flags();
  void extra_operands(const Call& call);

  void operand(const Value& value, char32_t verb);
  void value(const Value& value, char32_t verb, int depth);
  void slice(const Value& value, char32_t verb, int depth);
  void map(const Value& value, char32_t verb, int depth);
  void structure(const Value& value, char32_t verb, int depth);
  void bad_verb(const Value& value, char32_t verb);

  void integer(const Value& value, char32_t verb);
  void number(std::uint64_t magnitude, bool negative, int base, char32_t verb, bool upper);
  void unicode(std::uint64_t value);
  void floating(const Value& value, double real, char32_t verb);
  void float_text(double real, char verb, int precision);
  void complex(const Value& value, char32_t verb);
  void string(const Value& value, char32_t verb);
  void hex_string(std::string_view text, bool upper);
  void quoted_string(std::string_view text);

  std::string_view truncated(std::string_view text) const;
  void pad(std::string_view text);
  void padding(int width);

  Text& text_;
  Flags flags_;
  bool asked_for_address_ = false;
};

}  // namespace feeds::key_format
