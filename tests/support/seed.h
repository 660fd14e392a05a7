#pragma once

#include <cstdint>

namespace feeds::test {

// The seed of a random test: FEEDS_TEST_SEED if set, else a fresh one. Printed, so that a failure can be
// run again.
std::uint64_t seed();

}  // namespace feeds::test
