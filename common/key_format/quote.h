#pragma once

#include <string>
#include <string_view>

// Go's strconv.Quote and its kin.
namespace feeds::key_format {

// "text" with Go's escapes; bytes that are no UTF-8 as \xNN; with `ascii` nothing past ASCII is
// left.
void append_quoted(std::string& out, std::string_view text, bool ascii);

// 'c' likewise; an invalid rune is U+FFFD.
void append_quoted_rune(std::string& out, char32_t rune, bool ascii);

// Whether `text` could stand between back quotes, on one line, unchanged.
bool can_backquote(std::string_view text);

}  // namespace feeds::key_format
