#include "common/feeds/digest.h"

#include "common/base/hash128.h"
#include "common/base/limits.h"

namespace feeds {
namespace {

store::View scan_view(const store::DatabasePtr& database) {
  return store::View(database, store::View::Purpose::kScan);
}

Error replaced() {
  return {Code::kReopening, "the database was replaced meanwhile"};
}

}  // namespace

Result<RowsDigest> digest_rows(store::View& view, keys::Space space, std::string_view from,
                               std::uint64_t limit) {
  const auto range = keys::range_of(space);
  const std::string first = std::max(range.first, std::string(from));
  RowsDigest result;
  Hash128 hash;
  view.scan(first, range.end, [&](std::string_view key, std::string_view value) {
    if (result.rows == limit) {
      result.next_key = key;
      return false;
    }
    if (view.retired()) return false;
    if (result.rows == 0) result.first_key = key;
    result.last_key = key;
    hash.add(key.size());
    hash.add(key);
    hash.add(value.size());
    hash.add(value);
    ++result.rows;
    return true;
  });
  if (view.retired()) return replaced();
  if (auto status = view.status(); !status) return status.error();
  result.digest = hash.finish();
  return result;
}

void DigestPins::on_commit(const store::DatabasePtr& database,
                           const store::PositionRecord& record) {
  if (!any_waiting_.load(std::memory_order_acquire)) return;
  std::lock_guard lock(mutex_);
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    if (record.position < it->second.wanted) {
      ++it;
      continue;
    }
    const auto pin = keep(it->second.wanted, scan_view(database));
    it->second.ready(pin ? *pin : nullptr);
    it = waiting_.erase(it);
  }
  any_waiting_ = !waiting_.empty();
}

Result<DigestPinPtr> DigestPins::pin_now(const store::DatabasePtr& database) {
  std::lock_guard lock(mutex_);
  auto view = scan_view(database);
  const auto position = view.position();
  return keep(position, std::move(view));
}

Result<DigestPinPtr> DigestPins::pin_at(const store::DatabasePtr& database, Position wanted,
                                        Ready ready, std::uint64_t& token) {
  std::lock_guard lock(mutex_);
  expire();
  if (const auto kept = pins_.find(wanted); kept != pins_.end()) return kept->second.pin;
  // Registered before the view is made, so that no commit falls between looking and waiting.
  any_waiting_.store(true, std::memory_order_seq_cst);
  auto view = scan_view(database);
  const auto here = view.position();
  if (here < wanted) {
    token = next_token_++;
    waiting_.emplace(token, Waiting{wanted, std::move(ready)});
    return DigestPinPtr();
  }
  any_waiting_ = !waiting_.empty();
  if (here == wanted) return keep(wanted, std::move(view));
  return Error{Code::kPositionPassed,
               "this node is at " + to_string(here) + ", past " + to_string(wanted)};
}

Result<DigestPinPtr> DigestPins::keep(Position asked, store::View view) {
  // clear() may have been called already: nobody would end this pin before its time.
  if (view.retired()) return replaced();
  expire();
  if (const auto kept = pins_.find(asked); kept != pins_.end()) return kept->second.pin;
  if (pins_.size() >= 2 * limits::kDigestPins) {
    return Error{Code::kOverloaded, "too many positions are pinned"};
  }
  auto pin = std::make_shared<DigestPin>(std::move(view));
  const Kept kept{pin, clock_.now() + limits::kDigestPinTime};
  pins_.emplace(asked, kept);
  pins_.emplace(pin->position, kept);
  return pin;
}

void DigestPins::forget(std::uint64_t token) {
  std::lock_guard lock(mutex_);
  waiting_.erase(token);
  any_waiting_ = !waiting_.empty();
}

void DigestPins::drop_expired() {
  std::lock_guard lock(mutex_);
  expire();
}

void DigestPins::expire() {
  std::erase_if(pins_,
                [now = clock_.now()](const auto& entry) { return entry.second.until <= now; });
}

void DigestPins::clear() {
  std::lock_guard lock(mutex_);
  pins_.clear();
}

}  // namespace feeds
