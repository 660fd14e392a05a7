#include "common/read_api/node_routes.h"

#include <boost/json.hpp>

#include "common/read_api/openapi.h"

namespace feeds::read_api {
namespace {

namespace bj = boost::json;

template <class T>
bj::value or_null(const std::optional<T>& value) {
  if (!value) return nullptr;
  if constexpr (std::is_same_v<T, Position>) {
    return bj::value(to_string(*value));
  } else if constexpr (std::is_same_v<T, std::chrono::milliseconds>) {
    return bj::value(value->count());
  } else {
    return bj::value(*value);
  }
}

bj::object to_json(const obs::PeerStatus& peer) {
  bj::object object;
  object["nodeId"] = peer.node_id;
  object["advertise"] = peer.advertise;
  object["connected"] = peer.connected;
  object["position"] = or_null(peer.position);
  object["lagMs"] = or_null(peer.lag);
  object["lagSequences"] = or_null(peer.lag_sequences);
  object["state"] = peer.state;
  return object;
}

bj::object to_json(const NodeStatus& node) {
  bj::object object;
  object["role"] = node.role;
  object["clusterId"] = or_null(node.cluster_id);
  object["nodeId"] = node.node_id;
  object["epoch"] = node.position ? bj::value(node.position->epoch.value) : bj::value(nullptr);
  object["position"] = or_null(node.position);
  object["head"] = or_null(node.head);
  object["lagMs"] = or_null(node.lag);
  object["advertise"] = node.advertise;
  object["primary"] = or_null(node.primary);
  object["state"] = node.state;
  bj::array peers;
  for (const auto& peer : node.peers) peers.push_back(to_json(peer));
  object["peers"] = std::move(peers);
  return object;
}

void send_json(http::Exchange& exchange, const bj::object& object) {
  exchange.reply().body = bj::serialize(object);
  exchange.send();
}

void readyz(const NodeContext& context, const http::ExchangePtr& exchange) {
  const auto reason = context.not_ready();
  if (reason) return exchange->send_error({Code::kNotReady, *reason});
  send_json(*exchange, {{"ready", true}});
}

void metrics(const NodeContext& context, const http::ExchangePtr& exchange) {
  exchange->reply().content_type = "text/plain; version=0.0.4; charset=utf-8";
  exchange->reply().body = context.metrics.render();
  exchange->send();
}

}  // namespace

void mount_node_routes(http::Router& router, const NodeContext& context) {
  const auto get = [&router](std::string pattern, http::Handler handler) {
    router.add({.method = http::Method::kGet,
                .pattern = std::move(pattern),
                .handler = std::move(handler),
                .always = true});
  };
  get("/healthz", [](const auto& exchange) { send_json(*exchange, {{"status", "ok"}}); });
  get("/readyz", [&context](const auto& exchange) { readyz(context, exchange); });
  get("/metrics", [&context](const auto& exchange) { metrics(context, exchange); });
  get("/openapi.json", [](const auto& exchange) {
    exchange->reply().body = openapi_json();
    exchange->send();
  });
  get("/v1/cluster",
      [&context](const auto& exchange) { send_json(*exchange, to_json(context.status())); });
}

void register_node_gauges(const NodeContext& context) {
  auto& metrics = context.metrics;
  metrics.gauge("feeds_applied_sequence", "Sequence of the newest commit this node serves",
                [&context] {
                  const auto position = context.status().position;
                  return position ? std::optional<double>(position->sequence.value) : std::nullopt;
                });
  metrics.gauge("feeds_waiting_reads", "Reads that wait for a position",
                [&context] { return std::optional<double>(context.read.gate.waiting()); });
}

}  // namespace feeds::read_api
