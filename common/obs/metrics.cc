#include "common/obs/metrics.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <array>
#include <functional>
#include <map>
#include <mutex>

#include "common/obs/histogram.h"

namespace feeds::obs {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

constexpr std::uint64_t kMicrosecond = 1000;
constexpr std::uint64_t kMillisecond = 1000 * kMicrosecond;
constexpr std::uint64_t kSecond = 1000 * kMillisecond;
constexpr std::array<std::uint64_t, 16> kTimeBounds = {100 * kMicrosecond,
                                                       250 * kMicrosecond,
                                                       500 * kMicrosecond,
                                                       kMillisecond,
                                                       2500 * kMicrosecond,
                                                       5 * kMillisecond,
                                                       10 * kMillisecond,
                                                       25 * kMillisecond,
                                                       50 * kMillisecond,
                                                       100 * kMillisecond,
                                                       250 * kMillisecond,
                                                       500 * kMillisecond,
                                                       kSecond,
                                                       2500 * kMillisecond,
                                                       5 * kSecond,
                                                       10 * kSecond};
constexpr std::array<std::uint64_t, 11> kCountBounds = {1,  2,   4,   8,   16,  32,
                                                        64, 128, 256, 512, 1024};
using TimeHistogram = Histogram<kTimeBounds.size(), kSecond>;
using CountHistogram = Histogram<kCountBounds.size(), 1>;

constexpr int kFirstStatus = 100;
constexpr int kStatuses = 500;

std::uint64_t nanoseconds(std::chrono::nanoseconds took) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, took.count()));
}

ClientMetric::Label label(std::string name, std::string value) {
  ClientMetric::Label result;
  result.name = std::move(name);
  result.value = std::move(value);
  return result;
}

MetricFamily family(std::string name, std::string help, MetricType type) {
  MetricFamily result;
  result.name = std::move(name);
  result.help = std::move(help);
  result.type = type;
  return result;
}

MetricFamily counter(std::string name, std::string help, const std::atomic<std::uint64_t>& value) {
  MetricFamily result = family(std::move(name), std::move(help), MetricType::Counter);
  result.metric.emplace_back().counter.value = static_cast<double>(value.load());
  return result;
}

template <class H>
MetricFamily histogram(std::string name, std::string help, const H& value) {
  MetricFamily result = family(std::move(name), std::move(help), MetricType::Histogram);
  result.metric.emplace_back().histogram = value.collect();
  return result;
}

// What is counted of one route.
struct RouteSeries {
  explicit RouteSeries(std::string_view name) : route(name) {}
  const std::string route;
  std::array<std::atomic<std::uint64_t>, kStatuses> by_status{};
  TimeHistogram seconds{kTimeBounds};
};

// Routes by name. Finding one takes no lock: slots are filled once and never change.
class RouteTable {
 public:
  RouteSeries& find(std::string_view route) {
    const std::size_t start = std::hash<std::string_view>{}(route) % kSlots;
    for (std::size_t i = start;; i = (i + 1) % kSlots) {
      RouteSeries* const series = slots_[i].load(std::memory_order_acquire);
      if (series == nullptr) return add(route);
      if (series->route == route) return *series;
    }
  }

  // In order of first use.
  template <class F>
  void for_each(F&& f) const {
    std::lock_guard lock(mutex_);
    for (const auto& series : owned_) f(*series);
  }

 private:
  // More than the routes it takes, so that a search always meets an empty slot.
  static constexpr std::size_t kSlots = 512;
  static_assert(Metrics::kMaxRoutes + 1 < kSlots);

  RouteSeries& add(std::string_view route) {
    std::lock_guard lock(mutex_);
    if (owned_.size() >= Metrics::kMaxRoutes) route = "other";
    std::size_t i = std::hash<std::string_view>{}(route) % kSlots;
    for (;; i = (i + 1) % kSlots) {
      RouteSeries* const series = slots_[i].load(std::memory_order_relaxed);
      if (series == nullptr) break;
      if (series->route == route) return *series;
    }
    owned_.push_back(std::make_unique<RouteSeries>(route));
    slots_[i].store(owned_.back().get(), std::memory_order_release);
    return *owned_.back();
  }

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<RouteSeries>> owned_;
  std::array<std::atomic<RouteSeries*>, kSlots> slots_{};
};

struct GaugeFamily {
  std::string name;
  std::string help;
  std::function<std::vector<ClientMetric>()> read;
};

ClientMetric gauge_value(double value) {
  ClientMetric result;
  result.gauge.value = value;
  return result;
}

}  // namespace

struct Metrics::Impl {
  RouteTable routes;
  std::atomic<std::size_t> open_connections = 0;
  std::atomic<std::uint64_t> commit_groups = 0;
  CountHistogram commit_group_commands{kCountBounds};
  TimeHistogram commit_seconds{kTimeBounds};
  std::atomic<std::uint64_t> diverged = 0;
  std::atomic<std::uint64_t> checksum_errors = 0;
  std::atomic<std::uint64_t> tail_reopens = 0;

  mutable std::mutex mutex;  // of the members below
  std::map<std::string, std::uint64_t, std::less<>> resyncs = {
      {"empty", 0}, {"wal_purged", 0}, {"wal_unreadable", 0}, {"diverged", 0}, {"requested", 0}};
  std::vector<GaugeFamily> gauges;

