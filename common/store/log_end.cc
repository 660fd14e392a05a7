#include "common/store/log_end.h"

#include <algorithm>
#include <cstddef>
#include <optional>

// RocksDB's own, which none of its public headers declares.
namespace rocksdb::crc32c {
std::uint32_t Extend(std::uint32_t checksum, const char* data, std::size_t size);
}  // namespace rocksdb::crc32c

namespace feeds::store {
namespace {

constexpr std::size_t kBlock = 32 * 1024;
constexpr std::size_t kSector = 512;

// Of each part of a record: its masked checksum (4), length (2) and kind (1), little-endian. The checksum is of the
// kind and what follows the header.
constexpr std::size_t kHeader = 7;
constexpr std::size_t kChecked = 6;
constexpr unsigned char kFull = 1;
constexpr unsigned char kFirst = 2;
constexpr unsigned char kLast = 4;

std::uint32_t little_endian(std::string_view bytes) {
  std::uint32_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    number = number << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return number;
}

std::uint32_t masked(std::uint32_t checksum) {
  return (checksum >> 15 | checksum << 17) + 0xa282ead8U;
}

struct Part {
  unsigned char kind;
  std::size_t end;
};

std::size_t end_of_block(std::string_view log, std::size_t at) {
  return std::min(log.size(), (at / kBlock + 1) * kBlock);
}

// Of the part at `at`, as its header says. 0: the file ends before.
std::size_t size_at(std::string_view log, std::size_t at) {
  return at + kHeader <= log.size() ? little_endian(log.substr(at + 4, 2)) : 0;
}

std::optional<Part> part_at(std::string_view log, std::size_t at) {
  const std::size_t room = end_of_block(log, at) - at;
  if (room < kHeader) return std::nullopt;
  const auto kind = static_cast<unsigned char>(log[at + kChecked]);
  const std::size_t size = size_at(log, at);
  if (kind < kFull || kind > kLast || size > room - kHeader) return std::nullopt;
  const auto checksum = rocksdb::crc32c::Extend(0, &log[at + kChecked], size + 1);
  if (little_endian(log.substr(at, 4)) != masked(checksum)) return std::nullopt;
  return Part{kind, at + kHeader + size};
}

// Too close to the end of a block for a header: zeros.
std::size_t next_part(std::size_t end) {
  const std::size_t left = kBlock - end % kBlock;
  return left < kHeader ? end + left : end;
}

bool is_zero(std::string_view bytes) {
  return bytes.find_first_not_of('\0') == std::string_view::npos;
}

bool record_begins_in(std::string_view log, std::size_t first, std::size_t end) {
  for (std::size_t at = first; at < end; ++at) {
    const auto part = part_at(log, at);
    if (part && part->kind <= kFirst) return true;
  }
  return false;
}

// Whether some sector's part of [first, end) is zero. Hardly any row is for so long; of a last commit that has such a
// one, or whose length is damaged, damage passes for torn.
bool lacks_a_sector(std::string_view log, std::size_t first, std::size_t end) {
  for (std::size_t at = first; at < end;) {
    const auto next = std::min(end, (at / kSector + 1) * kSector);
    if (is_zero(log.substr(at, next - at))) return true;
    at = next;
  }
  return false;
}

}  // namespace

LogEnd log_end(std::string_view log) {
  std::size_t end = 0;  // of the last whole record
  std::size_t at = 0;
  while (const auto part = part_at(log, at)) {
    at = next_part(part->end);
    if (part->kind == kFull || part->kind == kLast) end = part->end;
    if (at >= log.size()) return {log.size()};
  }
  const auto last = log.find_last_not_of('\0');
  if (last == std::string_view::npos || last < at) return {end};
  // What can't be read says how long it is, if its header is there.
  const auto claimed = at + kHeader + size_at(log, at);
  const auto block_end = end_of_block(log, at);
  const bool cut = claimed > block_end && block_end == log.size();
  const bool torn =
      (cut || lacks_a_sector(log, at, std::max(last + 1, std::min(claimed, block_end)))) &&
      !record_begins_in(log, at + 1, last);
  return torn ? LogEnd{end} : LogEnd{at, true};
}

}  // namespace feeds::store
