#include "tests/support/seed.h"

#include <cstdio>
#include <cstdlib>
#include <random>

namespace feeds::test {

std::uint64_t seed() {
  const char* given = std::getenv("FEEDS_TEST_SEED");
  const std::uint64_t value =
      given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::printf("seed: FEEDS_TEST_SEED=%llu\n", static_cast<unsigned long long>(value));
  return value;
}

}  // namespace feeds::test
