#include "common/key_format/float_format.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace feeds::key_format {

namespace {

// A double has at most 767 significant decimal digits and 1074 decimals; what is asked beyond is 0.
constexpr int kExactDigits = 1100;
constexpr int kMantissaBits = 52;

// 0.d1d2d3... times ten to the `point`; no trailing zeros, none at all for zero.
struct Decimal {
  std::string digits;
  int point = 0;
};

// From "d.ddde+dd" as std::to_chars writes it.
Decimal from_scientific(std::string_view text) {
  Decimal decimal;
  const std::size_t mark = text.find('e');
  for (const char c : text.substr(0, mark)) {
    if (c != '.') decimal.digits.push_back(c);
  }
  decimal.digits.erase(decimal.digits.find_last_not_of('0') + 1);
  if (decimal.digits.empty()) return decimal;
  std::string_view exponent = text.substr(mark + 1);
  if (exponent[0] == '+') exponent.remove_prefix(1);
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), decimal.point);
  ++decimal.point;
  return decimal;
}

// Digits rounded half to even at `decimals` after the point.
Decimal from_fixed(double magnitude, int decimals) {
  char buffer[kExactDigits + 320];
  const auto end = std::to_chars(buffer, std::end(buffer), magnitude, std::chars_format::fixed,
                                 std::min(decimals, kExactDigits));
  const std::string_view text(buffer, static_cast<std::size_t>(end.ptr - buffer));
  Decimal decimal;
  decimal.point = static_cast<int>(std::min(text.find('.'), text.size()));
  for (const char c : text) {
    if (c != '.') decimal.digits.push_back(c);
  }
  const std::size_t zeros = std::min(decimal.digits.find_first_not_of('0'), decimal.digits.size());
  decimal.digits.erase(0, zeros);
  decimal.point -= static_cast<int>(zeros);
  decimal.digits.erase(decimal.digits.find_last_not_of('0') + 1);
  if (decimal.digits.empty()) decimal.point = 0;
  return decimal;
}

Decimal significant(double magnitude, int digits) {
  char buffer[kExactDigits + 32];
  const auto end =
      digits < 0 ? std::to_chars(buffer, std::end(buffer), magnitude, std::chars_format::scientific)
                 : std::to_chars(buffer, std::end(buffer), magnitude, std::chars_format::scientific,
                                 std::min(digits - 1, kExactDigits));
  return from_scientific({buffer, static_cast<std::size_t>(end.ptr - buffer)});
}

void append_exponent(std::string& out, char mark, int exponent) {
  out.push_back(mark);
  out.push_back(exponent < 0 ? '-' : '+');
  const std::string digits = std::to_string(std::abs(exponent));
  if (digits.size() < 2) out.push_back('0');
  out += digits;
}

void append_e(std::string& out, const Decimal& decimal, int precision, char mark) {
  const int count = static_cast<int>(decimal.digits.size());
  out.push_back(count > 0 ? decimal.digits[0] : '0');
  if (precision > 0) {
    out.push_back('.');
    const int known = std::max(std::min(count, precision + 1), 1);
    if (count > 0) out.append(decimal.digits, 1, static_cast<std::size_t>(known - 1));
    out.append(static_cast<std::size_t>(precision + 1 - known), '0');
  }
  append_exponent(out, mark, count > 0 ? decimal.point - 1 : 0);
}

void append_f(std::string& out, const Decimal& decimal, int precision) {
  const int count = static_cast<int>(decimal.digits.size());
  if (decimal.point > 0) {
    const int known = std::min(count, decimal.point);
    out.append(decimal.digits, 0, static_cast<std::size_t>(known));
    out.append(static_cast<std::size_t>(decimal.point - known), '0');
  } else {
    out.push_back('0');
  }
  if (precision <= 0) return;
  out.push_back('.');
  for (int i = 0; i < precision; ++i) {
    const int at = decimal.point + i;
    out.push_back(at >= 0 && at < count ? decimal.digits[static_cast<std::size_t>(at)] : '0');
  }
}

