#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "tools/feedctl/client.h"

// What /v1/cluster tells. What a node does not say is not known: nullopt.
namespace feeds::feedctl {

struct PeerStatus {
  std::optional<std::string> node_id, advertise, position, state;
  std::optional<bool> connected;
  std::optional<std::uint64_t> lag_ms, lag_sequences;
};

struct NodeStatus {
  std::optional<std::string> role, cluster_id, node_id, position, head, advertise, primary, state;
  std::optional<std::uint64_t> epoch, lag_ms;
  std::vector<PeerStatus> peers;
  std::string json;  // as sent
};

// Error (kInternal): not a JSON object.
Result<NodeStatus> parse_cluster(std::string_view json);
Result<NodeStatus> ask_cluster(Client& client);

// Of one node: its answer, or why there is none. All nodes are asked at once.
using Answers = std::vector<Result<NodeStatus>>;
Answers ask_all(std::vector<Client>& clients);

}  // namespace feeds::feedctl
