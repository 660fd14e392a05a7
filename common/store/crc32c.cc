// The checksum of the records of the write-ahead log, CRC-32C, for every call in RocksDB: Debian builds it without
// the processor's instruction for it, and its table takes 2 ns a byte, six times as much and more, at each commit and
// each read of the log. The linker puts this in its place (CMakeLists.txt). Other processors keep RocksDB's own.
//
// Not ISA-L's: it leaves the upper halves of the vector registers in use, and pages that the same thread read
// afterwards took 26 us instead of 18.
#ifdef __x86_64__

#include <nmmintrin.h>

#include <cstdint>
#include <cstring>

namespace feeds::store {
namespace {

__attribute__((target("sse4.2"))) std::uint32_t extend_by_instruction(std::uint32_t checksum,
                                                                      const char* data,
                                                                      std::size_t size) {
  std::uint64_t state = checksum ^ 0xffffffffU;
  for (; size >= sizeof(std::uint64_t); size -= sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, data, sizeof word);
    state = _mm_crc32_u64(state, word);
    data += sizeof word;
  }
  auto rest = static_cast<std::uint32_t>(state);
  for (; size > 0; --size) rest = _mm_crc32_u8(rest, static_cast<unsigned char>(*data++));
  return rest ^ 0xffffffffU;
}

}  // namespace

// rocksdb::crc32c::Extend, the linker's names for the one that is called and for RocksDB's own.
std::uint32_t extend_by_table(std::uint32_t checksum, const char* data, std::size_t size)  //
    __asm__("__real__ZN7rocksdb6crc32c6ExtendEjPKcm");
std::uint32_t extend(std::uint32_t checksum, const char* data, std::size_t size)  //
    __asm__("__wrap__ZN7rocksdb6crc32c6ExtendEjPKcm");

std::uint32_t extend(std::uint32_t checksum, const char* data, std::size_t size) {
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  return has_instruction ? extend_by_instruction(checksum, data, size)
                         : extend_by_table(checksum, data, size);
}

}  // namespace feeds::store

#endif
