#include "common/feeds/group_head.h"

#include "common/base/limits.h"
#include "tests/support/seed.h"

namespace feeds {
namespace {

TEST(GroupHead, GoldenBytes) {
  GroupHead head{3, "like", {}};
  ASSERT_TRUE(head.append(ActivityId{10005}, "{}"));
  const std::string expected(
      "\0\0\0\0\0\0\0\x03"
      "\0\0\0\0\0\0\0\x04like"
      "\0\0\0\0\0\0\x27\x15"
      "\0\0\0\0\0\0\0\x02{}",
      38);
  EXPECT_EQ(encode(head), expected);
}

TEST(GroupHead, TakesAsMuchAsThereIsRoomFor) {
  GroupHead many;
  for (std::uint64_t id = 100; id > 100 - limits::kHeadActivities; --id) {
    EXPECT_TRUE(many.append(ActivityId{id}, "x"));
  }
  EXPECT_FALSE(many.append(ActivityId{1}, "x"));
  GroupHead large;
  EXPECT_TRUE(large.append(ActivityId{3}, std::string(limits::kHeadBytes - 1, 'x')));
  EXPECT_FALSE(large.append(ActivityId{2}, "xx"));
  GroupHead none;
  EXPECT_FALSE(none.append(ActivityId{3}, ""));
}

TEST(GroupHead, DamagedBytes_AreToldAndNeverReadPast) {
  std::mt19937_64 random(test::seed());
  GroupHead head{7, "a key", {}};
  head.append(ActivityId{9}, "first");
  head.append(ActivityId{8}, "second");
  const auto sound = encode(head);
  ASSERT_EQ(encode(*decode_group_head(sound)), sound);
  for (std::size_t size = 0; size < sound.size(); ++size) {
    const auto cut = decode_group_head(sound.substr(0, size));
    if (cut) {
      EXPECT_EQ(encode(*cut), sound.substr(0, size));
    }
  }
  for (int i = 0; i < 5000; ++i) {
    auto bytes = sound;
    bytes[random() % bytes.size()] = static_cast<char>(random());
    if (const auto read = decode_group_head(bytes)) {
      EXPECT_EQ(encode(*read), bytes);
    }
  }
}

}  // namespace
}  // namespace feeds
