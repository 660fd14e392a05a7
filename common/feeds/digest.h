#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/keys/keyspace.h"
#include "common/store/view.h"

// Digests of what a node holds, so that nodes can be told equal or different at one position.
namespace feeds {

struct RowsDigest {
  std::uint64_t rows = 0;
  Digest digest;  // XXH3-128 over each row: key length, key, value length, value
  std::string first_key;
  std::string last_key;
  std::optional<std::string> next_key;  // set if rows remain in the space
};

// At most `limit` rows of a space from `from` on (empty: its first). Error: kInternal; kReopening
// if the database was retired meanwhile.
Result<RowsDigest> digest_rows(store::View& view, keys::Space space, std::string_view from,
                               std::uint64_t limit);

// A view kept at a position, and what was computed on it. Locked by whoever works on it.
struct DigestPin {
  explicit DigestPin(store::View kept) : view(std::move(kept)), position(view.position()) {}
  std::mutex mutex;
  store::View view;
  const Position position;
  std::optional<std::string> spaces_json;
  std::optional<std::vector<std::string>> violations;
};
using DigestPinPtr = std::shared_ptr<DigestPin>;

// Keeps views at positions that were asked for, so that several nodes can be asked about the very
// same commit while writes go on. Thread-safe. A pin ends after limits::kDigestPinTime, and when
// its database is retired (clear()).
class DigestPins {
 public:
  explicit DigestPins(const Clock& clock) : clock_(clock) {}

  // By the writer, after each commit and before the next.
  void on_commit(const store::DatabasePtr& database, const store::PositionRecord& record);

  // A pin at the present position.
  Result<DigestPinPtr> pin_now(const store::DatabasePtr& database);

  // A pin at the first position at or past `wanted`: at once (also one made before), or, by `ready`
  // on the writer's thread, when it is reached: then the result holds a null pin and forget() gives
  // up. Error: kPositionPassed; kOverloaded over limits::kDigestPins.
  using Ready = std::function<void(DigestPinPtr)>;
  Result<DigestPinPtr> pin_at(const store::DatabasePtr& database, Position wanted, Ready ready,
                              std::uint64_t& token);
  void forget(std::uint64_t token);

  void drop_expired();
  void clear();

 private:
  struct Kept {
    DigestPinPtr pin;
    std::chrono::steady_clock::time_point until;
  };
  struct Waiting {
    Position wanted;
    Ready ready;
  };
  Result<DigestPinPtr> keep(Position asked, store::View view);
  void expire();

  const Clock& clock_;
  std::atomic<bool> any_waiting_{false};
  std::mutex mutex_;
  std::map<Position, Kept> pins_;  // by the position asked for
  std::map<std::uint64_t, Waiting> waiting_;
  std::uint64_t next_token_ = 1;
};

}  // namespace feeds
