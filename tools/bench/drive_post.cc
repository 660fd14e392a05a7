// Loads our server: each line of the input, `PATH BODY` (JSON), is posted once, by whichever
// connection is free, and must be answered with 201.
#include <chrono>
#include <cstdio>
#include <iostream>

#include "drive.h"

namespace bench {
namespace {

class Poster : public Talker {
 public:
  explicit Poster(std::uint64_t& posted) : posted_(posted) {}

  bool ask(std::string& request) override {
    if (!std::getline(std::cin, line_)) return false;
    const auto space = line_.find(' ');
    if (space == std::string::npos) fail("not PATH BODY: " + line_);
    request.append("POST ").append(line_, 0, space);
    request.append(" HTTP/1.1\r\nHost: l\r\nContent-Type: application/json\r\nContent-Length: ");
    request.append(std::to_string(line_.size() - space - 1)).append("\r\n\r\n");
    request.append(line_, space + 1);
    return true;
  }

  std::size_t take(std::string_view got) override {
    const auto end = got.find("\r\n\r\n");
    if (end == std::string_view::npos) return 0;
    if (!got.starts_with("HTTP/1.1 201")) fail(line_ + "\nwas answered with " + std::string(got));
    const auto whole = end + 4 + number_after(got.substr(0, end), "Content-Length: ");
    if (got.size() < whole) return 0;
    ++posted_;
    return whole;
  }

 private:
  std::uint64_t& posted_;
  std::string line_;
};

}  // namespace

void post_lines(int port, int connections) {
  std::ios::sync_with_stdio(false);
  const auto started = std::chrono::steady_clock::now();
  std::uint64_t posted = 0;
  std::vector<std::unique_ptr<Talker>> posters;
  for (int i = 0; i < connections; ++i) posters.push_back(std::make_unique<Poster>(posted));
  talk(port, posters);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  std::printf("{\"posted\":%lu,\"seconds\":%.3f}\n", posted, took.count());
}

}  // namespace bench
