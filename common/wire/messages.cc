#include "common/wire/messages.h"

namespace feeds::wire {

std::string_view reason_name(SnapshotReason reason) {
  switch (reason) {
    case SnapshotReason::NONE:
      return "none";
    case SnapshotReason::EMPTY:
      return "empty";
    case SnapshotReason::WAL_PURGED:
      return "wal_purged";
    case SnapshotReason::WAL_UNREADABLE:
      return "wal_unreadable";
    case SnapshotReason::DIVERGED:
      return "diverged";
    case SnapshotReason::REQUESTED:
      return "requested";
  }
  return "unknown";
}

std::string_view refusal_name(Refusal refusal) {
  switch (refusal) {
    case Refusal::OTHER_CLUSTER:
      return "other_cluster";
    case Refusal::NEWER_EPOCH:
      return "newer_epoch";
    case Refusal::OTHER_SCHEMA:
      return "other_schema";
    case Refusal::TOO_MANY:
      return "too_many";
  }
  return "unknown";
}

std::uint64_t digest_half(const Digest& digest, int half) {
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = value << 8 | digest.bytes[half * 8 + i];
  return value;
}

Digest digest_of(std::uint64_t high, std::uint64_t low) {
  Digest digest;
  for (int i = 7; i >= 0; --i) {
    digest.bytes[i] = static_cast<std::uint8_t>(high);
    digest.bytes[8 + i] = static_cast<std::uint8_t>(low);
    high >>= 8;
    low >>= 8;
  }
  return digest;
}

}  // namespace feeds::wire
