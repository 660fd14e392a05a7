#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace feeds {

// Ids and counts that must not be mixed up. A Tag gives each its own type.
template <class Tag>
struct Id {
  std::uint64_t value = 0;
  auto operator<=>(const Id&) const = default;
};

using UserId = Id<struct UserTag>;
using FeedId = Id<struct FeedTag>;        // simple and grouping feeds share one counter
using ArticleId = Id<struct ArticleTag>;  // counted per feed
using ActivityId = Id<struct ActivityTag>;  // reactions are activities; strings in JSON
using Epoch = Id<struct EpochTag>;
using Sequence = Id<struct SequenceTag>;  // RocksDB's, equal on all nodes

// Where a counter starts unless `db.counters` says otherwise.
inline constexpr std::uint64_t kFirstId = 10000;
// The largest start of a counter; also the largest integer that JavaScript holds exactly.
inline constexpr std::uint64_t kMaxCounterStart = std::uint64_t{1} << 53;

// A commit of the cluster's history. Written `<epoch>-<sequence>`, as in the header Feeds-Position.
struct Position {
  Epoch epoch{1};
  Sequence sequence{0};
  auto operator<=>(const Position&) const = default;
};

std::string to_string(Position position);
// Canonical digits only, epoch at least 1. nullopt otherwise.
std::optional<Position> parse_position(std::string_view text);

// Canonical decimal: digits only, no sign, no leading zero, at most 2^63-1. nullopt otherwise.
std::optional<std::uint64_t> parse_decimal(std::string_view text);
void append_decimal(std::string& out, std::uint64_t value);

// XXH3-128 in its canonical (big-endian) byte order.
struct Digest {
  std::array<std::uint8_t, 16> bytes{};
  auto operator<=>(const Digest&) const = default;
};
std::string to_hex(const Digest& digest);

// 128 random bits as 32 hex digits: cluster and node ids.
std::string random_id();

}  // namespace feeds

template <class Tag>
struct std::hash<feeds::Id<Tag>> {
  std::size_t operator()(const feeds::Id<Tag>& id) const noexcept {
    return std::hash<std::uint64_t>{}(id.value);
  }
};
