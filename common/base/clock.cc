#include "common/base/clock.h"

namespace feeds {
namespace {

class SystemClock final : public Clock {
 public:
  std::int64_t wall_ns() const override {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  }
  std::chrono::steady_clock::time_point now() const override {
    return std::chrono::steady_clock::now();
  }
};

constinit const SystemClock kSystemClock;

}  // namespace

const Clock& system_clock() {
  return kSystemClock;
}

}  // namespace feeds
