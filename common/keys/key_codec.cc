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
