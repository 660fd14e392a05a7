#pragma once

#include <span>
#include <string_view>

#include "common/http/router.h"

namespace feeds::read_api {

// A route that writes. A primary mounts a handler for each (primary/write_api), a replica a
// redirect to its primary (replica/write_redirect), both from this one list.
struct WriteRoute {
  http::Method method;
  std::string_view pattern;
  http::Body body;
};

std::span<const WriteRoute> write_routes();

}  // namespace feeds::read_api
