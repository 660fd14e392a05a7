#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/store/database.h"

namespace rocksdb {
class Iterator;
class PinnableSlice;
}  // namespace rocksdb

namespace feeds::store {

// A consistent view of one database: an iterator and the position of what it sees. Holds a handle.
// One thread's. Cheap to make (no mutex of RocksDB), so one is made a request.
//
// A view that steps behind the last entry of what its reader wants walks over all that was deleted there,
// which may be a million rows: so ranges are read with their end as a bound. RocksDB's iterators have one bound
// for life; a passing() view makes one for each range, and holds only while no commit comes between.
class View {
 public:
  // Shows the head. For reads of a few microseconds that can be repeated: once stale(), nothing that it
  // gave counts, and the read is done again with a view of the other kind.
  static View passing(std::shared_ptr<const Database> database) {
    return View(std::move(database), Passing{});
  }
  // A commit came while this passing() view was read from.
  bool stale() const { return stale_; }

  // Blocks that a kScan reads are not kept in the cache: it walks whole spaces, and would push out what
  // pages are read from.
  enum class Purpose { kPages, kScan };

  explicit View(std::shared_ptr<const Database> database, Purpose purpose = Purpose::kPages)
      : View(std::move(database), purpose, {}) {}
  // One that ends before the key `end`, for a scan up to there: without a bound, the step behind the last
  // entry of a range walks over all that was deleted behind it.
  View(std::shared_ptr<const Database> database, std::string_view end)
      : View(std::move(database), Purpose::kPages, end) {}
  ~View();
  View(View&&) noexcept;
  View& operator=(View&&) noexcept;

  // The commit this view shows exactly.
  Position position() const { return position_; }

  // Moves to the first entry at or after `key`; false at the end, and on a read error (see status()).
  bool seek(std::string_view key);
  // The same in a range that ends before `end`, for next() too.
  bool seek(std::string_view key, std::string_view end);
  bool next();
  // Moves to the last entry of [first, end); false if there is none, and on a read error.
  bool seek_last(std::string_view first, std::string_view end);
  // Of the entry moved to; valid until the next move.
  std::string_view key() const;
  std::string_view value() const;

  // The value of `key`, nullopt if it is absent. Valid until the next move or find, and may move.
  std::optional<std::string_view> find(std::string_view key);

  // Calls `f(key, value)` for each entry of [first, end) until f returns false.
  template <class F>
  void scan(std::string_view first, std::string_view end, F&& f) {
    for (bool more = seek(first, end); more; more = next()) {
      if (!f(key(), value())) return;
    }
  }

  // Whether the space `pending` is known to have no rows here, without a look.
  bool pending_known_empty() const;
  // It was looked at, and had none.
  void pending_seen_empty() const;

  // kInternal once a move met a read error, or once stale(): what was read may be incomplete.
  Status status() const;

  const Database& database() const { return *database_; }
  bool retired() const { return database_->retired(); }

 private:
  struct Bounds;
  struct Passing {};
  View(std::shared_ptr<const Database> database, Passing);
  View(std::shared_ptr<const Database> database, Purpose purpose, std::string_view end);
  void settle();
  void make_iterator(Purpose purpose, std::string_view first, std::string_view end);
  bool ready(std::string_view key, std::string_view end);
  bool at_entry() const;
  bool unchanged_since() const;

  std::shared_ptr<const Database> database_;
  bool passing_ = false;
  bool stale_ = false;
  std::unique_ptr<Bounds> bounds_;  // null: none
  std::string end_;                 // of the range read; empty: none, or the iterator's own bound is it
  std::unique_ptr<rocksdb::Iterator> iterator_;
  std::unique_ptr<rocksdb::PinnableSlice> found_;
  Status read_status_ = done();
  bool settled_ = true;  // position_ was the head's over the making of this
  std::uint64_t pending_changes_ = 0;
  Position position_;
};

}  // namespace feeds::store
