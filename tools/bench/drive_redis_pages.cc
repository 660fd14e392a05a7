// Pages of Redis that take two steps: the ids of a sorted set, then MGET of `activity:<id>`. The
// lines of the input are the commands of the first step; one is taken at random each time.
//
// `plain`: a page is two round trips, as a client that wants one page makes them. `ahead`: the MGET
// of one page and the first step of the next travel together, so that a page costs Redis one round
// trip, as it does a server that joins by itself.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <random>

#include "drive.h"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Tally {
  std::vector<double> took;  // us a page, from its first step to its last byte
  Clock::time_point end;
  std::size_t rows;
  bool ahead;
};

// Takes `*N` and N bulk strings off `rest`. False: not all there.
bool take_bulks(std::string_view& rest, std::vector<std::string_view>& bulks) {
  bulks.clear();
  auto number = [&rest](char kind, long& value) {
    const auto end = rest.find("\r\n");
    if (end == std::string_view::npos) return false;
    if (rest[0] != kind) fail("not a reply of " + std::string(1, kind) + ": " + std::string(rest));
    value = std::strtol(rest.data() + 1, nullptr, 10);
    rest.remove_prefix(end + 2);
    return true;
  };
  long count = 0;
  if (!number('*', count)) return false;
  for (long i = 0; i < count; ++i) {
    long bytes = 0;
    if (!number('$', bytes)) return false;
    if (bytes < 0) fail("an id without its value");
    if (rest.size() < static_cast<std::size_t>(bytes) + 2) return false;
    bulks.push_back(rest.substr(0, static_cast<std::size_t>(bytes)));
    rest.remove_prefix(static_cast<std::size_t>(bytes) + 2);
  }
  return true;
}

void append_bulk(std::string& out, std::string_view prefix, std::string_view text) {
  out.append("$").append(std::to_string(prefix.size() + text.size())).append("\r\n");
  out.append(prefix).append(text).append("\r\n");
}

class Reader : public Talker {
 public:
  Reader(const std::vector<std::string>& first_steps, Tally& tally, unsigned seed)
      : first_steps_(first_steps), tally_(tally), random_(seed) {}

  bool ask(std::string& request) override {
    const auto now = Clock::now();
    if (now >= tally_.end) return false;
    asks_values_ = !ids_command_.empty();
    asks_ids_ = tally_.ahead || !asks_values_;
    request = ids_command_;
    ids_command_.clear();
    if (!asks_ids_) return true;
    request += first_steps_[random_() % first_steps_.size()];
    began_ = asked_;
    asked_ = now;
    return true;
  }

  std::size_t take(std::string_view got) override {
    std::string_view rest = got;
    if (asks_values_ && !take_bulks(rest, values_)) return 0;
    if (asks_ids_ && !take_bulks(rest, ids_)) return 0;
    if (asks_values_) count_page();
    if (asks_ids_) {
      ids_command_ = "*" + std::to_string(ids_.size() + 1) + "\r\n$4\r\nMGET\r\n";
      for (const auto id : ids_) append_bulk(ids_command_, "activity:", id);
    }
    return got.size() - rest.size();
  }

 private:
  void count_page() {
    if (values_.size() != tally_.rows) fail("a page of " + std::to_string(values_.size()));
    const std::chrono::duration<double, std::micro> took =
        Clock::now() - (tally_.ahead ? began_ : asked_);
    tally_.took.push_back(took.count());
  }

  const std::vector<std::string>& first_steps_;
  Tally& tally_;
  std::minstd_rand random_;
  std::string ids_command_;  // what is asked next: the values of the ids that came last
  bool asks_values_ = false;
  bool asks_ids_ = false;
  std::vector<std::string_view> values_;
  std::vector<std::string_view> ids_;
  Clock::time_point began_;  // when the ids were asked for of the page whose values are awaited
  Clock::time_point asked_;  // when ids were last asked for
};

// A command as Redis reads it.
std::string encoded(const std::string& line) {
  std::vector<std::string> words(1);
  for (const char c : line) {
    if (c == ' ') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  std::string command = "*" + std::to_string(words.size()) + "\r\n";
  for (const auto& word : words) append_bulk(command, "", word);
  return command;
}

}  // namespace

void redis_pages(int port, int connections, double seconds, int rows, bool ahead) {
  std::vector<std::string> first_steps;
  for (std::string line; std::getline(std::cin, line);) first_steps.push_back(encoded(line));
  if (first_steps.empty()) fail("no commands");
  const auto started = Clock::now();
  Tally tally{
      {},
      started + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)),
      static_cast<std::size_t>(rows),
      ahead};
  std::vector<std::unique_ptr<Talker>> readers;
  for (int i = 0; i < connections; ++i) {
    readers.push_back(std::make_unique<Reader>(first_steps, tally, static_cast<unsigned>(i + 1)));
  }
  talk(port, readers);
  const std::chrono::duration<double> took = Clock::now() - started;
  if (tally.took.empty()) fail("no page was read");
  std::sort(tally.took.begin(), tally.took.end());
  std::printf("{\"pages\":%zu,\"seconds\":%.3f,\"p50_us\":%.0f,\"p99_us\":%.0f}\n",
              tally.took.size(), took.count(), percentile(tally.took, 0.5),
              percentile(tally.took, 0.99));
}

}  // namespace bench
