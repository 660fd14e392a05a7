#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

// A small blocking HTTP client: one node, one keep-alive connection, every call with a deadline.
namespace feeds::feedctl {

struct Url {
  std::string host;  // an IPv6 address without its brackets
  std::string port;
  std::string text;  // http://HOST:PORT, for people
};

// `http://HOST[:PORT]` or `HOST:PORT`; a closing slash is taken. Error: kBadParameter.
Result<Url> parse_url(std::string_view text);

struct Reply {
  int status = 0;
  std::string body;
  std::map<std::string, std::string> headers;  // names in lower case

  std::optional<std::string> header(const std::string& lower_name) const;
};

// "503 overloaded: detail" of a problem+json reply; status and start of the body of any other.
std::string describe_failure(const Reply& reply);
// The `code` of a problem+json reply; empty if it is none.
std::string problem_code(const Reply& reply);

// Not thread-safe: one thread a client.
class Client {
 public:
  // `timeout` bounds connecting, and each request from its first byte to the reply's last.
  Client(Url url, std::chrono::milliseconds timeout);
  ~Client();
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;

  const Url& url() const;

  // Error (kInternal): no reply, the detail says why and names the node. A reply of any status is a
  // value. A GET that met a connection closed since the last one is sent again on a new one; a POST
  // is not, since it may have been carried out.
  Result<Reply> get(std::string_view target);
  Result<Reply> post(std::string_view target, std::string_view body = {},
                     std::string_view type = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A client for each address. Error (kBadParameter): one of them is none.
Result<std::vector<Client>> make_clients(const std::vector<std::string>& urls,
                                         std::chrono::milliseconds timeout);

}  // namespace feeds::feedctl
