#include "common/base/ids.h"

#include <sys/random.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <span>

namespace feeds {
namespace {

constexpr std::uint64_t kMaxDecimal = (std::uint64_t{1} << 63) - 1;

std::string hex(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const std::uint8_t byte : bytes) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

}  // namespace

std::string to_string(Position position) {
  std::string out;
  append_decimal(out, position.epoch.value);
  out += '-';
  append_decimal(out, position.sequence.value);
  return out;
}

std::optional<Position> parse_position(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto epoch = parse_decimal(text.substr(0, dash));
  const auto sequence = parse_decimal(text.substr(dash + 1));
  if (!epoch || !sequence || *epoch == 0) return std::nullopt;
  return Position{Epoch{*epoch}, Sequence{*sequence}};
}

std::optional<std::uint64_t> parse_decimal(std::string_view text) {
  if (text.empty() || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  std::uint64_t value = 0;
  // For an unsigned type from_chars takes no sign, so what it accepts is digits only.
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (value > kMaxDecimal) return std::nullopt;
  return value;
}

void append_decimal(std::string& out, std::uint64_t value) {
  std::array<char, 20> digits;
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  out.append(digits.data(), result.ptr);
}

std::string to_hex(const Digest& digest) {
  return hex(digest.bytes);
}

std::string random_id() {
  std::array<std::uint8_t, 16> bytes;
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = ::getrandom(bytes.data() + filled, bytes.size() - filled, 0);
    if (got < 0 && errno != EINTR) std::abort();  // No identity without randomness.
    if (got > 0) filled += static_cast<std::size_t>(got);
  }
  return hex(bytes);
}

}  // namespace feeds
