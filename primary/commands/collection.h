#pragma once

#include <string>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "primary/commit/group.h"

// Commands on collections and their objects. See feed.h for the form. Ids are valid ones; an empty
// one of a new collection or object is replaced by one made up. `value` is the collection or object
// as served.
namespace feeds::commands {

// What becomes of the activities that point at an object that is deleted.
enum class DeletingType { kCascade, kSetNil };

// Error: kCollectionExists.
struct CreateCollection {
  std::string collection{};
  DeletingType deleting_type;

  std::string value{};

  Status run(commit::Group& group);
};

// Error: kNoSuchCollection, kObjectExists.
struct CreateObject {
  std::string collection{};
  std::string object{};
  std::string data = "null";  // JSON, compact

  std::string value{};

  Status run(commit::Group& group);
};

// Error: kNoSuchCollection, kNoSuchObject.
struct UpdateObject {
  std::string collection{};
  std::string object{};
  std::string data{};

  std::string value{};

  Status run(commit::Group& group);
};

// Deletes the object and, by the collection's rule, the activities that point at it, or their
// reference: those of this collection and object, and those of this object and no collection.
// Reactions are not touched. Error: kNoSuchCollection, kNoSuchObject; kOverloaded.
struct DeleteObject {
  std::string collection{};
  std::string object{};

  Status run(commit::Group& group);
};

}  // namespace feeds::commands
