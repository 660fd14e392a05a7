#include "common/key_format/escape.h"

#include "common/key_format/utf8.h"

namespace feeds::key_format {

namespace {

// Appends `text` with every byte that replacement() has something for replaced.
template <class Replacement>
void append_replaced(Text& out, std::string_view text, Replacement replacement) {
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size() && !out.budget().spent(); ++i) {
    const std::string_view instead = replacement(text[i]);
    if (instead.empty()) continue;
    out.append(text.substr(start, i - start));
    out.append(instead);
    start = i + 1;
  }
  out.append(text.substr(start));
}

std::string_view html_of(char c) {
  switch (c) {
    case '\0':
      return "\xEF\xBF\xBD";
    case '"':
      return "&#34;";
    case '\'':
      return "&#39;";
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    default:
      return {};
  }
}

std::string_view js_of(char32_t rune) {
  switch (rune) {
    case '\\':
      return "\\\\";
    case '\'':
      return "\\'";
    case '"':
      return "\\\"";
    case '<':
      return "\\u003C";
    case '>':
      return "\\u003E";
    case '&':
      return "\\u0026";
    case '=':
      return "\\u003D";
    default:
      return {};
  }
}

void append_hex(Text& out, char32_t value, int digits) {
  while (digits < 8 && value >> (4 * digits) != 0) ++digits;
  char hex[8];
  for (int i = 0; i < digits; ++i) {
    hex[i] = "0123456789ABCDEF"[value >> (4 * (digits - 1 - i)) & 15];
  }
  out.append(std::string_view(hex, static_cast<std::size_t>(digits)));
}

void append_mapped(Text& out, std::string_view text, char32_t (*map)(char32_t)) {
  while (!text.empty() && !out.budget().spent()) {
    const Rune rune = decode_rune(text);
    out.append_rune(map(rune.value));
    text.remove_prefix(rune.width);
  }
}

}  // namespace

void append_html(Text& out, std::string_view text) {
  append_replaced(out, text, html_of);
}

void append_js(Text& out, std::string_view text) {
  std::size_t start = 0;
  std::size_t at = 0;
  while (at < text.size() && !out.budget().spent()) {
    const Rune rune = decode_rune(text.substr(at));
    const std::string_view instead = js_of(rune.value);
    // Control characters too; past ASCII, what cannot be printed. DEL stays.
    const bool hidden = rune.value < 0x80 ? rune.value < ' ' : !is_printable(rune.value);
    if (instead.empty() && !hidden) {
      at += rune.width;
      continue;
    }
    out.append(text.substr(start, at - start));
    if (hidden) {
      out.append("\\u");
      append_hex(out, rune.value, 4);
    } else {
      out.append(instead);
    }
    at += rune.width;
    start = at;
  }
  out.append(text.substr(start));
}

void append_urlquery(Text& out, std::string_view text) {
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.' || c == '~';
    if (out.budget().spent()) return;
    if (plain) {
      out.append(c);
    } else if (c == ' ') {
      out.append('+');
    } else {
      out.append('%');
      append_hex(out, static_cast<unsigned char>(c), 2);
    }
  }
}

void append_lower(Text& out, std::string_view text) {
  append_mapped(out, text, to_lower);
}
void append_upper(Text& out, std::string_view text) {
  append_mapped(out, text, to_upper);
}

}  // namespace feeds::key_format
