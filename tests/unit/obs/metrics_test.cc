#include "common/obs/metrics.h"

namespace feeds::obs {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Metrics, Requests_AreCountedByRouteAndCode) {
  Metrics metrics;
  metrics.http_request("/v1/feeds/{feedId}", 200, 300us);
  metrics.http_request("/v1/feeds/{feedId}", 200, 2ms);
  metrics.http_request("/v1/feeds/{feedId}", 404, 1s);
  metrics.http_request("", 400, 1ms);
  const std::string text = metrics.render();
  EXPECT_THAT(
      text, HasSubstr("feeds_http_requests_total{route=\"/v1/feeds/{feedId}\",code=\"200\"} 2\n"));
  EXPECT_THAT(
      text, HasSubstr("feeds_http_requests_total{route=\"/v1/feeds/{feedId}\",code=\"404\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("feeds_http_requests_total{route=\"unmatched\",code=\"400\"} 1\n"));
  EXPECT_THAT(text,
              HasSubstr("feeds_http_request_seconds_count{route=\"/v1/feeds/{feedId}\"} 3\n"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "feeds_http_request_seconds_bucket{route=\"/v1/feeds/{feedId}\",le=\"0.0005\"} 1\n"));
  EXPECT_THAT(
      text,
      HasSubstr("feeds_http_request_seconds_bucket{route=\"/v1/feeds/{feedId}\",le=\"+Inf\"} 3\n"));
}

TEST(Metrics, Bound_BelongsToItsBucket) {
  Metrics metrics;
  metrics.commit_group(16, 1ms);
  metrics.commit_group(17, 1ms + 1ns);
  const std::string text = metrics.render();
  EXPECT_THAT(text, HasSubstr("feeds_commit_group_commands_bucket{le=\"16\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("feeds_commit_group_commands_bucket{le=\"32\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("feeds_commit_group_commands_sum 33\n"));
  EXPECT_THAT(text, HasSubstr("feeds_commit_seconds_bucket{le=\"0.001\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("feeds_commit_groups_total 2\n"));
}

TEST(Metrics, Counters_StartAtZero) {
  const std::string text = Metrics().render();
  for (const char* reason : {"empty", "wal_purged", "wal_unreadable", "diverged", "requested"}) {
    EXPECT_THAT(text, HasSubstr("feeds_resync_total{reason=\"" + std::string(reason) + "\"} 0\n"));
  }
  EXPECT_THAT(text, HasSubstr("feeds_diverged_total 0\n"));
  EXPECT_THAT(text, HasSubstr("feeds_checksum_errors_total 0\n"));
  EXPECT_THAT(text, HasSubstr("feeds_tail_reopen_total 0\n"));
  EXPECT_THAT(text, HasSubstr("feeds_open_connections 0\n"));
}

TEST(Metrics, Counters_Count) {
  Metrics metrics;
  metrics.resync("wal_purged");
  metrics.resync("wal_purged");
  metrics.diverged();
  metrics.checksum_error();
  metrics.tail_reopen();
  metrics.open_connections(12);
  const std::string text = metrics.render();
  EXPECT_THAT(text, HasSubstr("feeds_resync_total{reason=\"wal_purged\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("feeds_diverged_total 1\n"));
  EXPECT_THAT(text, HasSubstr("feeds_checksum_errors_total 1\n"));
  EXPECT_THAT(text, HasSubstr("feeds_tail_reopen_total 1\n"));
  EXPECT_THAT(text, HasSubstr("feeds_open_connections 12\n"));
}

TEST(Metrics, UnknownGauge_IsAbsent) {
  Metrics metrics;
  std::optional<double> lag;
  metrics.gauge("feeds_lag_seconds", "Lag", [&lag] { return lag; });
  EXPECT_THAT(metrics.render(), Not(HasSubstr("feeds_lag_seconds")));
  lag = 1.5;
  EXPECT_THAT(metrics.render(),
              HasSubstr("# TYPE feeds_lag_seconds gauge\nfeeds_lag_seconds 1.5\n"));
}

TEST(Metrics, PeerGauge_HasASeriesAPeer) {
  Metrics metrics;
  metrics.peer_gauge("feeds_peer_lag_seconds", "Lag", [] {
    return std::vector<std::pair<std::string, double>>{{"a", 0.25}, {"b", 2}};
  });
  const std::string text = metrics.render();
  EXPECT_THAT(text, HasSubstr("feeds_peer_lag_seconds{peer=\"a\"} 0.25\n"));
  EXPECT_THAT(text, HasSubstr("feeds_peer_lag_seconds{peer=\"b\"} 2\n"));
}

TEST(Metrics, Routes_AreBounded) {
  Metrics metrics;
  for (int i = 0; i < 1000; ++i) metrics.http_request("/r" + std::to_string(i), 200, 1ms);
  const std::string text = metrics.render();
  EXPECT_THAT(text, HasSubstr("{route=\"/r0\",code=\"200\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("{route=\"other\",code=\"200\"} 800\n"));
}

TEST(Metrics, Updates_OfManyThreadsAddUp) {
  Metrics metrics;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&metrics] {
      for (int i = 0; i < 10'000; ++i) {
        metrics.http_request("/r" + std::to_string(i % 50), 200, 1us);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::string text = metrics.render();
  for (int i = 0; i < 50; ++i) {
    EXPECT_THAT(text, HasSubstr("{route=\"/r" + std::to_string(i) + "\",code=\"200\"} 800\n"));
  }
}

}  // namespace
}  // namespace feeds::obs
