#include "common/store/position_record.h"

#include <boost/endian/conversion.hpp>

#include "common/base/hash128.h"

namespace feeds::store {
namespace {

void append_little(std::string& out, std::uint64_t value) {
  boost::endian::native_to_little_inplace(value);
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::uint64_t load_little(std::string_view bytes, std::size_t offset) {
  return boost::endian::load_little_u64(
      reinterpret_cast<const unsigned char*>(bytes.data() + offset));
}

}  // namespace

std::string encode(const PositionRecord& record) {
  std::string out;
  out.reserve(kPositionRecordBytes);
  append_little(out, record.position.epoch.value);
  append_little(out, record.position.sequence.value);
  append_little(out, static_cast<std::uint64_t>(record.commit_time_ns));
  out.append(reinterpret_cast<const char*>(record.digest.bytes.data()), record.digest.bytes.size());
  return out;
}

Result<PositionRecord> decode_position(std::string_view value) {
  if (value.size() != kPositionRecordBytes) {
    return Error{Code::kInternal, "a position record is not 40 bytes"};
  }
  PositionRecord record;
  record.position.epoch.value = load_little(value, 0);
  record.position.sequence.value = load_little(value, 8);
  record.commit_time_ns = static_cast<std::int64_t>(load_little(value, 16));
  std::copy_n(value.begin() + 24, record.digest.bytes.size(), record.digest.bytes.begin());
  return record;
}

Digest chain(const Digest& previous, Position position, std::int64_t commit_time_ns,
             std::string_view batch) {
  thread_local Hash128 hash;
  hash.add(std::string_view(reinterpret_cast<const char*>(previous.bytes.data()),
                            previous.bytes.size()));
  hash.add(position.epoch.value);
  hash.add(position.sequence.value);
  hash.add(static_cast<std::uint64_t>(commit_time_ns));
  hash.add(batch);
  return hash.finish();
}

}  // namespace feeds::store
