#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/http/exchange.h"

namespace feeds::http {

// What a route takes as a body. Checked by the session before the handler runs, in the order
// media type (415), size (413), presence (400 missing_body).
enum class Body : std::uint8_t {
  kIgnored,       // GET, DELETE: a body is read and dropped
  kOptionalJson,  // application/json or no type
  kRequiredJson,
  kText,  // text/plain, application/json or no type; may be empty
};

struct Route {
  Method method;  // kGet also serves HEAD
  std::string
      pattern;  // "/v1/feeds/{feedId}": literal segments and placeholders; also the metrics label
  Body body = Body::kIgnored;
  Handler handler;
  // The handler needs no body and answers at the head: the body is left unread, no 100 is sent.
  // For redirects of writes on a replica.
  bool at_head = false;
  // Answered also while the server holds limits::kHeldBytes of bodies and replies. For small replies that
  // tell how the node is.
  bool always = false;
};

// Routes, matched by segments: the path is split at '/' first, then each segment is
// percent-decoded once; one trailing slash means the same as none. Literals win over
// placeholders; a placeholder takes any segment but an empty one. Immutable once the server runs,
// so every io thread may match.
class Router {
 public:
  Router();
  ~Router();
  Router(Router&&) noexcept;
  Router& operator=(Router&&) noexcept;

  // A pattern added twice for one method is a bug, as is one with more than three placeholders.
  void add(Route route);

  struct Match {
    const Route* route = nullptr;     // null: see `error`
    Code error = Code::kNoSuchRoute;  // kNoSuchRoute, kMethodNotAllowed or kBadPath
    std::string detail;
    std::string allow;         // of the path, when it has routes: "GET, HEAD, POST, OPTIONS"
    std::string_view pattern;  // the path's, also on 405; empty on 404
  };
  // Fills `request.path_values`. OPTIONS never has a route: the session answers it from `allow`.
  Match match(Request& request) const;

  const std::vector<Route>& routes() const { return routes_; }

 private:
  struct Node;
  struct Segments;

  const Node* find(const Node& node, const Segments& segments, std::size_t at) const;

  std::vector<Route> routes_;
  std::unique_ptr<Node> root_;
};

}  // namespace feeds::http
