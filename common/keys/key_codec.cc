#include "common/keys/key_codec.h"

#include <boost/endian/conversion.hpp>
#include <cassert>

namespace feeds::keys {

void append_integer(std::string& key, std::uint64_t value) {
  boost::endian::native_to_big_inplace(value);
  key.append(reinterpret_cast<const char*>(&value), kIntegerBytes);
}

std::optional<std::uint64_t> take_integer(std::string_view& rest) {
  if (rest.size() < kIntegerBytes) return std::nullopt;
  const auto value =
      boost::endian::load_big_u64(reinterpret_cast<const unsigned char*>(rest.data()));
  rest.remove_prefix(kIntegerBytes);
  return value;
}

void append_descending(std::string& key, std::uint64_t value) { append_integer(key, ~value); }

std::optional<std::uint64_t> take_descending(std::string_view& rest) {
  const auto value = take_integer(rest);
  return value ? std::optional(~*value) : std::nullopt;
}

void append_text(std::string& key, std::string_view text) {
  for (const char c : text) {
    key += c;
    if (c == '\0') key += '\xff';
  }
  key += '\0';
  key += '\x01';
}

std::optional<std::string> take_text(std::string_view& rest) {
  std::string text;
  while (true) {
    const auto zero = rest.find('\0');
    if (zero == std::string_view::npos || zero + 1 == rest.size()) return std::nullopt;
    text.append(rest.substr(0, zero));
    const char mark = rest[zero + 1];
    rest.remove_prefix(zero + 2);
    if (mark == '\x01') return text;
    if (mark != '\xff') return std::nullopt;
    text += '\0';
  }
}

std::string encode_integer(std::uint64_t value) {
  std::string out;
  append_integer(out, value);
  return out;
}

std::optional<std::uint64_t> decode_integer(std::string_view value) {
  const auto integer = take_integer(value);
  return value.empty() ? integer : std::nullopt;
}

std::string after_prefix(std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty() && static_cast<unsigned char>(end.back()) == 0xff) end.pop_back();
  assert(!end.empty());
  end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
  return end;
}

}  // namespace feeds::keys
