#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Order-preserving parts of keys: bytes compare as the values do.
namespace feeds::keys {

inline constexpr std::size_t kIntegerBytes = 8;

void append_integer(std::string& key, std::uint64_t value);
// Takes 8 bytes off the front of `rest`. nullopt (and `rest` unchanged) if there are fewer.
std::optional<std::uint64_t> take_integer(std::string_view& rest);

// The complement, so that greater values order first.
void append_descending(std::string& key, std::uint64_t value);
std::optional<std::uint64_t> take_descending(std::string_view& rest);

// Any bytes, escaped and ended: texts order as their bytes, and what follows one never mixes with it.
void append_text(std::string& key, std::string_view text);
// nullopt (and `rest` unspecified) if it is no such text.
std::optional<std::string> take_text(std::string_view& rest);

// An integer as a value: the same 8 bytes.
std::string encode_integer(std::uint64_t value);
std::optional<std::uint64_t> decode_integer(std::string_view value);

// The smallest key greater than every key that starts with `prefix`. `prefix` is not all 0xff.
std::string after_prefix(std::string_view prefix);

}  // namespace feeds::keys
