// The checksum of the records of the write-ahead log, CRC-32C, for every call in RocksDB: Debian builds it without
// the processor's instruction for it, and its table costs four times as much, on each commit and each read of the log.
// The linker puts this in its place (CMakeLists.txt).
#include <isa-l/crc.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace feeds::store {

// rocksdb::crc32c::Extend, as the linker names what it calls instead.
std::uint32_t extend(std::uint32_t checksum, const char* data, std::size_t size)  //
    __asm__("__wrap__ZN7rocksdb6crc32c6ExtendEjPKcm");

std::uint32_t extend(std::uint32_t checksum, const char* data, std::size_t size) {
  constexpr std::size_t kMost = std::numeric_limits<int>::max();
  // The library only reads, whatever its types say.
  auto* bytes = reinterpret_cast<unsigned char*>(const_cast<char*>(data));
  std::uint32_t state = ~checksum;
  while (size > 0) {
    const std::size_t part = std::min(size, kMost);
    state = crc32_iscsi(bytes, static_cast<int>(part), state);
    bytes += part;
    size -= part;
  }
  return ~state;
}

}  // namespace feeds::store
