#pragma once

#include <optional>
#include <string>
#include <string_view>

// Small pure functions over the text of requests and replies.
namespace feeds::http {

// Well-formed UTF-8 by RFC 3629: no overlong forms, no surrogates, nothing past U+10FFFF.
bool is_utf8(std::string_view text);

// ASCII letters compared without case.
bool equals_ignoring_case(std::string_view a, std::string_view b);

// Without blanks and tabs at both ends.
std::string_view trim(std::string_view text);

// Decodes %XX once (and '+' as a blank if told so). nullopt for a malformed escape.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_blank);

// Appends `text` as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);

// A Content-Type taken apart: `essence` is type/subtype. Views into the text given.
struct MediaType {
  std::string_view essence;
  std::string_view charset;  // without quotes; empty if absent
};
MediaType parse_media_type(std::string_view text);

}  // namespace feeds::http
