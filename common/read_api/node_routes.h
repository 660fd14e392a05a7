#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/task_thread.h"
#include "common/feeds/digest.h"
#include "common/http/router.h"
#include "common/obs/metrics.h"
#include "common/obs/node_status.h"
#include "common/read_api/read_context.h"

// What a node says of itself: /healthz, /readyz, /metrics, /v1/cluster, /v1/digest.
namespace feeds::read_api {

// One node as /v1/cluster shows it.
struct NodeStatus {
  std::string role;
  std::optional<std::string> cluster_id;
  std::string node_id;
  std::optional<Position> position;  // nullopt: no data yet
  std::optional<Position> head;      // the primary's, as far as known
  obs::Lag lag;
  std::string advertise;
  std::optional<std::string> primary;  // advertised HTTP address
  std::string state;
  std::vector<obs::PeerStatus> peers;
};

struct NodeContext {
  const ReadContext& read;
  obs::Metrics& metrics;
  DigestPins& pins;
  TaskThread& digest_thread;
  std::function<NodeStatus()> status;
  // Why the node should get no reads now; nullopt if it is ready.
  std::function<std::optional<std::string>()> not_ready;
};

// `context` outlives the router.
void mount_node_routes(http::Router& router, const NodeContext& context);
void mount_digest_route(http::Router& router, const NodeContext& context);

// The gauges that both roles have: positions, lag, waiting reads.
void register_node_gauges(const NodeContext& context);

}  // namespace feeds::read_api
