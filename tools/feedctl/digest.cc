#include "tools/feedctl/digest.h"

#include <fmt/format.h>

#include <boost/json.hpp>

namespace feeds::feedctl {
namespace {

namespace json = boost::json;

std::optional<std::string> text_of(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  if (!value || !value->is_string() || value->get_string().empty()) return std::nullopt;
  return std::string(value->get_string());
}

std::optional<SpaceDigest> content_of(const json::object& object) {
  const json::value* rows = object.if_contains("rows");
  const auto digest = text_of(object, "digest");
  if (!rows || !digest) return std::nullopt;
  boost::system::error_code error;
  const auto count = rows->to_number<std::uint64_t>(error);
  if (error) return std::nullopt;
  return SpaceDigest{count, *digest};
}

std::optional<NodeDigest> parse_digest(const json::object& object) {
  const auto position = parse_position(text_of(object, "position").value_or(""));
  const json::value* spaces = object.if_contains("spaces");
  if (!position || !spaces || !spaces->is_object()) return std::nullopt;
  NodeDigest node{*position, {}};
  for (const auto& [name, value] : spaces->get_object()) {
    const auto content = value.is_object() ? content_of(value.get_object()) : std::nullopt;
    if (!content) return std::nullopt;
    node.spaces[std::string(name)] = *content;
  }
  return node;
}

Error senseless(const Client& client) {
  return {Code::kInternal, fmt::format("{}: its /v1/digest makes no sense", client.url().text)};
}

Error failed(const Client& client, const Reply& reply) {
  return {Code::kInternal, fmt::format("{}: /v1/digest was answered {}", client.url().text,
                                       describe_failure(reply))};
}

std::optional<json::object> object_of(const Reply& reply) {
  boost::system::error_code error;
  json::value value = json::parse(reply.body, error);
  if (error || !value.is_object()) return std::nullopt;
  return value.get_object();
}

}  // namespace

Result<PinReply> ask_digest(Client& client, Position at) {
  const auto reply = client.get("/v1/digest?position=" + to_string(at));
  if (!reply) return reply.error();
  if (reply->status == 200) {
    const auto object = object_of(*reply);
    const auto digest = object ? parse_digest(*object) : std::nullopt;
    if (!digest) return senseless(client);
    return PinReply{Pinned::kYes, *digest};
  }
  const std::string code = problem_code(*reply);
  if (code == "position_passed") return PinReply{Pinned::kPassed, {}};
  if (code == "position_not_reached") return PinReply{Pinned::kNotReached, {}};
  if (reply->status == 503 && reply->header("retry-after")) return PinReply{Pinned::kBusy, {}};
  return failed(client, *reply);
}

Result<std::vector<std::string>> ask_violations(Client& client, Position at) {
  auto reply = client.get(fmt::format("/v1/digest?position={}&check=1", to_string(at)));
  if (reply && problem_code(*reply) == "position_passed") reply = client.get("/v1/digest?check=1");
  if (!reply) return reply.error();
  if (reply->status != 200) return failed(client, *reply);
  const auto object = object_of(*reply);
  const auto* told = object ? object->if_contains("violations") : nullptr;
  if (told == nullptr || !told->is_array()) return senseless(client);
  std::vector<std::string> violations;
  for (const json::value& violation : told->get_array()) {
    if (!violation.is_string()) return senseless(client);
    violations.emplace_back(violation.get_string());
  }
  return violations;
}

Result<Chunk> ask_chunk(Client& client, Position at, std::string_view space,
                        std::string_view from_hex, std::uint64_t limit) {
  std::string target =
      fmt::format("/v1/digest?position={}&space={}&limit={}", to_string(at), space, limit);
  if (!from_hex.empty()) target += fmt::format("&from={}", from_hex);
  const auto reply = client.get(target);
  if (!reply) return reply.error();
  if (reply->status != 200) return failed(client, *reply);
  const auto object = object_of(*reply);
  const auto content = object ? content_of(*object) : std::nullopt;
  if (!content || parse_position(text_of(*object, "position").value_or("")) != at)
    return senseless(client);
  return Chunk{*content, text_of(*object, "first"), text_of(*object, "last"),
               text_of(*object, "next")};
}

}  // namespace feeds::feedctl
