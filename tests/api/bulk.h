#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace feeds::test {

// Sends the requests `make(0)` ... `make(count - 1)` to `address`, pipelined over a few connections
// side by side, and expects `status` of each. In no order between the connections.
void send_many(const std::string& address, std::size_t count,
               const std::function<std::string(std::size_t)>& make, int status);

}  // namespace feeds::test
