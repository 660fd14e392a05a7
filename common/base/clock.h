#pragma once

#include <chrono>
#include <cstdint>

namespace feeds {

// The world's time, behind an interface so that a simulation can own it. Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  // Nanoseconds since 1970, UTC. May step back; only ever stored, never subtracted.
  virtual std::int64_t wall_ns() const = 0;
  // Monotonic. All timers, ages and lags are of this one.
  virtual std::chrono::steady_clock::time_point now() const = 0;
};

// The machine's clock. Lives as long as the process.
const Clock& system_clock();

}  // namespace feeds
