#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "drive.h"

namespace bench {

void fail(const std::string& what) {
  std::fprintf(stderr, "bench-drive: %s\n", what.c_str());
  std::_Exit(1);
}

int dial(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    fail("cannot connect to port " + std::to_string(port));
  }
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

std::uint64_t number_after(std::string_view text, std::string_view mark) {
  const auto at = text.find(mark);
  if (at == std::string_view::npos) return 0;
  return std::strtoull(text.data() + at + mark.size(), nullptr, 10);
}

double percentile(const std::vector<double>& sorted, double part) {
  return sorted[std::min(sorted.size() - 1,
                         static_cast<std::size_t>(part * static_cast<double>(sorted.size())))];
}

namespace {

struct Line {
  Talker* talker;
  int fd;
  std::string request;
  std::string got;
};

// False: it has nothing left to ask and is closed.
bool ask(Line& line) {
  line.request.clear();
  if (!line.talker->ask(line.request)) {
    close(line.fd);
    return false;
  }
  // A request is far smaller than the socket's buffer, which is empty.
  if (write(line.fd, line.request.data(), line.request.size()) !=
      static_cast<ssize_t>(line.request.size())) {
    fail("the server closed the connection");
  }
  return true;
}

// True: the reply is whole.
bool hear(Line& line) {
  static char buffer[64 * 1024];
  const ssize_t got = read(line.fd, buffer, sizeof buffer);
  if (got <= 0) fail("the server closed the connection");
  line.got.append(buffer, static_cast<std::size_t>(got));
  const std::size_t taken = line.talker->take(line.got);
  if (taken != 0 && taken != line.got.size()) fail("more than one reply: " + line.got);
  if (taken != 0) line.got.clear();
  return taken != 0;
}

}  // namespace

void talk(int port, const std::vector<std::unique_ptr<Talker>>& talkers) {
  const int poll = epoll_create1(0);
  std::vector<Line> lines;
  lines.reserve(talkers.size());
  std::size_t open = 0;
  for (const auto& talker : talkers) {
    lines.push_back({talker.get(), dial(port), {}, {}});
    epoll_event event{.events = EPOLLIN, .data = {.ptr = &lines.back()}};
    epoll_ctl(poll, EPOLL_CTL_ADD, lines.back().fd, &event);
    if (ask(lines.back())) ++open;
  }
  std::vector<epoll_event> events(talkers.size());
  while (open > 0) {
    const int ready = epoll_wait(poll, events.data(), static_cast<int>(events.size()), -1);
    for (int i = 0; i < ready; ++i) {
      Line& line = *static_cast<Line*>(events[static_cast<std::size_t>(i)].data.ptr);
      if (hear(line) && !ask(line)) --open;
    }
  }
  close(poll);
}

}  // namespace bench
