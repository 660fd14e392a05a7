#include "common/feeds/counter.h"
#include "common/read_api/list_reply.h"
#include "common/read_api/parameters.h"
#include "common/read_api/routes.h"

namespace feeds::read_api {
namespace {

Result<std::optional<CounterName>> after_counter(const http::Request& request) {
  const auto text = request.query_value("after");
  if (!text) return text.error();
  if (!*text) return std::optional<CounterName>();
  const auto name = parse_counter_name(**text);
  if (!name) return Error{Code::kBadParameter, "after must be the name of a counter, as listed"};
  return name;
}

void get_counters(const ReadContext& context, const http::ExchangePtr& exchange) {
  serve_list(context, exchange, after_counter(exchange->request()), "/v1/counters", list_counters);
}

}  // namespace

void mount_counter_routes(http::Router& router, const ReadContext& context) {
  router.add({.method = http::Method::kGet,
              .pattern = "/v1/counters",
              .handler = [&context](const auto& exchange) { get_counters(context, exchange); }});
}

}  // namespace feeds::read_api
