#include "common/key_format/quote.h"

#include "common/key_format/utf8.h"

namespace feeds::key_format {

namespace {

constexpr std::string_view kHex = "0123456789abcdef";

void append_hex(std::string& out, char32_t value, int digits) {
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
    out.push_back(kHex[value >> shift & 15]);
}

void append_escaped(std::string& out, char32_t rune, char quote, bool ascii) {
  if (rune == static_cast<char32_t>(quote) || rune == '\\') {
    out.push_back('\\');
    out.push_back(static_cast<char>(rune));
    return;
  }
  if (is_printable(rune) && (rune < 0x80 || !ascii)) {
    char bytes[4];
    out.append(bytes, encode_rune(rune, bytes));
    return;
  }
  constexpr std::string_view kValues = "\a\b\f\n\r\t\v";
  constexpr std::string_view kNames = "abfnrtv";
  out.push_back('\\');
  if (rune >= '\a' && rune <= '\r') {
    out.push_back(kNames[kValues.find(static_cast<char>(rune))]);
  } else if (rune < ' ' || rune == 0x7F) {
    out.push_back('x');
    append_hex(out, rune, 2);
  } else if (rune < 0x10000) {
    out.push_back('u');
    append_hex(out, rune, 4);
  } else {
    out.push_back('U');
    append_hex(out, rune, 8);
  }
}

}  // namespace

void append_quoted(std::string& out, std::string_view text, bool ascii) {
  out.push_back('"');
  while (!text.empty()) {
    const Rune rune = decode_rune(text);
    if (rune.width == 1 && rune.value == kRuneError) {
      out += "\\x";
      append_hex(out, static_cast<unsigned char>(text[0]), 2);
    } else {
      append_escaped(out, rune.value, '"', ascii);
    }
    text.remove_prefix(rune.width);
  }
  out.push_back('"');
}

void append_quoted_rune(std::string& out, char32_t rune, bool ascii) {
  out.push_back('\'');
  append_escaped(out, valid_rune(rune) ? rune : kRuneError, '\'', ascii);
  out.push_back('\'');
}

bool can_backquote(std::string_view text) {
  while (!text.empty()) {
    const Rune rune = decode_rune(text);
    text.remove_prefix(rune.width);
    if (rune.width > 1) {
      if (rune.value == 0xFEFF) return false;
      continue;
    }
    const bool control = rune.value < ' ' && rune.value != '\t';
    if (rune.value == kRuneError || control || rune.value == '`' || rune.value == 0x7F)
      return false;
  }
  return true;
}

}  // namespace feeds::key_format
