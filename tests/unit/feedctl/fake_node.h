#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/json.hpp>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>

namespace feeds::feedctl {

struct FakeRequest {
  std::string method, target, body;

  // Of the query, undecoded; empty if it is not there.
  std::string parameter(const std::string& name) const {
    std::size_t at = target.find('?');
    while (at != std::string::npos) {
      const std::size_t end = target.find('&', at + 1);
      const std::string pair = target.substr(at + 1, end == std::string::npos ? end : end - at - 1);
      if (pair.starts_with(name + "=")) return pair.substr(name.size() + 1);
      at = end;
    }
    return {};
  }
};

struct FakeReply {
  int status = 200;
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  bool close = false;  // after the reply, without having said so
  bool drop = false;   // instead of a reply
};

inline FakeReply problem(int status, const std::string& code,
                         std::vector<std::pair<std::string, std::string>> headers = {}) {
  const boost::json::object body{{"status", status}, {"code", code}, {"detail", "about " + code}};
  return {status, boost::json::serialize(body), std::move(headers)};
}

// A node on loopback that answers as it is told. The handler is called by one connection's thread
// at a time; two connections may call it together.
class FakeNode {
 public:
  using Handler = std::function<FakeReply(const FakeRequest&)>;

  explicit FakeNode(Handler handler)
      : handler_(std::move(handler)), acceptor_(io_, {boost::asio::ip::address_v4::loopback(), 0}) {
    port_ = acceptor_.local_endpoint().port();
    accepting_ = std::thread([this] { accept(); });
  }
  ~FakeNode() {
    // Wakes the blocked accept; closing alone does not.
    ::shutdown(acceptor_.native_handle(), SHUT_RDWR);
    accepting_.join();
    for (auto& connection : connections_) {
      ::shutdown(connection.socket.native_handle(), SHUT_RDWR);
      connection.thread.join();
    }
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::size_t connections() const {
    std::lock_guard lock(mutex_);
    return connections_.size();
  }

 private:
  struct Connection {
    explicit Connection(boost::asio::ip::tcp::socket s) : socket(std::move(s)) {}
    boost::asio::ip::tcp::socket socket;
    std::thread thread;
  };

  void accept() {
    for (;;) {
      boost::system::error_code error;
      boost::asio::ip::tcp::socket socket(io_);
      acceptor_.accept(socket, error);
      if (error) return;
      std::lock_guard lock(mutex_);
      Connection& made = connections_.emplace_back(std::move(socket));
      made.thread = std::thread([this, &made] { serve(made.socket); });
    }
  }

  void serve(boost::asio::ip::tcp::socket& socket) {
    namespace http = boost::beast::http;
    boost::beast::flat_buffer buffer;
    boost::system::error_code error;
    for (bool open = true; open;) {
      http::request<http::string_body> request;
      http::read(socket, buffer, request, error);
      if (error) break;
      const FakeReply told = handler_(
          {std::string(request.method_string()), std::string(request.target()), request.body()});
      if (told.drop) break;
      http::response<http::string_body> response(static_cast<http::status>(told.status), 11);
      for (const auto& [name, value] : told.headers) response.set(name, value);
      response.body() = told.body;
      response.prepare_payload();
      http::write(socket, response, error);
      open = !error && !told.close;
    }
    ::shutdown(socket.native_handle(), SHUT_RDWR);
  }

  Handler handler_;
  boost::asio::io_context io_;
  boost::asio::ip::tcp::acceptor acceptor_;
  std::uint16_t port_ = 0;
  mutable std::mutex mutex_;
  std::list<Connection> connections_;
  std::thread accepting_;
};

}  // namespace feeds::feedctl
