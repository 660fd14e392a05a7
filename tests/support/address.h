#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <unistd.h>

#include <string>

namespace feeds::test {

// An address of loopback that no other process has while this one runs: a port that a node of the
// test lets go of is still free when it starts again, whatever other tests run beside.
inline std::string own_loopback() {
  const auto pid = static_cast<unsigned>(::getpid());  // of at most 22 bits
  return "127." + std::to_string(64 + (pid >> 16)) + "." + std::to_string(pid >> 8 & 255) + "." +
         std::to_string(pid & 255);
}

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
