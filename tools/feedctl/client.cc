#include "tools/feedctl/client.h"

#include <fmt/format.h>

#include <boost/asio/connect.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/json.hpp>

#include "common/config/values.h"
#include "common/config/version.h"

namespace feeds::feedctl {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;

constexpr std::size_t kReplyBytes = 256 * 1024 * 1024;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = (c >= 'A' && c <= 'Z') ? static_cast<char>(c + 32) : c;
  return out;
}

boost::json::value parse_problem(const Reply& reply) {
  boost::system::error_code error;
  boost::json::value value = boost::json::parse(reply.body, error);
  return error ? boost::json::value() : value;
}

std::string member(const boost::json::value& value, std::string_view name) {
  const auto* object = value.if_object();
  const auto* found = object ? object->if_contains(name) : nullptr;
  return found && found->is_string() ? std::string(found->get_string()) : std::string();
}

}  // namespace

Result<Url> parse_url(std::string_view text) {
  const Error wrong{Code::kBadParameter,
                    fmt::format("\"{}\" is no address of a node: http://HOST:PORT", text)};
  std::string_view rest = text;
  const bool has_scheme = rest.starts_with("http://");
  if (has_scheme) rest.remove_prefix(7);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  std::string address(rest);
  const bool has_port = rest.rfind(':') != std::string_view::npos && !rest.ends_with(']');
  if (has_scheme && !has_port) address += ":80";
  const auto parsed = config::parse_address(address);
  if (!parsed || parsed->port == 0) return wrong;
  return Url{parsed->host, std::to_string(parsed->port), "http://" + address};
}

std::optional<std::string> Reply::header(const std::string& lower_name) const {
  const auto found = headers.find(lower_name);
  if (found == headers.end()) return std::nullopt;
  return found->second;
}

std::string problem_code(const Reply& reply) {
  return member(parse_problem(reply), "code");
}

std::string describe_failure(const Reply& reply) {
  const boost::json::value problem = parse_problem(reply);
  const std::string code = member(problem, "code");
  if (!code.empty()) return fmt::format("{} {}: {}", reply.status, code, member(problem, "detail"));
  return fmt::format("{} {}", reply.status, reply.body.substr(0, 200));
}

struct Client::Impl {
  Impl(Url to, std::chrono::milliseconds limit) : url(std::move(to)), timeout(limit) {}

  // Runs what was started until it ends; the stream's deadline ends it at the latest.
  void run() {
    io.restart();
    io.run();
  }

  beast::error_code connect() {
    stream.emplace(io);
    buffer.clear();
    beast::error_code error;
    asio::ip::tcp::resolver resolver(io);
    const auto endpoints = resolver.resolve(url.host, url.port, error);
    if (error) return error;
    stream->expires_after(timeout);
    stream->async_connect(endpoints, [&](beast::error_code e, const auto&) { error = e; });
    run();
    if (!error) stream->socket().set_option(asio::ip::tcp::no_delay(true), error);
    return error;
  }

  // One exchange on the open connection.
  beast::error_code exchange(http::request<http::string_body>& request, Reply& reply) {
    beast::error_code error;
    stream->expires_after(timeout);
    http::async_write(*stream, request, [&](beast::error_code e, std::size_t) { error = e; });
    run();
    if (error) return error;
    http::response_parser<http::string_body> parser;
    parser.body_limit(kReplyBytes);
    http::async_read(*stream, buffer, parser, [&](beast::error_code e, std::size_t) { error = e; });
    run();
    if (error) return error;
    auto message = parser.release();
    reply.status = static_cast<int>(message.result_int());
    reply.headers.clear();
    for (const auto& field : message) {
      reply.headers[lower({field.name_string().data(), field.name_string().size()})] =
          std::string(field.value());
    }
    if (!message.keep_alive()) stream.reset();
    reply.body = std::move(message.body());
    return {};
  }

  Result<Reply> send(http::request<http::string_body>& request) {
    request.set(http::field::host, url.text.substr(7));
    request.set(http::field::user_agent, fmt::format("feedctl/{}", config::version()));
    request.prepare_payload();
    const bool reused = stream.has_value();
    beast::error_code error;
    Reply reply;
    if (!reused) error = connect();
    if (!error) error = exchange(request, reply);
    const bool was_closed = error && error != beast::error::timeout;
    if (was_closed && reused && request.method() == http::verb::get) {
      error = connect();
      if (!error) error = exchange(request, reply);
    }
    if (error) {
      stream.reset();
      const std::string why =
          error == beast::error::timeout
              ? fmt::format("no answer within {}", config::duration_text(timeout))
          : error == http::error::end_of_stream ? "the connection was closed"
                                                : error.message();
      return Error{Code::kInternal, fmt::format("{}: {}", url.text, why)};
    }
    return reply;
  }

  Url url;
  std::chrono::milliseconds timeout;
  asio::io_context io;
  std::optional<beast::tcp_stream> stream;
  beast::flat_buffer buffer;
};

Client::Client(Url url, std::chrono::milliseconds timeout)
    : impl_(std::make_unique<Impl>(std::move(url), timeout)) {}
Client::~Client() = default;
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;

const Url& Client::url() const {
  return impl_->url;
}

Result<Reply> Client::get(std::string_view target) {
  http::request<http::string_body> request(http::verb::get, {target.data(), target.size()}, 11);
  return impl_->send(request);
}

Result<Reply> Client::post(std::string_view target, std::string_view body, std::string_view type) {
  http::request<http::string_body> request(http::verb::post, {target.data(), target.size()}, 11);
  request.body() = body;
  if (!type.empty()) request.set(http::field::content_type, {type.data(), type.size()});
  return impl_->send(request);
}

Result<std::vector<Client>> make_clients(const std::vector<std::string>& urls,
                                         std::chrono::milliseconds timeout) {
  std::vector<Client> clients;
  for (const std::string& text : urls) {
    auto url = parse_url(text);
    if (!url) return url.error();
    clients.emplace_back(*url, timeout);
  }
  return clients;
}

}  // namespace feeds::feedctl
