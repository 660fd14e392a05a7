#include "tests/support/raw_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "tests/support/eventually.h"

namespace feeds::test {
namespace {

constexpr int kTimeoutMs = static_cast<int>(std::chrono::milliseconds(kPatience).count());

bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

std::optional<std::string> RawReply::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (same_name(key, name)) return value;
  }
  return std::nullopt;
}

std::size_t RawReply::count(std::string_view name) const {
  std::size_t result = 0;
  for (const auto& [key, value] : headers) result += same_name(key, name) ? 1 : 0;
  return result;
}

RawClient::RawClient(const std::string& address, int receive_buffer) {
  const std::size_t colon = address.rfind(':');
  const auto port = static_cast<std::uint16_t>(std::atoi(address.c_str() + colon + 1));
  std::string host = address.substr(0, colon);
  sockaddr_storage storage{};
  socklen_t size = 0;
  if (host.front() == '[') {
    host = host.substr(1, host.size() - 2);
    auto* v6 = reinterpret_cast<sockaddr_in6*>(&storage);
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port);
    ::inet_pton(AF_INET6, host.c_str(), &v6->sin6_addr);
    size = sizeof(sockaddr_in6);
  } else {
    auto* v4 = reinterpret_cast<sockaddr_in*>(&storage);
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    ::inet_pton(AF_INET, host.c_str(), &v4->sin_addr);
    size = sizeof(sockaddr_in);
  }
  fd_ = ::socket(storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd_ < 0) return;
  if (receive_buffer > 0) {
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  }
  if (::connect(fd_, reinterpret_cast<sockaddr*>(&storage), size) != 0) close();
}

RawClient::~RawClient() {
  close();
}

bool RawClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void RawClient::shutdown_send() {
  ::shutdown(fd_, SHUT_WR);
}

void RawClient::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

void RawClient::reset() {
  const linger hard{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  close();
}

bool RawClient::readable_within(std::chrono::milliseconds time) {
  if (!buffer_.empty()) return true;
  pollfd entry{fd_, POLLIN, 0};
  return ::poll(&entry, 1, static_cast<int>(time.count())) > 0;
}

void RawClient::drop_some() {
  fill();
  buffer_.clear();
}

bool RawClient::fill() {
  pollfd entry{fd_, POLLIN, 0};
  if (::poll(&entry, 1, kTimeoutMs) <= 0) {
    reset_ = true;
    return false;
  }
  char bytes[16384];
  const ssize_t got = ::recv(fd_, bytes, sizeof bytes, 0);
  if (got < 0) reset_ = true;
  if (got <= 0) return false;
  buffer_.append(bytes, static_cast<std::size_t>(got));
  return true;
}

std::optional<std::string> RawClient::line() {
  for (;;) {
    const std::size_t end = buffer_.find("\r\n");
    if (end != std::string::npos) {
      std::string result = buffer_.substr(0, end);
      buffer_.erase(0, end + 2);
      return result;
    }
    if (!fill()) return std::nullopt;
  }
}

RawReply RawClient::reply(bool of_head) {
  RawReply result;
  for (;;) {
    const auto text = line();
    if (!text) return result;
    if (text->empty()) break;
    if (!result.head.empty()) {
      const std::size_t colon = text->find(": ");
      if (colon != std::string::npos) {
        result.headers.emplace_back(text->substr(0, colon), text->substr(colon + 2));
      }
    }
    result.head += *text + "\r\n";
  }
  if (result.head.rfind("HTTP/1.1 ", 0) == 0) result.status = std::atoi(result.head.c_str() + 9);
  const bool bodyless =
      of_head || result.status < 200 || result.status == 204 || result.status == 304;
  result.complete = bodyless || read_body(result);
  return result;
}

RawReply RawClient::ask(std::string_view bytes, bool of_head) {
  send(bytes);
  return reply(of_head);
}

bool RawClient::read_body(RawReply& reply) {
  if (reply.header("Transfer-Encoding") == "chunked") return read_chunked(reply);
  const auto length = reply.header("Content-Length");
  const std::size_t wanted = length ? std::strtoull(length->c_str(), nullptr, 10) : SIZE_MAX;
  while (buffer_.size() < wanted && fill()) {
  }
  const std::size_t take = std::min(wanted, buffer_.size());
  reply.body = buffer_.substr(0, take);
  buffer_.erase(0, take);
  return length ? take == wanted : !reset_;
}

bool RawClient::read_chunked(RawReply& reply) {
  for (;;) {
    const auto size_line = line();
    if (!size_line) return false;
    const std::size_t size = std::strtoull(size_line->c_str(), nullptr, 16);
    while (buffer_.size() < size + 2) {
      if (!fill()) {
        reply.body += buffer_;
        buffer_.clear();
        return false;
      }
    }
    reply.body += buffer_.substr(0, size);
    buffer_.erase(0, size + 2);
    if (size == 0) return true;
  }
}

std::optional<std::string> RawClient::read_to_end() {
  while (fill()) {
  }
  if (reset_) return std::nullopt;
  return std::exchange(buffer_, {});
}

bool RawClient::is_ended() {
  if (!buffer_.empty()) return false;
  pollfd entry{fd_, POLLIN, 0};
  if (::poll(&entry, 1, kTimeoutMs) <= 0) return false;
  char byte;
  return ::recv(fd_, &byte, 1, 0) <= 0;
}

}  // namespace feeds::test