void append_g(std::string& out, double magnitude, int precision, char mark) {
  const bool shortest = precision < 0;
  if (precision == 0) precision = 1;
  const Decimal decimal = significant(magnitude, precision);
  const int count = static_cast<int>(decimal.digits.size());
  // Exponents from `limit` on are written as such. For the shortest form that is always 6.
  int limit = shortest ? 6 : precision;
  if (!shortest && limit > count && count >= decimal.point) limit = count;
  const int exponent = decimal.point - 1;
  if (exponent < -4 || exponent >= limit) {
    if (shortest || precision > count) precision = count;
    append_e(out, decimal, precision - 1, mark);
    return;
  }
  append_f(out, decimal, std::max(count - decimal.point, 0));
}

struct Parts {
  std::uint64_t mantissa;
  int exponent;  // of the mantissa's lowest bit plus kMantissaBits
};

Parts parts_of(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  Parts parts{bits & ((std::uint64_t{1} << kMantissaBits) - 1),
              static_cast<int>(bits >> kMantissaBits & 0x7FF)};
  if (parts.exponent == 0) {
    ++parts.exponent;  // denormal
  } else {
    parts.mantissa |= std::uint64_t{1} << kMantissaBits;
  }
  parts.exponent -= 1023;
  return parts;
}

// Mantissa and exponent of two: 4503599627370496p-52
void append_b(std::string& out, double value) {
  const Parts parts = parts_of(value);
  const int exponent = parts.exponent - kMantissaBits;
  out += std::to_string(parts.mantissa);
  out.push_back('p');
  if (exponent >= 0) out.push_back('+');
  out += std::to_string(exponent);
}

// Hexadecimal: 0x1.8p+01
void append_x(std::string& out, double value, int precision, char verb) {
  constexpr int kTop = 60;
  constexpr std::uint64_t kOne = std::uint64_t{1} << kTop;
  auto [mantissa, exponent] = parts_of(value);
  if (mantissa == 0) exponent = 0;
  mantissa <<= kTop - kMantissaBits;
  while (mantissa != 0 && (mantissa & kOne) == 0) {
    mantissa <<= 1;
    --exponent;
  }
  if (precision >= 0 && precision < 15) {
    const int shift = precision * 4;
    const std::uint64_t extra = (mantissa << shift) & (kOne - 1);
    mantissa >>= kTop - shift;
    if ((extra | (mantissa & 1)) > kOne / 2) ++mantissa;
    mantissa <<= kTop - shift;
    if ((mantissa & (kOne << 1)) != 0) {
      mantissa >>= 1;
      ++exponent;
    }
  }
  const std::string_view hex = verb == 'x' ? "0123456789abcdef" : "0123456789ABCDEF";
  out.push_back('0');
  out.push_back(verb);
  out.push_back(static_cast<char>('0' + (mantissa >> kTop & 1)));
  mantissa <<= 4;  // drops the leading digit
  if (precision < 0 ? mantissa != 0 : precision > 0) out.push_back('.');
  for (int i = 0; precision < 0 ? mantissa != 0 : i < precision; ++i) {
    out.push_back(hex[mantissa >> kTop & 15]);
    mantissa <<= 4;
  }
  append_exponent(out, verb == 'x' ? 'p' : 'P', exponent);
}

}  // namespace

void append_float(std::string& out, double value, char verb, int precision) {
  if (std::isnan(value)) {
    out += "NaN";
    return;
  }
  if (std::isinf(value)) {
    out += value < 0 ? "-Inf" : "+Inf";
    return;
  }
  if (std::signbit(value)) out.push_back('-');
  const double magnitude = std::fabs(value);
  switch (verb) {
    case 'b':
      append_b(out, magnitude);
      return;
    case 'x':
    case 'X':
      append_x(out, magnitude, precision, verb);
      return;
    case 'e':
    case 'E': {
      const Decimal decimal = significant(magnitude, precision < 0 ? -1 : precision + 1);
      const int shown = precision < 0 ? static_cast<int>(decimal.digits.size()) - 1 : precision;
      append_e(out, decimal, shown, verb);
      return;
    }
    case 'f': {
      const Decimal decimal =
          precision < 0 ? significant(magnitude, -1) : from_fixed(magnitude, precision);
      const int count = static_cast<int>(decimal.digits.size());
      append_f(out, decimal, precision < 0 ? std::max(count - decimal.point, 0) : precision);
      return;
    }
    default:
      append_g(out, magnitude, precision, verb == 'g' ? 'e' : 'E');
  }
}

}  // namespace feeds::key_format
