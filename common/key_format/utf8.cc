#include "common/key_format/utf8.h"

#include <algorithm>
#include <iterator>

namespace feeds::key_format {

namespace {

struct RuneRange {
  char32_t first;
  char32_t last;
};

struct CaseRun {
  char32_t first;
  char32_t last;
  std::uint32_t stride;
  std::int32_t delta;
};

#include "common/key_format/unicode_tables.inc"

// The first row that ends at or after `rune`, or the end.
template <class Row, std::size_t size>
const Row* row_of(const Row (&table)[size], char32_t rune) {
  return std::lower_bound(std::begin(table), std::end(table), rune,
                          [](const Row& row, char32_t value) { return row.last < value; });
}

template <std::size_t size>
bool contains(const RuneRange (&table)[size], char32_t rune) {
  const RuneRange* row = row_of(table, rune);
  return row != std::end(table) && row->first <= rune;
}

template <std::size_t size>
char32_t map_case(const CaseRun (&table)[size], char32_t rune) {
  const CaseRun* row = row_of(table, rune);
  if (row == std::end(table) || row->first > rune || (rune - row->first) % row->stride != 0) {
    return rune;
  }
  return rune + row->delta;
}

bool is_continuation(unsigned char byte) {
  return (byte & 0xC0) == 0x80;
}

}  // namespace

Rune decode_rune(std::string_view text) {
  if (text.empty()) return {kRuneError, 0};
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  const unsigned char lead = bytes[0];
  if (lead < 0x80) return {lead, 1};
  const Rune invalid{kRuneError, 1};
  if (lead < 0xC2 || lead > 0xF4) return invalid;
  const std::size_t width = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (text.size() < width) return invalid;
  char32_t value = lead & (0x7F >> width);
  for (std::size_t i = 1; i < width; ++i) {
    if (!is_continuation(bytes[i])) return invalid;
    value = value << 6 | (bytes[i] & 0x3F);
  }
  const bool overlong = (width == 3 && value < 0x800) || (width == 4 && value < 0x10000);
  if (overlong || !valid_rune(value)) return invalid;
  return {value, width};
}

std::size_t encode_rune(char32_t rune, char* out) {
  if (!valid_rune(rune)) rune = kRuneError;
  if (rune < 0x80) {
    out[0] = static_cast<char>(rune);
    return 1;
  }
  if (rune < 0x800) {
    out[0] = static_cast<char>(0xC0 | rune >> 6);
    out[1] = static_cast<char>(0x80 | (rune & 0x3F));
    return 2;
  }
  if (rune < 0x10000) {
    out[0] = static_cast<char>(0xE0 | rune >> 12);
    out[1] = static_cast<char>(0x80 | (rune >> 6 & 0x3F));
    out[2] = static_cast<char>(0x80 | (rune & 0x3F));
    return 3;
  }
  out[0] = static_cast<char>(0xF0 | rune >> 18);
  out[1] = static_cast<char>(0x80 | (rune >> 12 & 0x3F));
  out[2] = static_cast<char>(0x80 | (rune >> 6 & 0x3F));
  out[3] = static_cast<char>(0x80 | (rune & 0x3F));
  return 4;
}

bool valid_utf8(std::string_view text) {
  while (!text.empty()) {
    if (static_cast<unsigned char>(text[0]) < 0x80) {
      text.remove_prefix(1);
      continue;
    }
    const Rune rune = decode_rune(text);
    if (rune.width == 1) return false;
    text.remove_prefix(rune.width);
  }
  return true;
}

std::size_t rune_count(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(decode_rune(text).width);
  return count;
}

bool is_letter_or_digit(char32_t rune) {
  if (rune < 0x80) {
    return (rune >= 'a' && rune <= 'z') || (rune >= 'A' && rune <= 'Z') ||
           (rune >= '0' && rune <= '9');
  }
  return contains(kLettersAndDigits, rune);
}

bool is_printable(char32_t rune) {
  if (rune < 0x80) return rune >= ' ' && rune < 0x7F;
  return contains(kPrintable, rune);
}

bool is_white_space(char32_t rune) {
  if (rune < 0x80) return rune == ' ' || (rune >= '\t' && rune <= '\r');
  return rune == 0x85 || rune == 0xA0 || rune == 0x1680 || (rune >= 0x2000 && rune <= 0x200A) ||
         rune == 0x2028 || rune == 0x2029 || rune == 0x202F || rune == 0x205F || rune == 0x3000;
}

char32_t to_lower(char32_t rune) {
  if (rune < 0x80) return rune >= 'A' && rune <= 'Z' ? rune + 32 : rune;
  return map_case(kLower, rune);
}

char32_t to_upper(char32_t rune) {
  if (rune < 0x80) return rune >= 'a' && rune <= 'z' ? rune - 32 : rune;
  return map_case(kUpper, rune);
}

}  // namespace feeds::key_format
