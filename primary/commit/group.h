#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/key_format/key_format.h"
#include "common/store/batch.h"
#include "common/store/database.h"
#include "common/store/reader.h"
#include "primary/commit/counters.h"

namespace feeds::commit {

class Deletions;
class Templates;

// The commit under construction: what the commands of one group write, and the state that they see,
// which is the database as the commands before them in the group have left it. Belongs to whoever
// holds the writer.
class Group : public store::Reader {
 public:
  // `now_ns` is the commit time.
  Group(store::DatabasePtr database, Counters& counters, Deletions& deletions, Templates& templates,
        std::int64_t now_ns);

  // Rows as this group has left them so far.
  Result<std::optional<std::string>> get(std::string_view key) override;
  Status scan(std::string_view first, std::string_view end, const Visit& f) override;

  void put(std::string_view key, std::string_view value);
  void erase(std::string_view key);

  Counters& counters() { return counters_; }
  Deletions& deletions() { return deletions_; }
  Templates& templates() { return templates_; }
  std::int64_t now_ns() const { return now_ns_; }
  const store::DatabasePtr& database() const { return database_; }

  // Brackets a command: what it wrote and the ids it took stay with keep() and are gone with
  // undo().
  void begin_command();
  void keep();
  void undo();

  // Brackets an attempt inside a command: the rows written since begin_attempt() stay or go. Ids
  // must not be taken meanwhile.
  void begin_attempt() { batch_.mark(); }
  void keep_attempt() { batch_.drop_mark(); }
  void undo_attempt();

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
  Templates& templates_;
  std::int64_t now_ns_;
  store::Batch batch_;
  std::uint32_t command_begin_ = 0;  // entries before the command
  // The batch's rows by key. Made when a command first reads: groups that only publish never pay
  // for it.
  std::optional<Rows> rows_;
  Rows& rows();
};

}  // namespace feeds::commit
