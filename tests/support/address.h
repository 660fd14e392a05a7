#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>

#include <string>

namespace feeds::test {

// Of HOST:PORT, numeric.
inline sockaddr_in numeric_address(const std::string& address) {
  const auto colon = address.rfind(':');
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1))));
  ::inet_pton(AF_INET, address.substr(0, colon).c_str(), &result.sin_addr);
  return result;
}

}  // namespace feeds::test
