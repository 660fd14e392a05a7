#include "tests/support/http_client.h"

#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <cerrno>

#include "tests/support/address.h"

namespace feeds::test {
namespace {

std::string lower(std::string text) {
  for (char& c : text) c = (c >= 'A' && c <= 'Z') ? static_cast<char>(c + 32) : c;
  return text;
}

std::string request_text(std::string_view method, std::string_view target, std::string_view body,
                         const HttpClient::Headers& headers) {
  std::string text(method);
  text.append(" ").append(target).append(" HTTP/1.1\r\nHost: feeds\r\n");
  for (const auto& [name, value] : headers)
    text.append(name).append(": ").append(value).append("\r\n");
  if (!body.empty() || method == "POST" || method == "PATCH") {
    text.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n");
  }
  return text.append("\r\n").append(body);
}

}  // namespace

std::string HttpReply::header(const std::string& lower_name) const {
  const auto found = headers.find(lower_name);
  return found == headers.end() ? std::string() : found->second;
}

std::string HttpReply::code() const {
  boost::system::error_code error;
  const auto value = boost::json::parse(body, error);
  if (error || !value.is_object() || header("content-type") != "application/problem+json")
    return {};
  const auto* code = value.as_object().if_contains("code");
  return code != nullptr && code->is_string() ? std::string(code->as_string()) : std::string();
}

HttpClient::HttpClient(std::string address, std::chrono::milliseconds timeout)
    : address_(std::move(address)), timeout_(timeout) {}

void HttpClient::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  buffer_.clear();
  at_ = 0;
}

bool HttpClient::ended() const {
  char byte = 0;
  const auto got = ::recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

bool HttpClient::connect() {
  if (fd_ >= 0) return true;
  fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto address = numeric_address(address_);
  if (::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    close();
    return false;
  }
  const int one = 1;
  ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  const timeval limit{timeout_.count() / 1000, timeout_.count() % 1000 * 1000};
  ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  return true;
}

bool HttpClient::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool HttpClient::fill() {
  if (at_ > 0) {
    buffer_.erase(0, at_);
    at_ = 0;
  }
  const auto had = buffer_.size();
  buffer_.resize(had + 65536);
  ssize_t got = -1;
  do {
    got = ::recv(fd_, buffer_.data() + had, 65536, 0);
  } while (got < 0 && errno == EINTR);
  buffer_.resize(had + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return got > 0;
}

bool HttpClient::take_line(std::string& line) {
  for (std::size_t from = 0;;) {
    const auto end = buffer_.find("\r\n", at_ + from);
    if (end != std::string::npos) {
      line = buffer_.substr(at_, end - at_);
      at_ = end + 2;
      return true;
    }
    from = std::max<std::size_t>(buffer_.size() - at_, 1) - 1;
    if (!fill()) return false;
  }
}

bool HttpClient::take_bytes(std::size_t count, std::string& to) {
  while (buffer_.size() - at_ < count) {
    if (!fill()) return false;
  }
  to.append(buffer_, at_, count);
  at_ += count;
  return true;
}

bool HttpClient::take_chunks(std::string& to) {
  for (std::string line;;) {
    if (!take_line(line)) return false;
    const auto size = std::stoull(line, nullptr, 16);
    if (size == 0) return take_line(line) && line.empty();
    if (!take_bytes(size, to) || !take_line(line) || !line.empty()) return false;
  }
}

bool HttpClient::send(std::string_view method, std::string_view target, std::string_view body,
                      const Headers& headers) {
  if (!connect()) return false;
  if (write_all(request_text(method, target, body, headers))) return true;
  close();
  return false;
}

HttpReply HttpClient::receive(bool of_head) {
  HttpReply reply;
  const auto failed = [&] {
    close();
    return HttpReply{};
  };
  std::string line;
  do {
    reply.headers.clear();
    if (fd_ < 0 || !take_line(line) || !line.starts_with("HTTP/1.1 ")) return failed();
    reply.status = std::stoi(line.substr(9, 3));
    while (take_line(line) && !line.empty()) {
      const auto colon = line.find(':');
      if (colon == std::string::npos) return failed();
      const auto value = std::min(line.find_first_not_of(' ', colon + 1), line.size());
      reply.headers[lower(line.substr(0, colon))] = line.substr(value);
    }
    if (!line.empty()) return failed();
  } while (reply.status < 200);

  const bool bodiless = of_head || reply.status == 204 || reply.status == 304;
  if (!bodiless && reply.header("transfer-encoding") == "chunked") {
    if (!take_chunks(reply.body)) return failed();
  } else if (!bodiless) {
    const auto length = reply.header("content-length");
    if (length.empty() || !take_bytes(std::stoull(length), reply.body)) return failed();
  }
  if (lower(reply.header("connection")) == "close") close();
  return reply;
}

HttpReply HttpClient::ask(std::string_view method, std::string_view target, std::string_view body,
                          const Headers& headers) {
  if (connected() && ended()) close();
  if (!send(method, target, body, headers)) return {};
  return receive(method == "HEAD");
}

std::string free_address() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  auto address = numeric_address(own_loopback() + ":0");
  socklen_t length = sizeof address;
  const bool bound = ::bind(fd, reinterpret_cast<sockaddr*>(&address), length) == 0 &&
                     ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) == 0;
  ::close(fd);
  return bound ? own_loopback() + ":" + std::to_string(ntohs(address.sin_port)) : std::string();
}

}  // namespace feeds::test
