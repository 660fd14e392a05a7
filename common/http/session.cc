#include "common/http/session.h"

#include <exception>

#include "common/base/limits.h"
#include "common/base/log.h"
#include "common/http/session_exchange.h"
#include "common/http/text.h"

namespace feeds::http {
namespace {

using boost::system::error_code;
namespace beast_http = boost::beast::http;

std::string_view accepted_types(Body body) {
  return body == Body::kText ? "text/plain in UTF-8, application/json, or no type"
                             : "application/json, or no type";
}

}  // namespace

Session::Session(ServerThread& thread, Socket socket, bool counted)
    : thread_(thread), socket_(std::move(socket)), counted_(counted) {}

void Session::start() {
  state_ = State::kIdle;
  deadline_ = thread_.now() + thread_.shared().options.idle_timeout;
  read();
}

void Session::refuse_overloaded() {
  input_done_ = false;
  received_ = std::chrono::steady_clock::now();
  fail(Error{Code::kOverloaded, "too many connections"});
}

void Session::close() {
  if (state_ == State::kClosed) return;
  const auto self = shared_from_this();
  state_ = State::kClosed;
  open_.store(false, std::memory_order_relaxed);
  stream_.reset();
  hold(0);
  // Closed by name: the destructor alone would undo the linger option that makes a reset.
  error_code ignored;
  socket_->close(ignored);
  socket_.reset();
  parser_.reset();
  thread_.remove(*this);
}

void Session::read() {
  if (reading_) return;
  reading_ = true;
  const std::span<char> room = buffer_.prepare();
  assert(!room.empty());
  socket_->async_read_some(
      boost::asio::buffer(room.data(), room.size()),
      [self = shared_from_this()](error_code ec, std::size_t size) { self->on_read(ec, size); });
}

void Session::on_read(error_code ec, std::size_t size) {
  reading_ = false;
  switch (state_) {
    case State::kClosed:
      return;
    case State::kIdle:
    case State::kHead:
    case State::kBody:
      if (ec) {
        close();
        return;
      }
      buffer_.commit(size);
      process();
      return;
    case State::kLingering:
      discarded_ += size;
      if (ec || discarded_ > limits::kDiscardBytes) {
        close();
      } else {
        read();
      }
      return;
    case State::kHandling:
    case State::kReplying:
    case State::kStreaming:
      // A read that a timeout has overtaken: its 408 is being written.
      discarded_ += size;
      return;
  }
}

// Goes on with what is buffered. Every path ends in a read, a write or a handler's hands.
void Session::process() {
  if (state_ == State::kIdle && !begin_head()) {
    read();
  } else if (state_ == State::kBody) {
    deadline_ = std::min(body_until_, thread_.now() + thread_.shared().options.body_timeout);
    read_body();
  } else {
    parse_head();
  }
}

// False: there is nothing of a request yet.
bool Session::begin_head() {
  // RFC 9112, 2.2: an empty line before a request line is skipped.
  std::string_view data = buffer_.data();
  while (data.size() >= 2 && data[0] == '\r' && data[1] == '\n') data.remove_prefix(2);
  buffer_.consume(buffer_.data().size() - data.size());
  if (data.empty() || data == "\r") return false;
  state_ = State::kHead;
  head_bytes_ = 0;
  deadline_ = thread_.now() + thread_.shared().options.header_timeout;
  parser_.emplace(request_, facts_);
  parser_->header_limit(limits::kRequestHeadBytes);
  parser_->body_limit(boost::none);  // Judged here, after the media type.
  route_ = nullptr;
  pattern_ = {};
  late_media_problem_.clear();
  preflight_.clear();
  input_done_ = false;
  failed_ = false;
  reply_.clear();
  return true;
}

void Session::parse_head() {
  error_code ec;
  // put() stops after the request line.
  do {
    const std::string_view data = buffer_.data();
    const std::size_t used = parser_->put(boost::asio::const_buffer(data.data(), data.size()), ec);
    buffer_.consume(used);
    head_bytes_ += used;
  } while (!ec && !parser_->is_header_done() && !buffer_.empty());
  // Beast's bound alone lets through what came in many small headers.
  if ((!ec || ec == beast_http::error::need_more) && head_bytes_ > limits::kRequestHeadBytes) {
    ec = beast_http::error::header_limit;
  }
  if (parser_->is_header_done() && !ec) {
    received_ = std::chrono::steady_clock::now();
    judge();
    return;
  }
  if (!ec || ec == beast_http::error::need_more) {
    read();
    return;
  }
  received_ = std::chrono::steady_clock::now();
  if (ec == beast_http::error::header_limit) {
    fail(Error{Code::kHeadersTooLarge, "request line and headers are over 16 KiB"});
  } else {
    fail(Error{Code::kBadRequest, "malformed request: " + ec.message()});
  }
}

std::optional<Error> Session::judge_framing() const {
  const auto bad = [](std::string_view detail) {
    return Error{Code::kBadRequest, std::string(detail)};
  };
  if (facts_.hosts > 1) return bad("more than one Host header");
  if (facts_.version >= 11 && facts_.hosts == 0) return bad("no Host header");
  if (facts_.content_lengths > 1) return bad("more than one Content-Length header");
  if (facts_.content_lengths > 0 && facts_.transfer_encodings > 0) {
    return bad("Content-Length and Transfer-Encoding together");
  }
  if (facts_.bad_content_length) return bad("malformed Content-Length");
  if (facts_.transfer_encodings > 1 || (facts_.transfer_encodings == 1 && !facts_.chunked)) {
    return bad("the only Transfer-Encoding taken is chunked");
  }
  if (facts_.version < 11 && facts_.chunked) return bad("Transfer-Encoding in HTTP/1.0");
  return std::nullopt;
}

// A whole head is there: decides in the order route, method, media type, size.
void Session::judge() {
  if (auto error = judge_framing()) {
    fail(*error);
    return;
  }
  if (facts_.chunked) {
    body_.expect_chunks();
  } else {
    body_.expect_length(facts_.content_length);
  }
  if (Status split = split_target(facts_.target, request_); !split) {
    fail(split.error());
    return;
  }
  const bool asterisk = request_.path == "*";
  if (asterisk && request_.method != Method::kOptions) {
    fail(Error{Code::kBadRequest, "the request target * is for OPTIONS"});
    return;
  }
  Router::Match match;
  if (!asterisk) match = thread_.shared().router.match(request_);
  pattern_ = match.pattern;
  if (request_.method == Method::kOptions && (asterisk || match.error == Code::kMethodNotAllowed)) {
    answer_options(match, asterisk);
    return;
  }
  if (match.route == nullptr) {
    reply_.allow = std::move(match.allow);
    refuse(Error{match.error, std::move(match.detail)});
    return;
  }
  route_ = match.route;
  if (route_->at_head) {
    call_handler();
  } else {
    judge_body();
  }
}

void Session::judge_body() {
  if (facts_.has_body()) {
    std::string problem = coding_problem();
    if (problem.empty()) problem = media_type_problem();
    if (!problem.empty()) {
      if (!facts_.chunked || facts_.expect_continue) {
        refuse(Error{Code::kUnsupportedMediaType, std::move(problem)});
        return;
      }
      late_media_problem_ = std::move(problem);
    }
    if (facts_.content_length > limits::kRequestBodyBytes) {
      refuse(Error{Code::kBodyTooLarge, "the body is over 1 MiB"});
      return;
    }
    if (thread_.crowded()) {
      refuse(Error{Code::kOverloaded, "too much is being sent and received"});
      return;
    }
    hold(facts_.chunked ? limits::kRequestBodyBytes : facts_.content_length);
  }
  state_ = State::kBody;
  body_until_ = thread_.now() + limits::kBodyTime;
  deadline_ = thread_.now() + thread_.shared().options.body_timeout;
  if (!body_.done() && facts_.expect_continue && facts_.version >= 11 && buffer_.empty()) {
    write_continue();
    return;
  }
  read_body();
}

std::string Session::coding_problem() const {
  if (route_->body == Body::kIgnored || facts_.content_encoding.empty() ||
      equals_ignoring_case(facts_.content_encoding, "identity")) {
    return {};
  }
  return "Content-Encoding " + facts_.content_encoding + " is not taken; send the body as it is";
}

std::string Session::media_type_problem() const {
  if (route_->body == Body::kIgnored || request_.content_type.empty()) return {};
  const MediaType type = parse_media_type(request_.content_type);
  const bool takes_type =
      equals_ignoring_case(type.essence, "application/json") ||
      (route_->body == Body::kText && equals_ignoring_case(type.essence, "text/plain"));
  if (takes_type && (type.charset.empty() || equals_ignoring_case(type.charset, "utf-8"))) {
    return {};
  }
  std::string problem = "Content-Type " + request_.content_type + " is not taken; send ";
  problem += accepted_types(route_->body);
  return problem;
}

void Session::read_body() {
  std::string_view data = buffer_.data();
  std::string* const sink = route_->body == Body::kIgnored ? nullptr : &request_.body;
  const auto state = body_.consume(data, sink, limits::kRequestBodyBytes);
  buffer_.consume(buffer_.data().size() - data.size());
  if (!late_media_problem_.empty() && !request_.body.empty()) {
    refuse(Error{Code::kUnsupportedMediaType, std::move(late_media_problem_)});
    return;
  }
  switch (state) {
    case BodyDecoder::State::kMore:
      read();
      return;
    case BodyDecoder::State::kDone:
      dispatch();
      return;
    case BodyDecoder::State::kTooLarge:
      if (!late_media_problem_.empty()) {
        fail(Error{Code::kUnsupportedMediaType, std::move(late_media_problem_)});
      } else {
        fail(Error{Code::kBodyTooLarge, "the body is over 1 MiB"});
      }
      return;
    case BodyDecoder::State::kBad:
      fail(Error{Code::kBadRequest, "malformed chunked body"});
      return;
  }
}

void Session::dispatch() {
  input_done_ = true;
  if (facts_.has_body()) received_ = std::chrono::steady_clock::now();
  if (route_->body == Body::kRequiredJson && request_.body.empty()) {
    refuse(Error{Code::kMissingBody, "this request needs a JSON body"});
    return;
  }
  call_handler();
}

void Session::call_handler() {
  state_ = State::kHandling;
  deadline_ = TimePoint::max();
  if (!route_->always && thread_.crowded()) {
    refuse(Error{Code::kOverloaded, "too much is being sent and received"});
    return;
  }
  const auto exchange = std::make_shared<SessionExchange>(shared_from_this());
  try {
    route_->handler(exchange);
  } catch (const std::exception& e) {
    log::error("http.handler_failed", {{"route", pattern_}, {"error", e.what()}});
    if (!exchange->answered()) exchange->send_error(Error{Code::kInternal, "internal error"});
  }
}

void Session::answer_options(const Router::Match& match, bool is_asterisk) {
  reply_.status = 204;
  reply_.allow = is_asterisk ? "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS" : match.allow;
  if (!facts_.preflight_method.empty()) {
    thread_.shared().cors.append_preflight(preflight_, request_.origin, reply_.allow,
                                           facts_.preflight_headers);
  }
  send();
}

// Answers what can be told from the request so far; the connection may live on.
void Session::refuse(const Error& error) {
  reply_.set_error(error);
  send();
}

// Answers a request whose end cannot be known, or is not worth waiting for.
void Session::fail(const Error& error) {
  reply_.set_error(error);
  reply_.close = true;
  failed_ = true;
  send();
}

}  // namespace feeds::http
