#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.h"

// The texts of settings: the same in the file and on the command line. Pure functions.
// An Error's detail says what is wrong with the text, without naming the setting.
namespace feeds::config {

// `500ms`, `10s`, `2m`, `1h`: digits and a unit, nothing between. A bare number is refused: it
// would leave the unit to be guessed.
Result<std::chrono::milliseconds> parse_duration(std::string_view text);
// In the largest unit that loses nothing.
std::string duration_text(std::chrono::milliseconds value);

// `1GiB`, `64MiB`, `4KiB`, `2TiB`, or bytes without a unit.
Result<std::uint64_t> parse_size(std::string_view text);
std::string size_text(std::uint64_t bytes);

struct Address {
  std::string host;  // an IPv6 address without its brackets
  std::uint16_t port = 0;
};

// HOST:PORT with a name, an IPv4 address, or an IPv6 address in brackets.
Result<Address> parse_address(std::string_view text);

// Every address of the machine (0.0.0.0, ::, and what resolvers take for them): good for listening,
// meaningless to others.
bool is_wildcard(std::string_view host);

// `*`, or scheme://host[:port] as browsers send it in `Origin`.
Status check_origin(std::string_view text);

}  // namespace feeds::config
