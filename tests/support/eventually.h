#pragma once

#include <chrono>
#include <thread>

namespace feeds::test {

// Whether `condition` becomes true within `time`; looked at every `interval`, and once more at the
// end.
template <class Condition>
bool eventually(Condition&& condition, std::chrono::milliseconds time = std::chrono::seconds(30),
                std::chrono::milliseconds interval = std::chrono::milliseconds(10)) {
  const auto deadline = std::chrono::steady_clock::now() + time;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= deadline) return condition();
    std::this_thread::sleep_for(interval);
  }
  return true;
}

}  // namespace feeds::test
