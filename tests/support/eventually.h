#pragma once

#include <chrono>
#include <thread>

namespace feeds::test {

// How long something is waited for that comes at once on an idle machine: other tests and builds
// may run beside, and disks that they share take their time.
constexpr std::chrono::seconds kPatience{120};

// Whether `condition` becomes true within `time`; looked at every `interval`, and once more at the
// end.
template <class Condition>
bool eventually(Condition&& condition, std::chrono::milliseconds time = kPatience,
                std::chrono::milliseconds interval = std::chrono::milliseconds(10)) {
  const auto deadline = std::chrono::steady_clock::now() + time;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= deadline) return condition();
    std::this_thread::sleep_for(interval);
  }
  return true;
}

}  // namespace feeds::test
