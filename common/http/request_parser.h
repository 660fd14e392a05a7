#pragma once

#include <boost/beast/http/basic_parser.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/http/message.h"

namespace feeds::http {

// What a head says to the session and not to handlers. Reused from request to request.
struct HeadFacts {
  int version = 11;  // 10 or 11
  bool keep_alive = true;
  bool expect_continue = false;
  int hosts = 0;
  int content_lengths = 0;
  int transfer_encodings = 0;
  bool chunked = false;             // the one Transfer-Encoding is `chunked`
  bool bad_content_length = false;  // anything but one row of digits
  std::uint64_t content_length = 0;
  std::string target;
  std::string content_encoding;
  std::string preflight_method;   // Access-Control-Request-Method
  std::string preflight_headers;  // Access-Control-Request-Headers

  void clear();
  bool has_body() const { return chunked || content_length > 0; }
};

// Parses request line and headers straight into a Request and HeadFacts; nothing is stored per
// header. Used for one head, up to is_header_done(); bodies are decoded by BodyDecoder.
class RequestParser final : public boost::beast::http::basic_parser<true> {
 public:
  // Both are cleared, and outlive the parser.
  RequestParser(Request& request, HeadFacts& facts);

 private:
  using error_code = boost::beast::error_code;
  using text = boost::beast::string_view;

  void on_request_impl(boost::beast::http::verb method, text method_text, text target, int version,
                       error_code& ec) override;
  void on_field_impl(boost::beast::http::field name, text name_text, text value,
                     error_code& ec) override;
  void on_header_impl(error_code& ec) override;
  void on_unknown_field(std::string_view name, std::string_view value);

  void on_response_impl(int, text, int, error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(text, error_code&) override { return 0; }
  void on_chunk_header_impl(std::uint64_t, text, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, text, error_code&) override { return 0; }
  void on_finish_impl(error_code&) override {}

  Request& request_;
  HeadFacts& facts_;
};

// Makes path and query of facts.target, in origin form or absolute form. `*` is left as it is.
// Error: kBadRequest for any other form.
Status split_target(std::string_view target, Request& request);

}  // namespace feeds::http
