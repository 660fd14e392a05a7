#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "tools/feedctl/client.h"

// /v1/digest: what a node holds at one position, space by space.
namespace feeds::feedctl {

struct SpaceDigest {
  std::uint64_t rows = 0;
  std::string digest;
  bool operator==(const SpaceDigest&) const = default;
};

struct NodeDigest {
  Position position;
  std::map<std::string, SpaceDigest> spaces;
};

// Rows of one space, from a key on.
struct Chunk {
  SpaceDigest content;
  std::optional<std::string> first, last;  // keys as `dump` prints them; nullopt: no rows
  std::optional<std::string> next;         // hex of the key that follows; nullopt: the space ends
};

// How a node takes being asked for a position.
enum class Pinned { kYes, kPassed, kNotReached, kBusy };
struct PinReply {
  Pinned pinned;
  NodeDigest digest;  // of kYes
};

// Makes the node pin its state at the first position at or past `at`. Error: no reply that can be
// made sense of.
Result<PinReply> ask_digest(Client& client, Position at);

// What the node's own walk over its indexes finds wrong, one line a violation, in the pin of `at`,
// or where it is now if that pin has ended. Error: no reply that can be made sense of.
Result<std::vector<std::string>> ask_violations(Client& client, Position at);

// At most `limit` rows of `space` from the key `from_hex` on (empty: from its start; the key need
// not exist), in the pin of exactly `at`. Error: likewise, and when the pin is gone.
Result<Chunk> ask_chunk(Client& client, Position at, std::string_view space,
                        std::string_view from_hex, std::uint64_t limit);

}  // namespace feeds::feedctl
