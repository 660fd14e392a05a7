#include "tests/support/proxy.h"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <deque>
#include <list>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "tests/support/address.h"

namespace feeds::tests {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kHeldBytes = 1024 * 1024;  // kept back a direction; then the sender feels it

void make_nonblocking(int fd) {
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
}

// One direction of one connection.
struct Pipe {
  struct Piece {
    Clock::time_point due;
    std::string bytes;
  };
  int from = -1;
  int to = -1;
  int index = 0;  // of the direction
  std::deque<Piece> held;
  std::size_t held_bytes = 0;
  bool ended = false;   // `from` will say no more
  bool closed = false;  // and `to` was told
};

struct Link {
  int client = -1;
  int target = -1;
  std::array<Pipe, 2> pipes;
  bool broken = false;
};

}  // namespace

struct Proxy::Impl {
  int listener = -1;
  int wake = -1;
  std::string own_address;
  std::thread thread;

  mutable std::mutex mutex;  // of what follows
  std::string target;
  bool stop = false;
  bool cut_now = false;
  bool refusing = false;
  std::array<bool, 2> blocked{};
  std::chrono::milliseconds delay{0};
  std::uint64_t rate = 0;
  std::array<std::optional<std::uint64_t>, 2> flip;
  std::array<std::uint64_t, 2> passed{};
  std::array<double, 2> allowance{};
  Clock::time_point refilled = Clock::now();
  std::uint64_t made = 0;

  std::list<Link> links;  // the thread's

  template <class F>
  void change(F&& f) {
    {
      std::lock_guard lock(mutex);
      f();
    }
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake, &one, sizeof one);
  }

  void run();
  void accept_one();
  void read_from(Link& link, Pipe& pipe);
  void write_to(Link& link, Pipe& pipe, Clock::time_point now);
  std::size_t allowed(const Pipe& pipe, std::size_t wanted);
  void drop(Link& link, bool reset);
  bool may_write(const Pipe& pipe, Clock::time_point now) const {
    return !blocked[pipe.index] && !pipe.held.empty() && pipe.held.front().due <= now &&
           (rate == 0 || allowance[pipe.index] >= 1);
  }
};

void Proxy::Impl::accept_one() {
  const int client = ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (client < 0) return;
  const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto address = test::numeric_address(target);
  if (refusing ||
      ::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(client);
    ::close(server);
    return;
  }
  make_nonblocking(server);
  const int one = 1;
  ::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  ::setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  ++made;
  Link link;
  link.client = client;
  link.target = server;
  link.pipes[0].from = client;
  link.pipes[0].to = server;
  link.pipes[1].from = server;
  link.pipes[1].to = client;
  link.pipes[1].index = 1;
  links.push_back(std::move(link));
}

void Proxy::Impl::read_from(Link& link, Pipe& pipe) {
  std::array<char, 65536> buffer;
  const auto got = ::read(pipe.from, buffer.data(), buffer.size());
  if (got > 0) {
    pipe.held.push_back({Clock::now() + delay, {buffer.data(), static_cast<std::size_t>(got)}});
    pipe.held_bytes += static_cast<std::size_t>(got);
  } else if (got == 0) {
    pipe.ended = true;
  } else if (errno != EAGAIN && errno != EINTR) {
    link.broken = true;
  }
}

std::size_t Proxy::Impl::allowed(const Pipe& pipe, std::size_t wanted) {
  if (rate == 0) return wanted;
  return std::min(wanted, static_cast<std::size_t>(allowance[pipe.index]));
}

void Proxy::Impl::write_to(Link& link, Pipe& pipe, Clock::time_point now) {
  while (may_write(pipe, now)) {
    auto& piece = pipe.held.front();
    const auto length = allowed(pipe, piece.bytes.size());
    std::optional<std::uint64_t> none;
    auto& at = &link == &links.back() ? flip[pipe.index] : none;
    if (at && *at < length) {
      piece.bytes[*at] = static_cast<char>(piece.bytes[*at] ^ 0x10);
      at.reset();
    }
    const auto written = ::send(pipe.to, piece.bytes.data(), length, MSG_NOSIGNAL);
    if (written < 0) {
      if (errno != EAGAIN && errno != EINTR) link.broken = true;
      return;
    }
    const auto count = static_cast<std::size_t>(written);
    if (at) *at -= count;
    passed[pipe.index] += count;
    if (rate != 0) allowance[pipe.index] -= static_cast<double>(count);
    pipe.held_bytes -= count;
    piece.bytes.erase(0, count);
    if (piece.bytes.empty()) pipe.held.pop_front();
  }
  if (pipe.ended && !pipe.closed && pipe.held.empty() && !blocked[pipe.index]) {
    ::shutdown(pipe.to, SHUT_WR);
    pipe.closed = true;
  }
}

