// Writes to a primary at a fixed rate and, for `lag`, watches a replica: how long after a write was
// answered does a read of the replica show it. The same program, threads, pace and poller for
// Redis and for our server; only the bytes on the wire differ.
//
//   drive lag   feeds|redis PRIMARY_PORT REPLICA_PORT RATE SECONDS
//   drive write feeds|redis PORT RATE SECONDS FEEDS
//   drive post  PORT CONNECTIONS                                     loads: see drive_post.cc
//   drive redis-pages PORT CONNECTIONS SECONDS ROWS plain|ahead      see drive_redis_pages.cc
//
// Prints one line of JSON. Exit 1: a reply that was not the expected one, or nothing seen.
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "drive.h"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kWriters = 8;
constexpr auto kPollPause = std::chrono::microseconds(100);
constexpr auto kAfterLastWrite = std::chrono::seconds(1);
constexpr std::uint64_t kFirstFeed = 10000;

double microseconds(Clock::time_point time) {
  return std::chrono::duration<double, std::micro>(time.time_since_epoch()).count();
}

// A blocking connection, one request at a time.
class Connection {
 public:
  explicit Connection(int port) : fd_(dial(port)) {}
  ~Connection() { close(fd_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void send(std::string_view request) {
    in_.clear();
    while (!request.empty()) {
      const ssize_t sent = write(fd_, request.data(), request.size());
      if (sent <= 0) fail("the server closed the connection");
      request.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  // What has come of the reply so far, at least one read more than the last time.
  std::string_view more() {
    char buffer[8192];
    const ssize_t got = read(fd_, buffer, sizeof buffer);
    if (got <= 0) fail("the server closed the connection");
    in_.append(buffer, static_cast<std::size_t>(got));
    return in_;
  }

 private:
  int fd_;
  std::string in_;
};

// What the two servers have in common here. An id grows with every write and is never 0.
class Target {
 public:
  virtual ~Target() = default;
  virtual std::uint64_t publish(int feed) = 0;
  virtual std::uint64_t newest(int feed) = 0;  // 0: nothing yet
};

class Feeds : public Target {
 public:
  explicit Feeds(int port) : connection_(port), text_(128, 'x') {}

  std::uint64_t publish(int feed) override {
    const std::string reply =
        exchange("POST /v1/feeds/" + std::to_string(kFirstFeed + static_cast<std::uint64_t>(feed)) +
                 "/publishArticle HTTP/1.1\r\nHost: l\r\nContent-Type: text/plain\r\n"
                 "Content-Length: 128\r\n\r\n" +
                 text_);
    const auto id = number_after(reply, "\r\n\r\n{\"id\":");
    if (!reply.starts_with("HTTP/1.1 201") || id == 0) fail("not a publication: " + reply);
    return id;
  }

  std::uint64_t newest(int feed) override {
    const std::string reply =
        exchange("GET /v1/feeds/" + std::to_string(kFirstFeed + static_cast<std::uint64_t>(feed)) +
                 "?limit=1 HTTP/1.1\r\nHost: l\r\n\r\n");
    if (!reply.starts_with("HTTP/1.1 200")) fail("not a page: " + reply);
    const auto next = number_after(reply, "\"next\":");
    return next <= kFirstFeed ? 0 : next - 1;
  }

 private:
  std::string exchange(const std::string& request) {
    connection_.send(request);
    for (;;) {
      const std::string_view got = connection_.more();
      const auto end = got.find("\r\n\r\n");
      if (end == std::string_view::npos) continue;
      const auto length = number_after(got.substr(0, end), "Content-Length: ");
      if (got.size() >= end + 4 + length) return std::string(got);
    }
  }

  Connection connection_;
  std::string text_;
};

class Redis : public Target {
 public:
  explicit Redis(int port) : connection_(port), item_(150, 'x') {}

  std::uint64_t publish(int feed) override {
    const std::string reply = exchange({"XADD", key(feed), "*", "d", item_});
    const auto id = first_id(reply);
    if (reply[0] != '$' || id == 0) fail("not an id: " + reply);
    return id;
  }

  std::uint64_t newest(int feed) override {
    const std::string reply = exchange({"XREVRANGE", key(feed), "+", "-", "COUNT", "1"});
    if (reply[0] != '*') fail("not a range: " + reply);
    return first_id(reply);
  }

 private:
  static std::string key(int feed) { return "lag:" + std::to_string(feed); }

  // The text of the first bulk string, `<milliseconds>-<number>`, as one number.
  static std::uint64_t first_id(std::string_view reply) {
    const auto bulk = reply.find('$');
    if (bulk == std::string_view::npos) return 0;
    const std::string text(reply.substr(reply.find('\n', bulk) + 1));
    char* end = nullptr;
    const auto ms = std::strtoull(text.c_str(), &end, 10);
    const auto number = *end == '-' ? std::strtoull(end + 1, nullptr, 10) : 0;
    return (ms << 20) | number;
  }

  std::string exchange(const std::vector<std::string>& words) {
    std::string request = "*" + std::to_string(words.size()) + "\r\n";
    for (const auto& word : words) {
      request += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
    }
    connection_.send(request);
    for (;;) {
      std::string_view got = connection_.more();
      std::string_view rest = got;
      if (skip_value(rest)) return std::string(got);
    }
  }

  // Takes one whole value off `rest`; false if it is not all there.
  static bool skip_value(std::string_view& rest) {
    const auto end = rest.find("\r\n");
    if (end == std::string_view::npos) return false;
    const char kind = rest[0];
    const long count = std::strtol(rest.data() + 1, nullptr, 10);
    rest.remove_prefix(end + 2);
    if (kind == '$' && count >= 0) {
      if (rest.size() < static_cast<std::size_t>(count) + 2) return false;
      rest.remove_prefix(static_cast<std::size_t>(count) + 2);
    } else if (kind == '*') {
      for (long i = 0; i < count; ++i) {
        if (!skip_value(rest)) return false;
      }
    }
    return true;
  }

  Connection connection_;
  std::string item_;
};

std::unique_ptr<Target> connect_to(std::string_view kind, int port) {
  if (kind == "feeds") return std::make_unique<Feeds>(port);
  if (kind == "redis") return std::make_unique<Redis>(port);
  fail("feeds or redis?");
}

struct Written {
  std::uint64_t id;
  double asked;
  double answered;
};

// Writes until `end`, each of kWriters threads in its own slots of one pace.
std::vector<Written> write_at(std::string_view kind, int port, double rate, Clock::time_point end,
                              int feeds) {
  std::vector<std::vector<Written>> written(kWriters);
  std::vector<std::thread> threads;
  const auto start = Clock::now();
  for (int k = 0; k < kWriters; ++k) {
    threads.emplace_back([&, k] {
      prctl(PR_SET_TIMERSLACK, 1000UL);  // 1 us instead of 50
      const auto target = connect_to(kind, port);
      for (long slot = k;; slot += kWriters) {
        const auto at =
            start + std::chrono::duration_cast<Clock::duration>(
                        std::chrono::duration<double>(static_cast<double>(slot) / rate));
        if (at >= end || Clock::now() >= end) return;
        std::this_thread::sleep_until(at);
        const double asked = microseconds(Clock::now());
        const auto id = target->publish(static_cast<int>(slot * 7919 % feeds));
        written[static_cast<std::size_t>(k)].push_back({id, asked, microseconds(Clock::now())});
      }
    });
  }
  for (auto& thread : threads) thread.join();
  std::vector<Written> all;
  for (const auto& some : written) all.insert(all.end(), some.begin(), some.end());
  if (all.empty()) fail("nothing was written");
  return all;
}

void print_commits(const std::vector<Written>& written, double seconds) {
  std::vector<double> took;
  for (const auto& one : written) took.push_back(one.answered - one.asked);
  std::sort(took.begin(), took.end());
  std::printf("\"writes_per_s\":%.0f,\"commit_p50_us\":%.0f,\"commit_p99_us\":%.0f",
              static_cast<double>(written.size()) / seconds, percentile(took, 0.5),
              percentile(took, 0.99));
}

struct Seen {
  double time;
  std::uint64_t id;
};

// What the poller waits for, which is known once the last write is answered.
class End {
 public:
  void set(std::uint64_t last_id, Clock::time_point give_up) {
    std::lock_guard lock(mutex_);
    last_id_ = last_id;
    give_up_ = give_up;
    changed_.notify_all();
  }
  // Waits a poll's pause, or until the end is set. Whether there is something to see still.
  bool pause(std::uint64_t seen) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kPollPause);
    return last_id_ == 0 || (seen < last_id_ && Clock::now() < give_up_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t last_id_ = 0;
  Clock::time_point give_up_{};
};

// Every id that became the newest one, and when the reply that said so was there.
void poll(std::string_view kind, int port, End& end, std::vector<Seen>& seen,
          std::vector<double>& took) {
  prctl(PR_SET_TIMERSLACK, 1000UL);
  const auto target = connect_to(kind, port);
  do {
    const double asked = microseconds(Clock::now());
    const auto id = target->newest(0);
    const double now = microseconds(Clock::now());
    took.push_back(now - asked);
    if (id != 0 && (seen.empty() || id > seen.back().id)) seen.push_back({now, id});
  } while (end.pause(seen.empty() ? 0 : seen.back().id));
}

void measure_lag(std::string_view kind, int primary, int replica, double rate, double seconds) {
  End end;
  std::vector<Seen> seen;
  std::vector<double> polls;
  std::thread poller([&] { poll(kind, replica, end, seen, polls); });
  const auto length =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  const auto written = write_at(kind, primary, rate, Clock::now() + length, 1);
  const auto last = std::max_element(written.begin(), written.end(),
                                     [](const auto& a, const auto& b) { return a.id < b.id; });
  end.set(last->id, Clock::now() + kAfterLastWrite);
  poller.join();

  std::vector<double> lags;
  for (const auto& one : written) {
    const auto first = std::lower_bound(seen.begin(), seen.end(), one.id,
                                        [](const Seen& s, std::uint64_t id) { return s.id < id; });
    if (first == seen.end()) continue;
    lags.push_back(std::max(0.0, first->time - one.answered));
  }
  if (lags.empty()) fail("the replica showed none of the writes");
  std::sort(lags.begin(), lags.end());
  std::sort(polls.begin(), polls.end());
  std::printf("{");
  print_commits(written, seconds);
  std::printf(
      ",\"lag_p50_us\":%.0f,\"lag_p99_us\":%.0f,\"lag_max_us\":%.0f,\"unseen\":%zu,"
      "\"poll_p50_us\":%.0f,\"poll_p99_us\":%.0f}\n",
      percentile(lags, 0.5), percentile(lags, 0.99), lags.back(), written.size() - lags.size(),
      percentile(polls, 0.5), percentile(polls, 0.99));
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  using namespace bench;
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  if (words.size() == 6 && words[0] == "lag") {
    measure_lag(words[1], std::atoi(argv[3]), std::atoi(argv[4]), std::atof(argv[5]),
                std::atof(argv[6]));
    return 0;
  }
  if (words.size() == 6 && words[0] == "write") {
    const double seconds = std::atof(argv[5]);
    const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(seconds));
    const auto written =
        write_at(words[1], std::atoi(argv[3]), std::atof(argv[4]), end, std::atoi(argv[6]));
    std::printf("{");
    print_commits(written, seconds);
    std::printf("}\n");
    return 0;
  }
  if (words.size() == 3 && words[0] == "post") {
    post_lines(std::atoi(argv[2]), std::atoi(argv[3]));
    return 0;
  }
  if (words.size() == 6 && words[0] == "redis-pages") {
    redis_pages(std::atoi(argv[2]), std::atoi(argv[3]), std::atof(argv[4]), std::atoi(argv[5]),
                words[5] == "ahead");
    return 0;
  }
  fail("see the head of drive.cc for how it is called");
}
