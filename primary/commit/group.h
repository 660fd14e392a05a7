#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/store/batch.h"
#include "common/store/database.h"
#include "primary/commit/counters.h"

namespace feeds::commit {

class Deletions;

// The commit under construction: what the commands of one group write, and the state that they see,
// which is the database as the commands before them in the group have left it. Belongs to whoever
// holds the writer.
class Group {
 public:
  Group(store::DatabasePtr database, Counters& counters, Deletions& deletions);

  // A row as this group has left it; nullopt if absent. Error: kInternal.
  Result<std::optional<std::string>> get(std::string_view key);
  void put(std::string_view key, std::string_view value);
  void erase(std::string_view key);

  Counters& counters() { return counters_; }
  Deletions& deletions() { return deletions_; }
  const store::DatabasePtr& database() const { return database_; }

  // Brackets a command: what it wrote and the ids it took stay with keep() and are gone with undo().
  void begin_command();
  void keep();
  void undo();

  // Number and size of what was written so far.
  std::uint32_t entries() const { return batch_.entries(); }
  std::size_t bytes() const { return batch_.bytes(); }

  // The batch, counters included. The group ends with it.
  store::Batch& seal();

 private:
  using Rows = std::map<std::string, std::optional<std::string>, std::less<>>;

  store::DatabasePtr database_;
  Counters& counters_;
  Deletions& deletions_;
  store::Batch batch_;
  // The batch's rows by key. Made when a command first reads: groups that only publish never pay for it.
  std::optional<Rows> rows_;
};

}  // namespace feeds::commit
