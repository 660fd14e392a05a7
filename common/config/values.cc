#include "common/config/values.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <boost/asio/ip/address.hpp>
#include <limits>
#include <span>

#include "common/base/ids.h"

namespace feeds::config {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

// Largest first: the printers take the first one that divides.
constexpr std::array<Unit, 4> kTimeUnits{
    {{"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}}};
constexpr std::array<Unit, 4> kSizeUnits{{{"TiB", std::uint64_t{1} << 40},
                                          {"GiB", std::uint64_t{1} << 30},
                                          {"MiB", std::uint64_t{1} << 20},
                                          {"KiB", std::uint64_t{1} << 10}}};

Error bad(std::string detail) {
  return Error{Code::kBadParameter, std::move(detail)};
}

std::string quoted(std::string_view text) {
  return fmt::format("\"{}\"", text);
}

// Digits and one of `units`. nullopt: not of that form, or past 2^63-1.
std::optional<std::uint64_t> parse_with_unit(std::string_view text, std::span<const Unit> units) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = parse_decimal(text.substr(0, digits));
  if (!number) return std::nullopt;
  for (const Unit& unit : units) {
    if (unit.name != text.substr(digits)) continue;
    const auto max = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (*number > max / unit.factor) return std::nullopt;
    return *number * unit.factor;
  }
  return std::nullopt;
}

std::string print_with_unit(std::uint64_t value, std::span<const Unit> units,
                            std::string_view base) {
  for (const Unit& unit : units) {
    if (value != 0 && value % unit.factor == 0) {
      return fmt::format("{}{}", value / unit.factor, unit.name);
    }
  }
  return fmt::format("{}{}", value, base);
}

bool is_host_name(std::string_view host) {
  return !host.empty() && host.size() <= 253 && std::all_of(host.begin(), host.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
  });
}

bool is_ipv6(std::string_view host) {
  boost::system::error_code error;
  boost::asio::ip::make_address_v6(std::string(host), error);
  return !error;
}

}  // namespace

Result<std::chrono::milliseconds> parse_duration(std::string_view text) {
  const auto ms = parse_with_unit(text, kTimeUnits);
  if (!ms) return bad(quoted(text) + " is no duration, such as 500ms, 10s or 2m");
  return std::chrono::milliseconds(static_cast<std::int64_t>(*ms));
}

std::string duration_text(std::chrono::milliseconds value) {
  return print_with_unit(static_cast<std::uint64_t>(value.count()), kTimeUnits, "ms");
}

Result<std::uint64_t> parse_size(std::string_view text) {
  if (const auto bytes = parse_decimal(text)) return *bytes;
  const auto bytes = parse_with_unit(text, kSizeUnits);
  if (!bytes) return bad(quoted(text) + " is no size, such as 1GiB, 64MiB or a number of bytes");
  return *bytes;
}

std::string size_text(std::uint64_t bytes) {
  return print_with_unit(bytes, kSizeUnits, "");
}

Result<Address> parse_address(std::string_view text) {
  const std::string hint =
      quoted(text) + " is no address: HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080";
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return bad(hint);
  std::string_view host = text.substr(0, colon);
  const auto port = parse_decimal(text.substr(colon + 1));
  if (!port || *port > 65535) return bad(hint + "; the port is 0 to 65535");
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
    if (!is_ipv6(host)) return bad(hint);
  } else if (host.find(':') != std::string_view::npos) {
    return bad(hint + "; an IPv6 address stands in brackets");
  } else if (!is_host_name(host)) {
    return bad(hint);
  }
  return Address{std::string(host), static_cast<std::uint16_t>(*port)};
}

bool is_wildcard(std::string_view host) {
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(std::string(host), error);
  if (!error) {
    return address.is_unspecified() ||
           (address.is_v6() && address.to_v6().is_v4_mapped() &&
            boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, address.to_v6())
                .is_unspecified());
  }
  // Resolvers also take the old short forms: "0" and "0.0" are 0.0.0.0.
  in_addr old_form{};
  return ::inet_aton(std::string(host).c_str(), &old_form) != 0 && old_form.s_addr == 0;
}

Status check_origin(std::string_view text) {
  const Error wrong =
      bad(quoted(text) + " is no origin: *, or scheme://host[:port] such as https://example.org");
  if (text == "*") return done();
  const std::size_t scheme = text.find("://");
  if (scheme == std::string_view::npos || scheme == 0) return wrong;
  const std::string_view rest = text.substr(scheme + 3);
  if (rest.empty()) return wrong;
  // What follows goes into a header as it is: no path, no white space, no control characters.
  for (const char c : text) {
    if (c <= ' ' || c >= 0x7f || c == '"' || c == ',' || c == '\\') return wrong;
  }
  if (rest.find_first_of("/?#@") != std::string_view::npos) return wrong;
  return done();
}

}  // namespace feeds::config
