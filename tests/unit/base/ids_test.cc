#include "common/base/ids.h"

#include <set>

namespace feeds {
namespace {

TEST(Ids, Decimal_TakesCanonicalDigitsOnly) {
  EXPECT_EQ(parse_decimal("0"), 0u);
  EXPECT_EQ(parse_decimal("10000"), 10000u);
  EXPECT_EQ(parse_decimal("9223372036854775807"), 9223372036854775807u);
  for (const char* bad :
       {"", "+1", "-1", "01", "00", " 1", "1 ", "1.0", "1e3", "0x1", "9223372036854775808",
        "18446744073709551615", "18446744073709551616", "99999999999999999999", "abc", "1a"}) {
    EXPECT_EQ(parse_decimal(bad), std::nullopt) << bad;
  }
}

TEST(Ids, Decimal_AppendsWhatItParses) {
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{7}, std::uint64_t{10000}, (std::uint64_t{1} << 63) - 1}) {
    std::string text = "x";
    append_decimal(text, value);
    EXPECT_EQ(parse_decimal(text.substr(1)), value);
  }
}

TEST(Ids, Position_PrintsWhatItParses) {
  const Position position{Epoch{2}, Sequence{417}};
  EXPECT_EQ(to_string(position), "2-417");
  EXPECT_EQ(parse_position("2-417"), position);
  EXPECT_EQ(parse_position("1-0"), Position{});
  for (const char* bad :
       {"", "-", "1-", "-1", "0-1", "1-01", "01-1", "1-1-1", "1 -1", "1-x", "1"}) {
    EXPECT_EQ(parse_position(bad), std::nullopt) << bad;
  }
}

TEST(Ids, Position_OrdersByEpochThenSequence) {
  EXPECT_LT((Position{Epoch{1}, Sequence{900}}), (Position{Epoch{2}, Sequence{1}}));
  EXPECT_LT((Position{Epoch{1}, Sequence{9}}), (Position{Epoch{1}, Sequence{10}}));
}

TEST(Ids, Digest_PrintsAsHex) {
  Digest digest;
  digest.bytes[0] = 0xAB;
  digest.bytes[15] = 0x01;
  EXPECT_EQ(to_hex(digest), "ab000000000000000000000000000001");
}

TEST(Ids, RandomIds_AreHexAndDiffer) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::string id = random_id();
    EXPECT_EQ(id.size(), 32u);
    EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos);
    seen.insert(id);
  }
  EXPECT_EQ(seen.size(), 1000u);
}

}  // namespace
}  // namespace feeds
