#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

// UTF-8 as Go reads and writes it: a byte that starts no valid sequence counts as U+FFFD of
// width 1.
namespace feeds::key_format {

inline constexpr char32_t kRuneError = 0xFFFD;
inline constexpr char32_t kMaxRune = 0x10FFFF;

struct Rune {
  char32_t value;
  std::size_t width;  // 0 at the end of the text
};

Rune decode_rune(std::string_view text);

// Writes at most 4 bytes; surrogates and values past kMaxRune become U+FFFD.
std::size_t encode_rune(char32_t rune, char* out);

bool valid_utf8(std::string_view text);

inline bool valid_rune(char32_t rune) {
  return rune < 0xD800 || (rune > 0xDFFF && rune <= kMaxRune);
}

// Runes of the text, invalid bytes one each.
std::size_t rune_count(std::string_view text);

// Unicode 13, as in Go 1.19.
bool is_letter_or_digit(char32_t rune);
bool is_printable(
    char32_t rune);  // Go's IsPrint: letters, marks, numbers, punctuation, symbols, ' '
bool is_white_space(char32_t rune);
char32_t to_lower(char32_t rune);  // simple mappings
char32_t to_upper(char32_t rune);

}  // namespace feeds::key_format
