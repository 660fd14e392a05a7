#include "primary/write_api/routes.h"

#include "common/read_api/write_routes.h"

namespace feeds::write_api {

void mount(http::Router& router, http::Method method, std::string_view pattern,
           http::Handler handler) {
  for (const auto& route : read_api::write_routes()) {
    if (route.method != method || route.pattern != pattern) continue;
    router.add({.method = method,
                .pattern = std::string(pattern),
                .body = route.body,
                .handler = std::move(handler)});
    return;
  }
  assert(!"a write route that write_routes() does not list");
}

}  // namespace feeds::write_api
