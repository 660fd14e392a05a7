#pragma once

#include <string_view>

#include "common/key_format/text.h"

// The functions that make one text of another.
namespace feeds::key_format {

void append_html(Text& out, std::string_view text);      // Go's HTMLEscapeString
void append_js(Text& out, std::string_view text);        // Go's JSEscapeString
void append_urlquery(Text& out, std::string_view text);  // Go's url.QueryEscape
void append_lower(Text& out, std::string_view text);     // Unicode 13's simple mapping; bytes that
void append_upper(Text& out, std::string_view text);     // are no UTF-8 become U+FFFD

}  // namespace feeds::key_format
