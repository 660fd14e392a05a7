#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/http/message.h"

namespace feeds::http {

// Which origins may read replies in a browser. Immutable.
class CorsPolicy {
 public:
  // Exact origins, or "*"; none: no CORS headers at all.
  explicit CorsPolicy(std::vector<std::string> origins);

  // The CORS headers of a reply to a request of `origin` (empty: it named none).
  void append(std::string& head, std::string_view origin) const;
  // The further ones of a preflight's answer. `headers`: Access-Control-Request-Headers.
  void append_preflight(std::string& head, std::string_view origin, std::string_view allow,
                        std::string_view headers) const;

 private:
  bool takes(std::string_view origin) const;

  std::vector<std::string> origins_;
  bool any_ = false;
};

// Which framing a reply's body has.
enum class Framing : std::uint8_t {
  kLength,  // Content-Length
  kChunked,
  kToClose,  // HTTP/1.0's way of streaming
};

// Writes a reply's head up to, not including, the empty line: status line, Date, the headers
// that `reply` asks for, framing and connection. Control characters in values are left out.
// `http10`: the request's version, which decides how keep-alive is said.
void append_head(std::string& out, const Reply& reply, std::string_view date, Framing framing,
                 bool close, bool http10);

// `Date` in IMF-fixdate. Rendered once a second; one for each io thread.
class DateCache {
 public:
  std::string_view now();

 private:
  std::int64_t second_ = -1;
  std::array<char, 32> text_{};
  std::size_t size_ = 0;
};

}  // namespace feeds::http
