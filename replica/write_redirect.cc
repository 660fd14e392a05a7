#include "replica/write_redirect.h"

#include "common/read_api/write_routes.h"

namespace feeds::replica {

void mount_write_redirects(http::Router& router,
                           std::function<std::optional<std::string>()> primary) {
  const auto redirect = [primary = std::move(primary)](const http::ExchangePtr& exchange) {
    const auto address = primary();
    if (!address) {
      return exchange->send_error({Code::kNoPrimary, "this replica does not know a primary"});
    }
    exchange->reply().status = 307;
    // Of a target in absolute form, only what follows its host.
    const http::Request& request = exchange->request();
    std::string& location = exchange->reply().location;
    location = "http://" + *address;
    location += request.path;
    if (!request.query.empty()) (location += '?') += request.query;
    exchange->send();
  };
  for (const auto& route : read_api::write_routes()) {
    router.add({.method = route.method,
                .pattern = std::string(route.pattern),
                .body = route.body,
                .handler = redirect,
                .at_head = true});
  }
}

}  // namespace feeds::replica
