#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/cluster.h"

namespace feeds::test {

// Writers that publish articles side by side, and remember what they were answered.
class Load {
 public:
  // Each article's text is its own, padded to `text_bytes`.
  Load(std::string address, std::vector<std::uint64_t> feeds, std::size_t writers,
       std::size_t text_bytes = 0);
  ~Load() { stop(); }

  // Publishes until stop(), or until each writer was answered `each` times; a failure is met by a
  // new try with another text. May be started again.
  void start(std::uint64_t each = 0);
  void stop();
  // Waits for the writers of start(each).
  void join();

  std::uint64_t answered() const { return answered_; }
  // Waits until so many more were answered.
  [[nodiscard]] bool wait_for(std::uint64_t more, std::chrono::milliseconds time = kPatience);
  // By code or status, other than 201; no reply is "0".
  std::map<std::string, std::uint64_t> refusals() const;
  // The position of the newest answer seen.
  std::string position() const;

  // Expects that a node has every article answered, under its id, with its text; no id twice, none
  // missing; and no text that nobody sent, or twice. Not while writers run.
  void expect_all_on(TestNode& node) const;

 private:
  void write(std::size_t writer, std::uint64_t each);

  std::string address_;
  std::vector<std::uint64_t> feeds_;
  std::size_t writers_;
  std::size_t text_bytes_;
  std::vector<std::thread> threads_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint64_t> answered_{0};
  std::atomic<std::uint64_t> serial_{0};

  mutable std::mutex mutex_;  // of what follows
  std::map<std::uint64_t, std::map<std::uint64_t, std::string>>
      acknowledged_;  // feed -> id -> text
  std::map<std::uint64_t, std::set<std::string>> sent_;
  std::map<std::string, std::uint64_t> refusals_;
  std::string position_;
};

// `bytes` of text that does not compress to much less.
std::string noise(std::size_t bytes, std::uint64_t seed);

// Expects that feedctl verify says equal, and that each replica took `snapshots` in all.
void expect_equal(TestCluster& cluster, double snapshots = 1);

// Sends `count` requests to `target`, many at a time, and expects all to be answered 201, with
// about `reply_bytes`. `body`: of a serial number, called from several threads.
void post_many(const std::string& address, const std::string& target, std::uint64_t count,
               std::size_t reply_bytes, const std::function<std::string(std::uint64_t)>& body);

// Publishes `count` articles of `text_bytes` into `feed`, many at a time, and expects all to be
// taken.
void publish_many(const std::string& address, std::uint64_t feed, std::uint64_t count,
                  std::size_t text_bytes);

}  // namespace feeds::test
