#include "common/feeds/collection.h"

#include <fmt/format.h>

#include "common/feeds/row_cursor.h"
#include "common/keys/activity_keyspace.h"

namespace feeds {
namespace {

Error no_such_collection(std::string_view collection) {
  return Error{Code::kNoSuchCollection, fmt::format("there is no collection \"{}\"", collection)};
}

Status require(store::View& view, std::string_view collection) {
  const bool there = view.find(keys::collection_key(collection)).has_value();
  if (auto readable = view.status(); !readable) return readable;
  if (!there) return no_such_collection(collection);
  return done();
}

void as_stored(std::string_view, std::string_view value, std::string& out) {
  out += value;
}

}  // namespace

Status append_collection(store::View& view, std::string_view collection, std::string& out) {
  const auto value = view.find(keys::collection_key(collection));
  if (!value) return no_such_collection(collection);
  out += *value;
  return done();
}

Status append_object(store::View& view, std::string_view collection, std::string_view object,
                     std::string& out) {
  if (auto there = require(view, collection); !there) return there;
  const auto value = view.find(keys::object_key(collection, object));
  if (!value) {
    return Error{Code::kNoSuchObject,
                 fmt::format("there is no object \"{}\" in collection \"{}\"", object, collection)};
  }
  out += *value;
  return done();
}

std::unique_ptr<ItemCursor> list_collections(store::View view, std::optional<std::string> after) {
  auto range = keys::range_of(keys::Space::kCollections);
  if (after) range.first = keys::collection_key(*after) + '\0';
  return std::make_unique<RowCursor>(
      std::move(view), std::move(range), as_stored,
      [](std::string_view key) { return keys::parse_collection(key).value_or(""); });
}

Result<std::unique_ptr<ItemCursor>> list_objects(store::View view, std::string_view collection,
                                                 std::optional<std::string> after) {
  if (auto there = require(view, collection); !there) return there.error();
  auto range = keys::objects_of(collection);
  if (after) range.first = keys::object_key(collection, *after) + '\0';
  return std::unique_ptr<ItemCursor>(std::make_unique<RowCursor>(
      std::move(view), std::move(range), as_stored,
      [](std::string_view key) { return keys::parse_object(key).value_or(""); }));
}

}  // namespace feeds
