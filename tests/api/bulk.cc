#include "tests/api/bulk.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "tests/support/raw_client.h"

namespace feeds::test {
namespace {

constexpr std::size_t kConnections = 32;
constexpr std::size_t kBurst = 32;

// Every kConnections-th request, from `first` on. Returns how many got another status.
std::size_t send_some(const std::string& address, std::size_t first, std::size_t count,
                      const std::function<std::string(std::size_t)>& make, int status) {
  RawClient client(address);
  std::size_t wrong = 0;
  for (std::size_t i = first; i < count;) {
    std::string burst;
    std::size_t sent = 0;
    for (; sent < kBurst && i < count; ++sent, i += kConnections) burst += make(i);
    client.send(burst);
    for (std::size_t reply = 0; reply < sent; ++reply) {
      if (client.reply().status != status) ++wrong;
    }
  }
  return wrong;
}

}  // namespace

void send_many(const std::string& address, std::size_t count,
               const std::function<std::string(std::size_t)>& make, int status) {
  std::atomic<std::size_t> wrong = 0;
  std::vector<std::thread> threads;
  for (std::size_t first = 0; first < kConnections; ++first) {
    threads.emplace_back([&, first] { wrong += send_some(address, first, count, make, status); });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_EQ(wrong, 0U);
}

}  // namespace feeds::test
