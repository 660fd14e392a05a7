#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/ids.h"
#include "common/base/result.h"

namespace feeds::store {

// Where a database is in the cluster's history: the last entry of every commit's batch.
// Format: schema/README.md, "Position record". All zero with epoch 1 before the first commit.
struct PositionRecord {
  Position position;
  std::int64_t commit_time_ns = 0;
  Digest digest;
  bool operator==(const PositionRecord&) const = default;
};

inline constexpr std::size_t kPositionRecordBytes = 40;

std::string encode(const PositionRecord& record);
// Error: kInternal, not 40 bytes.
Result<PositionRecord> decode_position(std::string_view value);

// The chain: equal digests at equal positions mean equal histories. `batch` is the batch's bytes
// after its 12-byte header up to the first byte of the position entry.
Digest chain(const Digest& previous, Position position, std::int64_t commit_time_ns,
             std::string_view batch);

}  // namespace feeds::store
