#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// The constants of the template language, as Go's strconv reads them.
namespace feeds::key_format {

// A number, with every type that its value fits: which one it becomes depends on where it stands.
struct Number {
  bool is_int = false;
  bool is_float = false;
  bool is_complex = false;
  bool is_uint = false;  // only told apart to name the error: no unsigned constant is ever made
  std::int64_t integer = 0;
  double real = 0;
  double imaginary = 0;
  std::string_view text;  // as written
};

// Integers in any base and floats, 'c' constants, and imaginary numbers. nullopt and `error` set
// for text that is no number or fits no type.
std::optional<Number> parse_number(std::string_view text, std::string& error);
std::optional<Number> parse_char_constant(std::string_view text, std::string& error);
std::optional<Number> parse_complex(std::string_view text, std::string& error);

// The text of an interpreted "..." or raw `...` string, quotes included in `quoted`.
std::optional<std::string> unquote(std::string_view quoted);

// Go's ParseFloat(text, 64): nullopt for bad syntax and for values past the range.
std::optional<double> parse_float(std::string_view text);

}  // namespace feeds::key_format
