#pragma once

#include <kj/string.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/ids.h"
#include "schema/replication.capnp.h"

// Between the project's types and the generated ones.
namespace feeds::wire {

inline std::string to_string(capnp::Text::Reader text) {
  return {text.begin(), text.size()};
}
inline kj::StringPtr to_text(const std::string& text) {
  return {text.c_str(), text.size()};
}

// The name of a reason in logs and metrics.
std::string_view reason_name(SnapshotReason reason);
std::string_view refusal_name(Refusal refusal);

std::uint64_t digest_half(const Digest& digest, int half);
Digest digest_of(std::uint64_t high, std::uint64_t low);

// `T` is store::PositionRecord; a template because this module knows nothing of the store.
template <class T>
void write_record(Record::Builder to, const T& from) {
  to.setEpoch(from.position.epoch.value);
  to.setSequence(from.position.sequence.value);
  to.setCommitTimeNs(from.commit_time_ns);
  to.setDigestHigh(digest_half(from.digest, 0));
  to.setDigestLow(digest_half(from.digest, 1));
}

template <class T>
T read_record(Record::Reader from) {
  T to;
  to.position.epoch.value = from.getEpoch();
  to.position.sequence.value = from.getSequence();
  to.commit_time_ns = from.getCommitTimeNs();
  to.digest = digest_of(from.getDigestHigh(), from.getDigestLow());
  return to;
}

}  // namespace feeds::wire
