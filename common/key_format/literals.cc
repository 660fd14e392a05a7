#include "common/key_format/literals.h"

#include <cmath>
#include <cstdlib>
#include <limits>

#include "common/key_format/utf8.h"

namespace feeds::key_format {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
char lower_ascii(char c) {
  return static_cast<char>(c | 0x20);
}

// The value of a digit in any base up to 16, or 16.
unsigned digit_value(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  const char low = lower_ascii(c);
  return low >= 'a' && low <= 'f' ? static_cast<unsigned>(low - 'a' + 10) : 16;
}

std::string_view without_sign(std::string_view text) {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  return text;
}

// Underscores may stand between digits and after a base prefix only.
bool underscores_ok(std::string_view text) {
  enum class Previous { kStart, kDigit, kUnderscore, kOther };
  Previous previous = Previous::kStart;
  text = without_sign(text);
  bool hex = false;
  if (text.size() >= 2 && text[0] == '0') {
    const char base = lower_ascii(text[1]);
    if (base == 'b' || base == 'o' || base == 'x') {
      hex = base == 'x';
      previous = Previous::kDigit;
      text.remove_prefix(2);
    }
  }
  for (const char c : text) {
    if (is_digit(c) || (hex && digit_value(c) < 16)) {
      previous = Previous::kDigit;
    } else if (c == '_') {
      if (previous != Previous::kDigit) return false;
      previous = Previous::kUnderscore;
    } else {
      if (previous == Previous::kUnderscore) return false;
      previous = Previous::kOther;
    }
  }
  return previous != Previous::kUnderscore;
}

// Go's ParseUint(text, 0, 64).
std::optional<std::uint64_t> parse_uint(std::string_view text) {
  if (text.empty()) return std::nullopt;
  unsigned base = 10;
  std::string_view digits = text;
  if (text[0] == '0') {
    const char prefix = text.size() >= 3 ? lower_ascii(text[1]) : '\0';
    base = prefix == 'b' ? 2 : prefix == 'x' ? 16 : 8;
    digits.remove_prefix(prefix == 'b' || prefix == 'o' || prefix == 'x' ? 2 : 1);
  }
  std::uint64_t value = 0;
  bool underscores = false;
  for (const char c : digits) {
    if (c == '_') {
      underscores = true;
      continue;
    }
    const unsigned digit = digit_value(c);
    if (digit >= base) return std::nullopt;
    if (value > (std::numeric_limits<std::uint64_t>::max() - digit) / base) return std::nullopt;
    value = value * base + digit;
  }
  if (underscores && !underscores_ok(text)) return std::nullopt;
  return value;
}

// Go's ParseInt(text, 0, 64).
std::optional<std::int64_t> parse_int(std::string_view text) {
  const bool negative = !text.empty() && text[0] == '-';
  const auto magnitude = parse_uint(without_sign(text));
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 63;
  if (!magnitude || *magnitude > kLimit || (!negative && *magnitude == kLimit)) return std::nullopt;
  return static_cast<std::int64_t>(negative ? 0 - *magnitude : *magnitude);
}

// Whether the text, without its sign and underscores, is a float of Go's syntax.
bool float_syntax(std::string_view text) {
  const bool hex = text.size() > 2 && text[0] == '0' && lower_ascii(text[1]) == 'x';
  if (hex) text.remove_prefix(2);
  std::size_t i = 0;
  bool digits = false;
  bool dot = false;
  for (; i < text.size(); ++i) {
    if (text[i] == '.' && !dot) {
      dot = true;
    } else if (is_digit(text[i]) || (hex && digit_value(text[i]) < 16)) {
      digits = true;
    } else {
      break;
    }
  }
  if (!digits) return false;
  if (i == text.size()) return !hex;
  if (lower_ascii(text[i]) != (hex ? 'p' : 'e')) return false;
  text.remove_prefix(i + 1);
  text = without_sign(text);
  if (text.empty()) return false;
  for (const char c : text) {
    if (!is_digit(c)) return false;
  }
  return true;
}

// The float becomes an integer too where it is one.
void set_float(Number& number, double value) {
  number.is_float = true;
  number.real = value;
  constexpr double kTwoTo63 = 9223372036854775808.0;
  if (value >= -kTwoTo63 && value < kTwoTo63 && std::trunc(value) == value) {
    number.is_int = true;
    number.integer = static_cast<std::int64_t>(value);
  }
}

Number complex_number(double real, double imaginary, std::string_view text) {
  Number number;
  number.text = text;
  if (imaginary == 0) set_float(number, real);
  number.is_complex = true;
  number.real = real;
  number.imaginary = imaginary;
  return number;
}

// One character of a quoted text, taken off its front.
struct QuotedRune {
  char32_t value;
  bool byte;  // \x and octal escapes, and ASCII: one byte, whatever its value
};

std::optional<QuotedRune> take_digits(std::string_view& text, std::size_t count, unsigned base) {
  if (text.size() < count) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned digit = digit_value(text[i]);
    if (digit >= base) return std::nullopt;
    value = value * base + digit;
  }
  text.remove_prefix(count);
  return QuotedRune{static_cast<char32_t>(value), false};
}

