#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/store/position_record.h"

namespace rocksdb {
class WriteBatch;
}

namespace feeds::store {

// Writes that become visible, durable and replicated together, in order. One thread's.
class Batch {
 public:
  Batch();
  ~Batch();
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  void put(std::string_view key, std::string_view value);
  void erase(std::string_view key);

  // Undo back to the newest mark, which is removed; or keep what came since and drop the mark.
  void mark();
  void undo_to_mark();
  void drop_mark();

  std::uint32_t entries() const;
  std::size_t bytes() const;
  // Calls `f(key, value)` for each entry in order, nullopt for an erased key.
  using Visitor = std::function<void(std::string_view, std::optional<std::string_view>)>;
  void visit(const Visitor& f) const;
  void clear();
  // Whether an entry is, or was before an undo, of the space `pending`.
  bool changes_pending() const { return changes_pending_; }

 private:
  friend class Writer;
  bool changes_pending_ = false;
  std::unique_ptr<rocksdb::WriteBatch> batch_;
};

// A batch as it is in the log and on the wire: RocksDB's serialised form, whose last entry is the
// position record. Made by check_batch, or from a commit of this node, so holding one means it is well formed.
struct CheckedBatch {
  std::string bytes;
  std::uint64_t first_sequence = 0;
  std::uint32_t entries = 0;
  bool changes_pending = false;  // it has entries of the space `pending`
  PositionRecord record;         // of its last entry
};

// A commit that is whole and not written yet.
struct SealedBatch {
  std::string_view bytes;  // as they will be in the log, but for the sequence at their head
  std::uint64_t first_sequence = 0;
  std::uint32_t entries = 0;
  bool changes_pending = false;
  PositionRecord record;

  CheckedBatch as_logged() const;
};

// Judges a serialised batch before anything is done with it (RocksDB logs first and parses later,
// so a bad batch would make the database unopenable): its structure; only puts and deletes of the
// default column family; the position entry last and nowhere else; its sequence that of the last
// entry. Does not know what came before: see follows().
// Error: kInternal with what is wrong.
Result<CheckedBatch> check_batch(std::string bytes);

// Whether `next` continues `head` exactly: sequence, epoch and digest.
enum class Continuity { kFollows, kGap, kDiverged };
Continuity follows(const PositionRecord& head, const CheckedBatch& next);

}  // namespace feeds::store