void Proxy::Impl::drop(Link& link, bool reset) {
  if (reset) {
    const linger hard{1, 0};
    ::setsockopt(link.client, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    ::setsockopt(link.target, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  }
  ::close(link.client);
  ::close(link.target);
}

void Proxy::Impl::run() {
  std::unique_lock lock(mutex);
  while (!stop) {
    const auto now = Clock::now();
    if (rate != 0) {
      const auto grown =
          std::chrono::duration<double>(now - refilled).count() * static_cast<double>(rate);
      for (auto& left : allowance) left = std::min(left + grown, static_cast<double>(rate));
    }
    refilled = now;
    std::vector<pollfd> fds{{listener, POLLIN, 0}, {wake, POLLIN, 0}};
    bool waiting = false;  // for a time rather than for a descriptor
    for (auto& link : links) {
      for (auto& pipe : link.pipes) {
        write_to(link, pipe, now);
        const bool reads = !pipe.ended && pipe.held_bytes < kHeldBytes;
        fds.push_back({pipe.from, static_cast<short>(reads ? POLLIN : 0), 0});
        fds.push_back({pipe.to, static_cast<short>(may_write(pipe, now) ? POLLOUT : 0), 0});
        waiting = waiting || (!pipe.held.empty() && !blocked[pipe.index]);
      }
    }
    lock.unlock();
    ::poll(fds.data(), fds.size(), waiting ? 1 : 100);
    lock.lock();
    if ((fds[1].revents & POLLIN) != 0) {
      std::uint64_t count = 0;
      [[maybe_unused]] const auto got = ::read(wake, &count, sizeof count);
    }
    std::size_t i = 2;
    for (auto& link : links) {
      for (auto& pipe : link.pipes) {
        if ((fds[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0 && fds[i].events != 0) {
          read_from(link, pipe);
        }
        i += 2;
      }
    }
    if ((fds[0].revents & POLLIN) != 0) accept_one();
    const bool all = std::exchange(cut_now, false);
    std::erase_if(links, [&](Link& link) {
      const bool over = link.pipes[0].closed && link.pipes[1].closed;
      if (!all && !link.broken && !over) return false;
      drop(link, all || link.broken);
      return true;
    });
  }
  for (auto& link : links) drop(link, true);
}

Proxy::Proxy(std::string target) : impl_(std::make_unique<Impl>()) {
  impl_->target = std::move(target);
  impl_->wake = ::eventfd(0, EFD_CLOEXEC);
  impl_->listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  auto address = test::numeric_address("127.0.0.1:0");
  socklen_t length = sizeof address;
  [[maybe_unused]] const bool listens =
      ::bind(impl_->listener, reinterpret_cast<sockaddr*>(&address), length) == 0 &&
      ::listen(impl_->listener, 64) == 0 &&
      ::getsockname(impl_->listener, reinterpret_cast<sockaddr*>(&address), &length) == 0;
  assert(listens);
  impl_->own_address = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  impl_->thread = std::thread([this] { impl_->run(); });
}

Proxy::~Proxy() {
  impl_->change([this] { impl_->stop = true; });
  impl_->thread.join();
  ::close(impl_->listener);
  ::close(impl_->wake);
}

std::string Proxy::address() const {
  return impl_->own_address;
}

void Proxy::set_target(std::string target) {
  impl_->change([&] { impl_->target = std::move(target); });
}

void Proxy::cut(bool refuse) {
  impl_->change([&] {
    impl_->cut_now = true;
    impl_->refusing = refuse;
  });
}

void Proxy::blackhole(Direction direction) {
  impl_->change([&] {
    if (direction != Direction::kToClient) impl_->blocked[0] = true;
    if (direction != Direction::kToTarget) impl_->blocked[1] = true;
  });
}

void Proxy::delay(std::chrono::milliseconds time) {
  impl_->change([&] { impl_->delay = time; });
}

void Proxy::throttle(std::uint64_t bytes_a_second) {
  impl_->change([&] {
    impl_->rate = bytes_a_second;
    impl_->allowance = {};
  });
}

void Proxy::flip(Direction direction, std::uint64_t offset) {
  impl_->change([&] {
    if (direction != Direction::kToClient) impl_->flip[0] = offset;
    if (direction != Direction::kToTarget) impl_->flip[1] = offset;
  });
}

bool Proxy::flipped() const {
  std::lock_guard lock(impl_->mutex);
  return !impl_->flip[0] && !impl_->flip[1];
}

void Proxy::resume() {
  impl_->change([this] {
    impl_->refusing = false;
    impl_->blocked = {};
    impl_->delay = std::chrono::milliseconds(0);
    impl_->rate = 0;
    impl_->flip = {};
  });
}

std::uint64_t Proxy::bytes(Direction direction) const {
  std::lock_guard lock(impl_->mutex);
  switch (direction) {
    case Direction::kToTarget:
      return impl_->passed[0];
    case Direction::kToClient:
      return impl_->passed[1];
    case Direction::kBoth:
      break;
  }
  return impl_->passed[0] + impl_->passed[1];
}

std::uint64_t Proxy::connections() const {
  std::lock_guard lock(impl_->mutex);
  return impl_->made;
}

}  // namespace feeds::tests
