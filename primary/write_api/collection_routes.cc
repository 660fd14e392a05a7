#include <fmt/format.h>

#include "primary/commands/collection.h"
#include "primary/write_api/answers.h"
#include "primary/write_api/members.h"
#include "primary/write_api/routes.h"

namespace feeds::write_api {
namespace {

using commands::DeletingType;
using http::ExchangePtr;
using http::Method;

Result<DeletingType> deleting_type(const json::Object& object) {
  const auto* member = object.find("deletingType");
  if (member == nullptr) {
    return Error{Code::kMissingMember, "member \"deletingType\" is missing"};
  }
  const auto text = member->kind == json::Kind::kString ? json::string_value(*member)
                                                        : Result<std::string>(std::string());
  if (!text) return text.error();
  if (*text == "CASCADE") return DeletingType::kCascade;
  if (*text == "SET_NIL") return DeletingType::kSetNil;
  return Error{Code::kBadMember, R"(member "deletingType" must be "CASCADE" or "SET_NIL")"};
}

void create_collection(const WriteContext& context, const ExchangePtr& exchange) {
  const auto object = json::parse_object(exchange->request().body);
  if (!object) return exchange->send_error(object.error());
  if (auto known = object->only({"id", "deletingType"}); !known) {
    return exchange->send_error(known.error());
  }
  auto id = id_member(*object);
  if (!id) return exchange->send_error(id.error());
  const auto rule = deleting_type(*object);
  if (!rule) return exchange->send_error(rule.error());
  run_command<commands::CreateCollection>(
      context, exchange, {.collection = std::move(*id), .deleting_type = *rule}, 0,
      send_created(
          [](const auto& done) { return "/v1/collections/" + path_segment(done.collection); }));
}

void create_object(const WriteContext& context, const ExchangePtr& exchange) {
  auto collection = path_text(exchange->request(), 0, "collectionId");
  if (!collection) return exchange->send_error(collection.error());
  const auto& body = exchange->request().body;
  const auto object = json::parse_object(body);
  if (!object) return exchange->send_error(object.error());
  if (auto known = object->only({"id", "data"}); !known) {
    return exchange->send_error(known.error());
  }
  auto id = id_member(*object);
  if (!id) return exchange->send_error(id.error());
  run_command<commands::CreateObject>(context, exchange,
                                      {.collection = std::move(*collection),
                                       .object = std::move(*id),
                                       .data = json_member(*object, "data")},
                                      body.size(), send_created([](const auto& done) {
                                        return fmt::format("/v1/collections/{}/objects/{}",
                                                           path_segment(done.collection),
                                                           path_segment(done.object));
                                      }));
}

void update_object(const WriteContext& context, const ExchangePtr& exchange) {
  auto collection = path_text(exchange->request(), 0, "collectionId");
  if (!collection) return exchange->send_error(collection.error());
  auto object = path_text(exchange->request(), 1, "objectId");
  if (!object) return exchange->send_error(object.error());
  const auto& body = exchange->request().body;
  auto data = only_member(body, "data");
  if (!data) return exchange->send_error(data.error());
  run_command<commands::UpdateObject>(context, exchange,
                                      {.collection = std::move(*collection),
                                       .object = std::move(*object),
                                       .data = std::move(*data)},
                                      body.size(), kSendValue);
}

void delete_object(const WriteContext& context, const ExchangePtr& exchange) {
  auto collection = path_text(exchange->request(), 0, "collectionId");
  if (!collection) return exchange->send_error(collection.error());
  auto object = path_text(exchange->request(), 1, "objectId");
  if (!object) return exchange->send_error(object.error());
  run_command<commands::DeleteObject>(
      context, exchange, {.collection = std::move(*collection), .object = std::move(*object)}, 0,
      kSendNothing);
}

}  // namespace

void mount_collection_routes(http::Router& router, const WriteContext& context) {
  const auto with = [&context](auto handler) {
    return [&context, handler](const ExchangePtr& exchange) { handler(context, exchange); };
  };
  constexpr std::string_view kObject = "/v1/collections/{collectionId}/objects/{objectId}";
  mount(router, Method::kPost, "/v1/collections", with(create_collection));
  mount(router, Method::kPost, "/v1/collections/{collectionId}/objects", with(create_object));
  mount(router, Method::kPut, kObject, with(update_object));
  mount(router, Method::kDelete, kObject, with(delete_object));
}

}  // namespace feeds::write_api
