#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/feeds/page.h"

// Collections and their objects.
namespace feeds {

// Appends the collection. Error: kNoSuchCollection.
Status append_collection(store::View& view, std::string_view collection, std::string& out);
// Appends the object. Error: kNoSuchCollection, kNoSuchObject.
Status append_object(store::View& view, std::string_view collection, std::string_view object,
                     std::string& out);

// All of them behind the id `after`, in the order of their bytes.
std::unique_ptr<ItemCursor> list_collections(store::View view, std::optional<std::string> after);
// Error: kNoSuchCollection.
Result<std::unique_ptr<ItemCursor>> list_objects(store::View view, std::string_view collection,
                                                 std::optional<std::string> after);

}  // namespace feeds
