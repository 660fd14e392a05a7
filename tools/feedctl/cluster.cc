#include "tools/feedctl/cluster.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <future>

namespace feeds::feedctl {
namespace {

namespace json = boost::json;

std::optional<std::string> text_of(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  if (!value || !value->is_string()) return std::nullopt;
  return std::string(value->get_string());
}

std::optional<std::uint64_t> number_of(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  if (!value || !value->is_number()) return std::nullopt;
  if (value->is_double()) {
    return value->get_double() < 0 ? std::nullopt
                                   : std::optional(static_cast<std::uint64_t>(value->get_double()));
  }
  boost::system::error_code error;
  const auto number = value->to_number<std::uint64_t>(error);
  return error ? std::nullopt : std::optional(number);
}

PeerStatus parse_peer(const json::object& object) {
  PeerStatus peer;
  peer.node_id = text_of(object, "nodeId");
  peer.advertise = text_of(object, "advertise");
  peer.position = text_of(object, "position");
  peer.state = text_of(object, "state");
  if (const auto* value = object.if_contains("connected"); value && value->is_bool()) {
    peer.connected = value->get_bool();
  }
  peer.lag_ms = number_of(object, "lagMs");
  peer.lag_sequences = number_of(object, "lagSequences");
  return peer;
}

}  // namespace

Result<NodeStatus> parse_cluster(std::string_view text) {
  boost::system::error_code error;
  const json::value value = json::parse(text, error);
  if (error || !value.is_object())
    return Error{Code::kInternal, "its /v1/cluster is no JSON object"};
  const json::object& object = value.get_object();
  NodeStatus node;
  node.role = text_of(object, "role");
  node.cluster_id = text_of(object, "clusterId");
  node.node_id = text_of(object, "nodeId");
  node.epoch = number_of(object, "epoch");
  node.position = text_of(object, "position");
  node.head = text_of(object, "head");
  node.lag_ms = number_of(object, "lagMs");
  node.advertise = text_of(object, "advertise");
  node.primary = text_of(object, "primary");
  node.state = text_of(object, "state");
  if (const auto* peers = object.if_contains("peers"); peers && peers->is_array()) {
    for (const json::value& peer : peers->get_array()) {
      if (peer.is_object()) node.peers.push_back(parse_peer(peer.get_object()));
    }
  }
  node.json = text;
  while (!node.json.empty() && node.json.back() == '\n') node.json.pop_back();
  return node;
}

Result<NodeStatus> ask_cluster(Client& client) {
  const auto reply = client.get("/v1/cluster");
  if (!reply) return reply.error();
  if (reply->status != 200) {
    return Error{Code::kInternal,
                 fmt::format("{}: {}", client.url().text, describe_failure(*reply))};
  }
  auto parsed = parse_cluster(reply->body);
  if (!parsed)
    return Error{Code::kInternal, fmt::format("{}: {}", client.url().text, parsed.error().detail)};
  return parsed;
}

Answers ask_all(std::vector<Client>& clients) {
  std::vector<std::future<Result<NodeStatus>>> asked;
  for (Client& client : clients) {
    asked.push_back(std::async(std::launch::async, [&client] { return ask_cluster(client); }));
  }
  Answers answers;
  for (auto& answer : asked) answers.push_back(answer.get());
  return answers;
}

}  // namespace feeds::feedctl
