#include "common/http/server.h"

#include <boost/asio/ip/tcp.hpp>

#include "common/base/ids.h"
#include "common/base/log.h"
#include "common/http/io_thread.h"

namespace feeds::http {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

struct HostPort {
  std::string host;
  std::string port;
};

std::optional<HostPort> split_address(std::string_view address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = address.substr(0, colon);
  const std::string_view port = address.substr(colon + 1);
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return std::nullopt;
  }
  const auto number = parse_decimal(port);
  if (host.empty() || !number || *number > 65535) return std::nullopt;
  return HostPort{std::string(host), std::string(port)};
}

std::string to_text(const tcp::endpoint& endpoint) {
  const std::string host = endpoint.address().to_string();
  const std::string port = std::to_string(endpoint.port());
  return endpoint.address().is_v6() ? "[" + host + "]:" + port : host + ":" + port;
}

Result<tcp::endpoint> resolve(const std::string& address) {
  const auto parts = split_address(address);
  if (!parts) return Error{Code::kBadParameter, "not HOST:PORT: " + address};
  boost::asio::io_context context;
  tcp::resolver resolver(context);
  error_code ec;
  const auto found = resolver.resolve(parts->host, parts->port, tcp::resolver::passive, ec);
  if (ec || found.empty()) {
    return Error{Code::kBadParameter, "cannot resolve " + address + ": " + ec.message()};
  }
  return found.begin()->endpoint();
}

// SO_REUSEPORT would let a second server share the address unnoticed, so a socket without it
// tries first.
error_code probe(const tcp::endpoint& endpoint) {
  boost::asio::io_context context;
  tcp::acceptor acceptor(context);
  error_code ec;
  acceptor.open(endpoint.protocol(), ec);
  if (!ec) acceptor.set_option(tcp::acceptor::reuse_address(true), ec);
  if (!ec) acceptor.bind(endpoint, ec);
  return ec;
}

}  // namespace

struct Server::Impl {
  Impl(ServerOptions options, const Router& router, ServerObserver* observer)
      : shared(std::move(options), router, observer) {
    const std::size_t count = std::max<std::size_t>(1, shared.options.threads);
    for (std::size_t i = 0; i < count; ++i) {
      threads.push_back(std::make_unique<ServerThread>(shared, i));
    }
  }

  Status listen() {
    auto endpoint = resolve(shared.options.listen);
    if (!endpoint) return endpoint.error();
    const bool many = threads.size() > 1;
    error_code ec;
    if (many && endpoint->port() != 0) ec = probe(*endpoint);
    for (auto& thread : threads) {
      if (!ec) ec = thread->listen(*endpoint, many);
      // The first one picked the port if it was 0.
      if (!ec) endpoint->port(thread->local_endpoint().port());
    }
    if (ec) {
      return Error{Code::kBadParameter,
                   "cannot listen on " + shared.options.listen + ": " + ec.message()};
    }
    return done();
  }

  ServerShared shared;
  std::vector<std::unique_ptr<ServerThread>> threads;
  bool listening = false;
  bool running = false;
};

Server::Server(ServerOptions options, const Router& router, ServerObserver* observer)
    : impl_(std::make_unique<Impl>(std::move(options), router, observer)) {}

Server::~Server() {
  stop(std::chrono::milliseconds(0));
}

Status Server::listen() {
  assert(!impl_->listening);
  Status status = impl_->listen();
  impl_->listening = status.ok();
  return status;
}

Status Server::start() {
  assert(!impl_->running);
  if (!impl_->listening) {
    if (Status status = listen(); !status) return status;
  }
  for (auto& thread : impl_->threads) thread->start();
  impl_->running = true;
  return done();
}

std::string Server::address() const {
  return to_text(impl_->threads.front()->local_endpoint());
}

std::vector<IoThread*> Server::io_threads() {
  std::vector<IoThread*> result;
  for (auto& thread : impl_->threads) result.push_back(thread.get());
  return result;
}

void Server::stop(std::chrono::milliseconds grace) {
  if (!impl_->running) return;
  impl_->running = false;
  for (auto& thread : impl_->threads) thread->begin_stop(grace);
  for (auto& thread : impl_->threads) thread->join();
}

}  // namespace feeds::http
