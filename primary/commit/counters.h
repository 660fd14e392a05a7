#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/keys/keyspace.h"
#include "common/store/batch.h"
#include "common/store/database.h"

namespace feeds::commit {

// The counters that ids come from, in memory, and what a group has changed of them. The named ones are
// written with the records that took the ids, in the same batch, once a group. A feed's article counter
// is not written: its last article tells it. Belongs to whoever holds the writer.
class Counters {
 public:
  // Reads the named counters. Error: kInternal.
  static Result<Counters> load(store::DatabasePtr database);

  // The next id; takes it.
  std::uint64_t take(keys::CounterKind kind);
  // The next id, without taking it.
  std::uint64_t peek(keys::CounterKind kind) const;
  // Sets a counter that was never used. False if it was.
  bool start_at(keys::CounterKind kind, std::uint64_t value);

  // The next article id of a feed, without taking it; nullopt if there is no such feed.
  Result<std::optional<ArticleId>> peek_article(FeedId feed);
  // Takes the id that peek_article gave.
  void take_article(FeedId feed);
  void add_feed(FeedId feed);
  void remove_feed(FeedId feed);

  // Undo: forgets everything since the last mark().
  void mark() { undo_.clear(); }
  void undo_to_mark();

  // Puts what changed into the batch. settled() once it is committed.
  void write_changes(store::Batch& batch) const;
  void settled();

 private:
  explicit Counters(store::DatabasePtr database) : database_(std::move(database)) {}

  using FeedCounter = std::optional<std::uint64_t>;  // nullopt: the feed does not exist
  Result<FeedCounter> read(FeedId feed) const;
  void set_feed(FeedId feed, FeedCounter next);

  struct Change {
    std::optional<keys::CounterKind> kind;
    FeedId feed;
    FeedCounter before;
  };

  store::DatabasePtr database_;
  std::array<std::uint64_t, 3> named_{};
  std::array<bool, 3> used_{};
  std::unordered_map<FeedId, FeedCounter> feeds_;  // a cache: dropped when it grows too large
  std::vector<keys::CounterKind> named_changed_;
  std::vector<Change> undo_;
};

}  // namespace feeds::commit
