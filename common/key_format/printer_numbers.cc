#include <algorithm>
#include <iterator>
#include <utility>

#include "common/key_format/float_format.h"
#include "common/key_format/printer.h"
#include "common/key_format/quote.h"
#include "common/key_format/utf8.h"

namespace feeds::key_format {

void Printer::integer(const Value& value, char32_t verb) {
  const bool is_unsigned = value.kind == Kind::kUint8;
  const auto bits = static_cast<std::uint64_t>(value.integer);
  const bool negative = value.integer < 0;
  const std::uint64_t magnitude = negative ? 0 - bits : bits;
  const char32_t rune = bits > kMaxRune ? kRuneError : static_cast<char32_t>(bits);
  switch (verb) {
    case 'v':
      if (flags_.sharp_v && is_unsigned) {
        flags_.sharp = true;
        number(magnitude, negative, 16, verb, false);
        flags_.sharp = false;
        return;
      }
      [[fallthrough]];
    case 'd':
      number(magnitude, negative, 10, verb, false);
      return;
    case 'b':
      number(magnitude, negative, 2, verb, false);
      return;
    case 'o':
    case 'O':
      number(magnitude, negative, 8, verb, false);
      return;
    case 'x':
    case 'X':
      number(magnitude, negative, 16, verb, verb == 'X');
      return;
    case 'c': {
      char bytes[4];
      pad({bytes, encode_rune(rune, bytes)});
      return;
    }
    case 'q': {
      std::string text;
      append_quoted_rune(text, rune, flags_.plus);
      pad(text);
      return;
    }
    case 'U':
      unicode(bits);
      return;
    default:
      bad_verb(value, verb);
  }
}

void Printer::number(std::uint64_t magnitude, bool negative, int base, char32_t verb, bool upper) {
  const std::string_view digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
  // Leading zeros are asked for as %.3d or %03d; a precision makes the zero flag void.
  int wanted = 0;
  if (flags_.has_precision) {
    wanted = flags_.precision;
    if (wanted == 0 && magnitude == 0) {  // nothing but padding
      const bool zero = std::exchange(flags_.zero, false);
      padding(flags_.width);
      flags_.zero = zero;
      return;
    }
  } else if (flags_.zero && flags_.has_width) {
    wanted = flags_.width - (negative || flags_.plus || flags_.space ? 1 : 0);
  }
  if (!text_.budget().spend_bytes(static_cast<std::size_t>(std::max(wanted, 0)))) return;

  char buffer[64];
  char* first = std::end(buffer);
  do {
    *--first = digits[magnitude % static_cast<unsigned>(base)];
    magnitude /= static_cast<unsigned>(base);
  } while (magnitude != 0);
  const auto count = static_cast<int>(std::end(buffer) - first);
  const int zeros = std::max(wanted - count, 0);

  std::string text;
  if (negative) {
    text.push_back('-');
  } else if (flags_.plus) {
    text.push_back('+');
  } else if (flags_.space) {
    text.push_back(' ');
  }
  if (verb == 'O') text += "0o";
  if (flags_.sharp) {
    if (base == 2) text += "0b";
    if (base == 8 && zeros == 0 && *first != '0') text.push_back('0');
    if (base == 16) text += upper ? "0X" : "0x";
  }
  text.append(static_cast<std::size_t>(zeros), '0');
  text.append(first, static_cast<std::size_t>(count));
  const bool zero = std::exchange(flags_.zero, false);
  pad(text);
  flags_.zero = zero;
}

// U+0078, or with # U+0078 'x'.
void Printer::unicode(std::uint64_t value) {
  int digits = 4;
  if (flags_.has_precision && flags_.precision > 4) digits = flags_.precision;
  if (!text_.budget().spend_bytes(static_cast<std::size_t>(digits))) return;
  std::string hex;
  for (std::uint64_t rest = value; rest != 0 || hex.empty(); rest >>= 4) {
    hex.insert(hex.begin(), "0123456789ABCDEF"[rest & 15]);
  }
  std::string text = "U+";
  if (hex.size() < static_cast<std::size_t>(digits)) {
    text.append(static_cast<std::size_t>(digits) - hex.size(), '0');
  }
  text += hex;
  if (flags_.sharp && value <= kMaxRune && is_printable(static_cast<char32_t>(value))) {
    char bytes[4];
    const std::size_t width = encode_rune(static_cast<char32_t>(value), bytes);
    text.append(" '").append(bytes, width).append("'");
  }
  const bool zero = std::exchange(flags_.zero, false);
  pad(text);
  flags_.zero = zero;
}

void Printer::floating(const Value& value, double real, char32_t verb) {
  switch (verb) {
    case 'v':
      float_text(real, 'g', -1);
      return;
    case 'b':
    case 'g':
    case 'G':
    case 'x':
    case 'X':
      float_text(real, static_cast<char>(verb), -1);
      return;
    case 'f':
    case 'e':
    case 'E':
      float_text(real, static_cast<char>(verb), 6);
      return;
    case 'F':
      float_text(real, 'f', 6);
      return;
    default:
      bad_verb(value, verb);
  }
}

namespace {

// With # a decimal point always shows, and %g keeps the zeros at the end.
void keep_point_and_zeros(std::string& text, char verb, int precision) {
  int missing = 0;
  if (verb == 'g' || verb == 'G' || verb == 'x') missing = precision < 0 ? 6 : precision;
  std::string tail;
  bool has_point = false;
  bool significant = false;
  for (std::size_t i = 1; i < text.size(); ++i) {
    const char c = text[i];
    const bool hex = verb == 'x' || verb == 'X';
    if (c == '.') {
      has_point = true;
    } else if (c == 'p' || c == 'P' || ((c == 'e' || c == 'E') && !hex)) {
      tail = text.substr(i);
      text.resize(i);
    } else {
      if (c != '0') significant = true;
      if (significant) --missing;
    }
  }
  if (!has_point) {
    if (text.size() == 2 && text[1] == '0') --missing;  // a lone zero counts once
    text.push_back('.');
  }
  if (missing > 0) text.append(static_cast<std::size_t>(missing), '0');
  text += tail;
}

}  // namespace

void Printer::float_text(double real, char verb, int precision) {
  if (flags_.has_precision) precision = flags_.precision;
  if (!text_.budget().spend_bytes(static_cast<std::size_t>(std::max(precision, 0)))) return;
  std::string text;
  append_float(text, real, verb, precision);
  if (text[0] != '-' && text[0] != '+') text.insert(text.begin(), '+');
  if (flags_.space && text[0] == '+' && !flags_.plus) text[0] = ' ';
  if (text[1] == 'I' || text[1] == 'N') {  // no number: never padded with zeros
    const bool zero = std::exchange(flags_.zero, false);
    if (text[1] == 'N' && !flags_.space && !flags_.plus) text.erase(0, 1);
    // As in Go, an infinity keeps its sign.
    pad(text);
    flags_.zero = zero;
    return;
  }
  if (flags_.sharp && verb != 'b') keep_point_and_zeros(text, verb, precision);
  if (!flags_.plus && text[0] == '+') {
    pad(std::string_view(text).substr(1));
    return;
  }
  if (flags_.zero && flags_.has_width && flags_.width > static_cast<int>(text.size())) {
    text_.append(text[0]);  // zeros go between the sign and the number
    padding(flags_.width - static_cast<int>(text.size()));
    text_.append(std::string_view(text).substr(1));
    return;
  }
  pad(text);
}

void Printer::complex(const Value& value, char32_t verb) {
  constexpr std::string_view kVerbs = "vbgGxXfFeE";
  if (verb >= 0x80 || kVerbs.find(static_cast<char>(verb)) == std::string_view::npos) {
    bad_verb(value, verb);
    return;
  }
  text_.append('(');
  floating(value, value.real, verb);
  const bool plus = std::exchange(flags_.plus, true);
  floating(value, value.imaginary, verb);
  flags_.plus = plus;
  text_.append("i)");
}

void Printer::quoted_string(std::string_view text) {
  text = truncated(text);
  if (!text_.budget().spend_bytes(text.size())) return;
  std::string quoted;
  if (flags_.sharp && can_backquote(text)) {
    quoted.append("`").append(text).append("`");
  } else {
    append_quoted(quoted, text, flags_.plus);
  }
  pad(quoted);
}

}  // namespace feeds::key_format
