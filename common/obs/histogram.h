#pragma once

#include <prometheus/client_metric.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace feeds::obs {

// A histogram whose updates are lock-free, which those of prometheus-cpp are not. Thread-safe; a
// scrape beside updates may miss the latest ones.
// Values are integers (nanoseconds, counts); `Unit` of them make 1.0 of what is shown.
template <std::size_t Buckets, std::uint64_t Unit>
class Histogram {
 public:
  using Bounds = std::array<std::uint64_t, Buckets>;
  explicit Histogram(const Bounds& bounds) : bounds_(bounds) {}

  void observe(std::uint64_t value) {
    std::size_t bucket = 0;
    while (bucket < Buckets && value > bounds_[bucket]) ++bucket;
    counts_[bucket].fetch_add(1, std::memory_order_relaxed);
    sum_.fetch_add(value, std::memory_order_relaxed);
  }

  prometheus::ClientMetric::Histogram collect() const {
    prometheus::ClientMetric::Histogram result;
    for (std::size_t i = 0; i <= Buckets; ++i) {
      result.sample_count += counts_[i].load(std::memory_order_relaxed);
      const double bound = i < Buckets ? static_cast<double>(bounds_[i]) / static_cast<double>(Unit)
                                       : std::numeric_limits<double>::infinity();
      result.bucket.push_back({result.sample_count, bound});
    }
    result.sample_sum =
        static_cast<double>(sum_.load(std::memory_order_relaxed)) / static_cast<double>(Unit);
    return result;
  }

 private:
  const Bounds& bounds_;
  std::array<std::atomic<std::uint64_t>, Buckets + 1> counts_{};
  std::atomic<std::uint64_t> sum_ = 0;
};

}  // namespace feeds::obs
