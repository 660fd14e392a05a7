#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>

#include "tests/support/seed.h"

#ifdef __x86_64__

namespace rocksdb::crc32c {
// Not in a public header. The linker makes it ours.
std::uint32_t Extend(std::uint32_t checksum, const char* data, std::size_t size);
}  // namespace rocksdb::crc32c

namespace feeds::store {

std::uint32_t extend_by_table(std::uint32_t checksum, const char* data, std::size_t size)  //
    __asm__("__real__ZN7rocksdb6crc32c6ExtendEjPKcm");

namespace {

TEST(Crc32c, IsOurs_AndTheStandardsValue) {
  EXPECT_NE(&rocksdb::crc32c::Extend, &extend_by_table);
  // RFC 3720, B.4, and the check value that catalogues of CRCs give.
  EXPECT_EQ(rocksdb::crc32c::Extend(0, std::string(32, '\0').data(), 32), 0x8a9136aaU);
  EXPECT_EQ(rocksdb::crc32c::Extend(0, "123456789", 9), 0xe3069283U);
  EXPECT_EQ(rocksdb::crc32c::Extend(7, nullptr, 0), 7U);
}

TEST(Crc32c, OfAnyPieces_IsRocksDbsOwn) {
  std::mt19937_64 random(test::seed());
  for (int i = 0; i < 2000; ++i) {
    std::string text(random() % 300, '\0');
    for (auto& c : text) c = static_cast<char>(random());
    const auto cut = random() % (text.size() + 1);
    const auto half = rocksdb::crc32c::Extend(0, text.data(), cut);
    const auto whole = rocksdb::crc32c::Extend(half, text.data() + cut, text.size() - cut);
    ASSERT_EQ(whole, extend_by_table(0, text.data(), text.size()));
  }
}

}  // namespace
}  // namespace feeds::store

#endif
