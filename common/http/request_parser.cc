#include "common/http/request_parser.h"

#include <algorithm>

#include "common/http/text.h"

namespace feeds::http {
namespace {

using boost::beast::http::field;
using boost::beast::http::verb;

std::string_view view(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

Method method_of(verb method) {
  switch (method) {
    case verb::get:
      return Method::kGet;
    case verb::head:
      return Method::kHead;
    case verb::post:
      return Method::kPost;
    case verb::put:
      return Method::kPut;
    case verb::patch:
      return Method::kPatch;
    case verb::delete_:
      return Method::kDelete;
    case verb::options:
      return Method::kOptions;
    default:
      return Method::kOther;
  }
}

// A header sent twice is the list of both, by RFC 9110: what takes no list then refuses it.
void append_value(std::string& to, std::string_view value) {
  if (!to.empty()) to += ", ";
  to += value;
}

void append_value(std::optional<std::string>& to, std::string_view value) {
  if (to) {
    *to += ", ";
    *to += value;
  } else {
    to.emplace(value);
  }
}

}  // namespace

void HeadFacts::clear() {
  version = 11;
  keep_alive = true;
  expect_continue = false;
  hosts = 0;
  content_lengths = 0;
  transfer_encodings = 0;
  chunked = false;
  bad_content_length = false;
  content_length = 0;
  target.clear();
  content_encoding.clear();
  preflight_method.clear();
  preflight_headers.clear();
}

RequestParser::RequestParser(Request& request, HeadFacts& facts)
    : request_(request), facts_(facts) {
  facts_.clear();
  request_.method = Method::kOther;
  request_.head = false;
  request_.path = request_.query = {};
  request_.body.clear();
  request_.content_type.clear();
  request_.origin.clear();
  request_.min_position.reset();
  request_.wait_ms.reset();
}

void RequestParser::on_request_impl(verb method, text, text target, int version, error_code&) {
  request_.method = method_of(method);
  request_.head = request_.method == Method::kHead;
  facts_.target.assign(target.data(), target.size());
  facts_.version = version;
}

void RequestParser::on_field_impl(field name, text name_text, text value_text, error_code&) {
  const std::string_view value = view(value_text);
  switch (name) {
    case field::host:
      ++facts_.hosts;
      break;
    case field::content_type:
      append_value(request_.content_type, value);
      break;
    case field::origin:
      append_value(request_.origin, value);
      break;
    case field::content_length: {
      ++facts_.content_lengths;
      const auto length = parse_decimal(value.substr(
          std::min(value.find_first_not_of('0'), value.empty() ? 0 : value.size() - 1)));
      facts_.bad_content_length = facts_.bad_content_length || !length;
      facts_.content_length = length.value_or(0);
      break;
    }
    case field::transfer_encoding:
      ++facts_.transfer_encodings;
      facts_.chunked = equals_ignoring_case(value, "chunked");
      break;
    case field::content_encoding:
      append_value(facts_.content_encoding, value);
      break;
    case field::expect:
      facts_.expect_continue = equals_ignoring_case(value, "100-continue");
      break;
    case field::access_control_request_method:
      append_value(facts_.preflight_method, value);
      break;
    case field::access_control_request_headers:
      append_value(facts_.preflight_headers, value);
      break;
    case field::unknown:
      on_unknown_field(view(name_text), value);
      break;
    default:
      break;
  }
}

void RequestParser::on_unknown_field(std::string_view name, std::string_view value) {
  if (equals_ignoring_case(name, "Feeds-Min-Position")) {
    append_value(request_.min_position, value);
  } else if (equals_ignoring_case(name, "Feeds-Wait-Ms")) {
    append_value(request_.wait_ms, value);
  }
}

void RequestParser::on_header_impl(error_code&) {
  facts_.keep_alive = keep_alive();
}

Status split_target(std::string_view target, Request& request) {
  std::string_view rest = target;
  if (rest == "*") {
    request.path = rest;
    return done();
  }
  if (rest.empty() || rest.front() != '/') {
    const std::size_t scheme = rest.find("://");
    if (scheme == std::string_view::npos ||
        !(equals_ignoring_case(rest.substr(0, scheme), "http") ||
          equals_ignoring_case(rest.substr(0, scheme), "https"))) {
      return Error{Code::kBadRequest, "the request target is neither a path nor an http URL"};
    }
    rest.remove_prefix(scheme + 3);
    const std::size_t end = rest.find_first_of("/?");
    if (end == 0) return Error{Code::kBadRequest, "the request target names no host"};
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end);
  }
  const std::size_t mark = rest.find('?');
  request.path = rest.substr(0, mark);
  if (request.path.empty()) request.path = "/";
  if (mark != std::string_view::npos) request.query = rest.substr(mark + 1);
  return done();
}

}  // namespace feeds::http
