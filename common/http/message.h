#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"

namespace feeds::http {

enum class Method : std::uint8_t { kGet, kHead, kPost, kPut, kPatch, kDelete, kOptions, kOther };
std::string_view to_string(Method method);

// A request as its handler sees it. The session owns it: every view is valid until the exchange
// is answered. Reused from request to request on a connection.
struct Request {
  Method method = Method::kGet;
  bool head = false;                        // a HEAD: the handler of GET runs, no body is sent
  std::string_view path;                    // as sent, without scheme and host, up to '?'
  std::string_view query;                   // after '?', undecoded, empty if none
  std::string body;                         // whole, dechunked
  std::string content_type;                 // as sent; empty if absent
  std::string origin;                       // the Origin header
  std::optional<std::string> min_position;  // Feeds-Min-Position, as sent
  std::optional<std::string> wait_ms;       // Feeds-Wait-Ms, as sent

  // Decoded values of the route's {placeholders}, in order.
  std::array<std::string, 3> path_values;
  std::string_view path_value(std::size_t index) const { return path_values[index]; }

  // The first query parameter of that name, percent- and plus-decoded once. nullopt if absent.
  // Error: kBadParameter naming it, if its escapes are malformed or it is not UTF-8.
  Result<std::optional<std::string>> query_value(std::string_view name) const;
};

// A reply, filled in by a handler; the session writes the head by hand into one reused buffer.
struct Reply {
  int status = 200;
  std::string_view content_type = "application/json";  // static storage; ignored without a body
  std::string body;                                    // reused: cleared, not freed
  std::string location;
  std::string allow;
  std::string link;
  std::optional<Position> position;  // Feeds-Position
  std::optional<int> retry_after_s;
  bool close = false;  // Connection: close after this

  void clear();
  // A problem+json body with the code's status and title; Retry-After where the code has one
  // (overloaded, no_primary, replica_behind, reopening, write_failed, position_not_reached: 1 s).
  // Keeps `position` and `allow`.
  void set_error(const Error& error);
};

// A reply that is made while it is sent (chunked), so that it needs bounded memory. Runs on the
// session's io thread. Destroyed as soon as the reply has ended or was cut.
class BodySource {
 public:
  virtual ~BodySource() = default;
  // Appends about limits::kStreamChunkBytes to `out`. True: there is more. False: that was all.
  // An Error cuts the reply (the last chunk is never sent), so that the client sees it is short.
  virtual Result<bool> next(std::string& out) = 0;
  // True once the reply must end soon, its database having been replaced: it is cut
  // limits::kRetiredStreamTime after this was first seen.
  virtual bool retired() const { return false; }
};

}  // namespace feeds::http
