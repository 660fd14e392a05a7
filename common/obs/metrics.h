#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace feeds::obs {

// All metrics of a node, by the names of the operator's documentation (README.md, "Metrics").
// Thread-safe; updates are lock-free except the first of a new label set.
// Values that others own (positions, lag, queue lengths) are read at scrape time through callbacks,
// which are called on the thread that renders, one at a time, and must not call back in here.
// Names are given whole, `feeds_` included.
class Metrics {
 public:
  static constexpr std::size_t kMaxRoutes = 200;

  Metrics();
  ~Metrics();

  // `route` is a pattern, not a path: at most kMaxRoutes are told apart, the rest are `other`.
  // Empty (no route was found): `unmatched`.
  void http_request(std::string_view route, int code, std::chrono::nanoseconds took);
  void open_connections(std::size_t count);
  void commit_group(std::size_t commands, std::chrono::nanoseconds took);
  void resync(std::string_view reason);
  void diverged();
  void checksum_error();
  void tail_reopen();

  // A gauge read at scrape; nullopt leaves the series out (unknown is absent, never 0).
  void gauge(std::string name, std::string help, std::function<std::optional<double>()> read);
  // A family with one series a peer: read() returns {value of the label `peer`, value} pairs.
  void peer_gauge(std::string name, std::string help,
                  std::function<std::vector<std::pair<std::string, double>>()> read);

  // Prometheus text exposition format.
  std::string render() const;

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace feeds::obs
