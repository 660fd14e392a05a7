#include "primary/commands/collection.h"

#include "common/json/text.h"
#include "common/keys/activity_keyspace.h"
#include "primary/commands/activity_rows.h"
#include "primary/commands/deletion_steps.h"
#include "primary/commit/deletions.h"

namespace feeds::commands {
namespace {

constexpr std::string_view kCascade = "CASCADE";
constexpr std::string_view kSetNil = "SET_NIL";

std::string as_json(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

std::string collection_value(std::string_view collection, std::string_view deleting_type) {
  return "{\"id\":" + as_json(collection) + ",\"deletingType\":\"" + std::string(deleting_type) +
         "\"}";
}

std::string object_value(std::string_view object, std::string_view data) {
  return "{\"id\":" + as_json(object) + ",\"data\":" + std::string(data) + "}";
}

// The rule of a collection. Error: kNoSuchCollection.
Result<DeletingType> rule_of(commit::Group& group, const std::string& collection) {
  const auto value = group.get(keys::collection_key(collection));
  if (!value) return value.error();
  if (!*value) {
    return Error{Code::kNoSuchCollection, "there is no collection " + as_json(collection)};
  }
  const bool cascade = **value == collection_value(collection, kCascade);
  return cascade ? DeletingType::kCascade : DeletingType::kSetNil;
}

Error no_such_object(const std::string& object) {
  return Error{Code::kNoSuchObject, "there is no object " + as_json(object)};
}

// Sets an empty id to a random one whose row, as `key_of` has it, does not exist. For a given one,
// whether its row exists.
template <class KeyOf>
Result<bool> choose_id(commit::Group& group, std::string& id, KeyOf key_of) {
  const bool given = !id.empty();
  while (true) {
    if (!given) id = random_id();
    const auto present = group.get(key_of(id));
    if (!present) return present.error();
    if (given || !*present) return present->has_value();
  }
}

}  // namespace

Status CreateCollection::run(commit::Group& group) {
  const auto present = choose_id(group, collection, keys::collection_key);
  if (!present) return present.error();
  if (*present) {
    return Error{Code::kCollectionExists, "there is a collection " + as_json(collection)};
  }
  value =
      collection_value(collection, deleting_type == DeletingType::kCascade ? kCascade : kSetNil);
  group.put(keys::collection_key(collection), value);
  return done();
}

Status CreateObject::run(commit::Group& group) {
  if (const auto rule = rule_of(group, collection); !rule) return rule.error();
  const auto present = choose_id(
      group, object, [this](const std::string& id) { return keys::object_key(collection, id); });
  if (!present) return present.error();
  if (*present) return Error{Code::kObjectExists, "there is an object " + as_json(object)};
  value = object_value(object, data);
  if (auto fits = check_size(value); !fits) return fits;
  group.put(keys::object_key(collection, object), value);
  return done();
}

Status UpdateObject::run(commit::Group& group) {
  if (const auto rule = rule_of(group, collection); !rule) return rule.error();
  const auto key = keys::object_key(collection, object);
  const auto stored = group.get(key);
  if (!stored) return stored.error();
  if (!*stored) return no_such_object(object);
  value = object_value(object, data);
  if (auto fits = check_size(value); !fits) return fits;
  if (value != **stored) group.put(key, value);
  return done();
}

Status DeleteObject::run(commit::Group& group) {
  const auto budget = group.deletions().inline_budget(group);
  const auto rule = rule_of(group, collection);
  if (!rule) return rule.error();
  const auto key = keys::object_key(collection, object);
  const auto stored = group.get(key);
  if (!stored) return stored.error();
  if (!*stored) return no_such_object(object);
  const auto pending = pending_deletions(group);
  if (!pending) return pending.error();
  group.erase(key);
  const bool cascade = *rule == DeletingType::kCascade;
  return delete_or_defer(
      group, *pending,
      {.kind = cascade ? DeletionKind::kObjectCascade : DeletionKind::kObjectSetNil,
       .below = group.counters().peek(keys::CounterKind::kActivities),
       .collection_id = collection,
       .object_id = object},
      budget);
}

}  // namespace feeds::commands