  std::vector<MetricFamily> collect() const;
  void collect_http(std::vector<MetricFamily>& out) const;
  void collect_guarded(std::vector<MetricFamily>& out) const;
};

void Metrics::Impl::collect_http(std::vector<MetricFamily>& out) const {
  MetricFamily requests =
      family("feeds_http_requests_total", "Replies by route and status", MetricType::Counter);
  MetricFamily seconds = family("feeds_http_request_seconds",
                                "Time from a whole request to its reply", MetricType::Histogram);
  routes.for_each([&](const RouteSeries& series) {
    for (int i = 0; i < kStatuses; ++i) {
      const std::uint64_t count = series.by_status[static_cast<std::size_t>(i)].load();
      if (count == 0) continue;
      ClientMetric& metric = requests.metric.emplace_back();
      metric.label = {label("route", series.route),
                      label("code", std::to_string(kFirstStatus + i))};
      metric.counter.value = static_cast<double>(count);
    }
    ClientMetric& metric = seconds.metric.emplace_back();
    metric.label = {label("route", series.route)};
    metric.histogram = series.seconds.collect();
  });
  out.push_back(std::move(requests));
  out.push_back(std::move(seconds));
}

void Metrics::Impl::collect_guarded(std::vector<MetricFamily>& out) const {
  std::lock_guard lock(mutex);
  MetricFamily resync = family("feeds_resync_total", "Snapshots begun by the replica, by reason",
                               MetricType::Counter);
  for (const auto& [reason, count] : resyncs) {
    ClientMetric& metric = resync.metric.emplace_back();
    metric.label = {label("reason", reason)};
    metric.counter.value = static_cast<double>(count);
  }
  out.push_back(std::move(resync));
  for (const GaugeFamily& gauge : gauges) {
    MetricFamily result = family(gauge.name, gauge.help, MetricType::Gauge);
    result.metric = gauge.read();
    if (!result.metric.empty()) out.push_back(std::move(result));
  }
}

std::vector<MetricFamily> Metrics::Impl::collect() const {
  std::vector<MetricFamily> out;
  collect_http(out);
  MetricFamily open =
      family("feeds_open_connections", "HTTP connections open now", MetricType::Gauge);
  open.metric.push_back(gauge_value(static_cast<double>(open_connections.load())));
  out.push_back(std::move(open));
  out.push_back(
      counter("feeds_commit_groups_total", "Groups of commands committed", commit_groups));
  out.push_back(
      histogram("feeds_commit_group_commands", "Commands in a group", commit_group_commands));
  out.push_back(histogram("feeds_commit_seconds", "Time to commit a group", commit_seconds));
  out.push_back(
      counter("feeds_diverged_total", "Digests that differed under a right checksum", diverged));
  out.push_back(counter("feeds_checksum_errors_total", "Replication messages with a wrong checksum",
                        checksum_errors));
  out.push_back(counter("feeds_tail_reopen_total",
                        "Times that the log was opened again after a wrong start", tail_reopens));
  collect_guarded(out);
  return out;
}

Metrics::Metrics() : impl_(std::make_unique<Impl>()) {}
Metrics::~Metrics() = default;

void Metrics::http_request(std::string_view route, int code, std::chrono::nanoseconds took) {
  RouteSeries& series = impl_->routes.find(route.empty() ? "unmatched" : route);
  const int index = std::clamp(code - kFirstStatus, 0, kStatuses - 1);
  series.by_status[static_cast<std::size_t>(index)].fetch_add(1, std::memory_order_relaxed);
  series.seconds.observe(nanoseconds(took));
}

void Metrics::open_connections(std::size_t count) {
  impl_->open_connections = count;
}

void Metrics::commit_group(std::size_t commands, std::chrono::nanoseconds took) {
  impl_->commit_groups.fetch_add(1, std::memory_order_relaxed);
  impl_->commit_group_commands.observe(commands);
  impl_->commit_seconds.observe(nanoseconds(took));
}

void Metrics::resync(std::string_view reason) {
  std::lock_guard lock(impl_->mutex);
  const auto found = impl_->resyncs.find(reason);
  if (found != impl_->resyncs.end()) {
    ++found->second;
  } else {
    impl_->resyncs.emplace(reason, 1);
  }
}

void Metrics::diverged() {
  ++impl_->diverged;
}
void Metrics::checksum_error() {
  ++impl_->checksum_errors;
}
void Metrics::tail_reopen() {
  ++impl_->tail_reopens;
}

void Metrics::gauge(std::string name, std::string help,
                    std::function<std::optional<double>()> read) {
  std::lock_guard lock(impl_->mutex);
  impl_->gauges.push_back(
      {std::move(name), std::move(help), [read = std::move(read)]() -> std::vector<ClientMetric> {
         const std::optional<double> value = read();
         if (!value) return {};
         return {gauge_value(*value)};
       }});
}

void Metrics::peer_gauge(std::string name, std::string help,
                         std::function<std::vector<std::pair<std::string, double>>()> read) {
  std::lock_guard lock(impl_->mutex);
  impl_->gauges.push_back({std::move(name), std::move(help), [read = std::move(read)] {
                             std::vector<ClientMetric> result;
                             for (auto& [peer, value] : read()) {
                               result.push_back(gauge_value(value));
                               result.back().label = {label("peer", std::move(peer))};
                             }
                             return result;
                           }});
}

std::string Metrics::render() const {
  return prometheus::TextSerializer().Serialize(impl_->collect());
}

}  // namespace feeds::obs