std::optional<QuotedRune> take_escape(std::string_view& text, char quote) {
  if (text.empty()) return std::nullopt;
  const char c = text[0];
  if (c >= '0' && c <= '7') {
    auto rune = take_digits(text, 3, 8);
    if (!rune || rune->value > 255) return std::nullopt;
    rune->byte = true;
    return rune;
  }
  text.remove_prefix(1);
  constexpr std::string_view kNames = "abfnrtv\\";
  constexpr std::string_view kValues = "\a\b\f\n\r\t\v\\";
  if (const std::size_t at = kNames.find(c); at != std::string_view::npos) {
    return QuotedRune{static_cast<char32_t>(kValues[at]), true};
  }
  if (c == '\'' || c == '"') {
    if (c != quote) return std::nullopt;
    return QuotedRune{static_cast<char32_t>(c), true};
  }
  if (c != 'x' && c != 'u' && c != 'U') return std::nullopt;
  auto rune = take_digits(text, c == 'x' ? 2 : c == 'u' ? 4 : 8, 16);
  if (!rune) return std::nullopt;
  rune->byte = c == 'x';
  if (!rune->byte && !valid_rune(rune->value)) return std::nullopt;
  return rune;
}

std::optional<QuotedRune> take_quoted(std::string_view& text, char quote) {
  if (text.empty() || text[0] == quote) return std::nullopt;
  if (text[0] == '\\') {
    text.remove_prefix(1);
    return take_escape(text, quote);
  }
  const Rune rune = decode_rune(text);
  text.remove_prefix(rune.width);
  return QuotedRune{rune.value, rune.value < 0x80};
}

}  // namespace

std::optional<double> parse_float(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    if (c != '_') plain.push_back(c);
  }
  if (plain.size() != text.size() && !underscores_ok(text)) return std::nullopt;
  if (!float_syntax(without_sign(plain))) return std::nullopt;
  const double value = std::strtod(plain.c_str(), nullptr);
  if (std::isinf(value)) return std::nullopt;
  return value;
}

std::optional<Number> parse_number(std::string_view text, std::string& error) {
  if (!text.empty() && text.back() == 'i') {
    if (const auto value = parse_float(text.substr(0, text.size() - 1))) {
      return complex_number(0, *value, text);
    }
  }
  Number number;
  number.text = text;
  const auto unsigned_value = parse_uint(text);
  if (const auto value = parse_int(text)) {
    number.is_int = number.is_float = true;
    number.integer = *value;
    number.real = static_cast<double>(*value);
    return number;
  }
  if (unsigned_value) {
    number.is_uint = number.is_float = true;
    number.real = static_cast<double>(*unsigned_value);
    return number;
  }
  const auto value = parse_float(text);
  if (!value) {
    error = "illegal number syntax: " + std::string(text);
    return std::nullopt;
  }
  if (text.find_first_of(".eEpP") == std::string_view::npos) {
    error = "integer overflow: " + std::string(text);
    return std::nullopt;
  }
  set_float(number, *value);
  return number;
}

std::optional<Number> parse_complex(std::string_view text, std::string& error) {
  // Both parts are floats; the sign between them is the last that follows no exponent mark.
  std::size_t split = 0;
  for (std::size_t i = 1; i < text.size(); ++i) {
    const char mark = lower_ascii(text[i - 1]);
    if ((text[i] == '+' || text[i] == '-') && mark != 'e' && mark != 'p') split = i;
  }
  const auto real = parse_float(text.substr(0, split));
  const auto imaginary = parse_float(text.substr(split, text.size() - split - 1));
  if (split == 0 || !real || !imaginary) {
    error = "illegal complex constant: " + std::string(text);
    return std::nullopt;
  }
  return complex_number(*real, *imaginary, text);
}

std::optional<Number> parse_char_constant(std::string_view text, std::string& error) {
  std::string_view rest = text.substr(1);
  const auto rune = take_quoted(rest, '\'');
  if (!rune || rest != "'") {
    error = "malformed character constant: " + std::string(text);
    return std::nullopt;
  }
  Number number;
  number.text = text;
  number.is_int = number.is_float = true;
  number.integer = static_cast<std::int64_t>(rune->value);
  number.real = static_cast<double>(rune->value);
  return number;
}

std::optional<std::string> unquote(std::string_view quoted) {
  std::string_view text = quoted.substr(1, quoted.size() - 2);
  std::string out;
  if (quoted[0] == '`') {
    for (const char c : text) {
      if (c != '\r') out.push_back(c);
    }
    return out;
  }
  while (!text.empty()) {
    const auto rune = take_quoted(text, '"');
    if (!rune) return std::nullopt;
    if (rune->byte) {
      out.push_back(static_cast<char>(rune->value));
    } else {
      char bytes[4];
      out.append(bytes, encode_rune(rune->value, bytes));
    }
  }
  return out;
}

}  // namespace feeds::key_format
