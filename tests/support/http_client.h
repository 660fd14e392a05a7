#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace feeds::test {

struct HttpReply {
  int status = 0;                              // 0: no whole reply came
  std::string body;                            // without its chunks
  std::map<std::string, std::string> headers;  // names in lower case

  // Empty if absent.
  std::string header(const std::string& lower_name) const;
  // Of a problem; empty for anything else.
  std::string code() const;
  // Feeds-Position
  std::string position() const { return header("feeds-position"); }
};

// A keep-alive connection to a node; dials again when there is none, or when the node has ended it
// since the last reply, as it does to idle ones. A request is sent once: what became of one without
// a reply is unknown. Only a get() whose connection ends before its reply is sent again, on a new
// one. One thread's.
class HttpClient {
 public:
  using Headers = std::vector<std::pair<std::string, std::string>>;

  // `address`: HOST:PORT, numeric. `timeout`: without a byte.
  explicit HttpClient(std::string address,
                      std::chrono::milliseconds timeout = std::chrono::seconds(100));
  ~HttpClient() { close(); }
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  HttpReply get(std::string_view target, const Headers& headers = {}) {
    const bool reused = connected();
    auto reply = ask("GET", target, {}, headers);
    return reply.status == 0 && reused ? ask("GET", target, {}, headers) : reply;
  }
  HttpReply post(std::string_view target, std::string_view body = {}, const Headers& headers = {}) {
    return ask("POST", target, body, headers);
  }
  HttpReply del(std::string_view target) { return ask("DELETE", target, {}, {}); }
  HttpReply ask(std::string_view method, std::string_view target, std::string_view body,
                const Headers& headers);

  // Sends without waiting, then takes replies in order: pipelining.
  bool send(std::string_view method, std::string_view target, std::string_view body = {},
            const Headers& headers = {});
  HttpReply receive(bool of_head = false);

  void close();
  bool connected() const { return fd_ >= 0; }
  const std::string& address() const { return address_; }

 private:
  bool connect();
  bool ended() const;
  bool write_all(std::string_view bytes);
  bool fill();
  bool take_line(std::string& line);
  bool take_bytes(std::size_t count, std::string& to);
  bool take_chunks(std::string& to);

  std::string address_;
  std::chrono::milliseconds timeout_;
  int fd_ = -1;
  std::string buffer_;
  std::size_t at_ = 0;  // of what was taken from it
};

// A port of own_loopback() on which nobody listens, for programs that cannot take port 0.
std::string free_address();

}  // namespace feeds::test
