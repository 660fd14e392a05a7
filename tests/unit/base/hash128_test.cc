#include "common/base/hash128.h"

namespace feeds {
namespace {

TEST(Hash128, InPiecesIsTheSame) {
  Hash128 hash;
  const std::string text(100'000, 'x');
  hash.add(text);
  const auto whole = hash.finish();
  hash.add(std::string_view(text).substr(0, 33));
  hash.add(std::string_view(text).substr(33));
  EXPECT_EQ(hash.finish(), whole);
  EXPECT_NE(hash.finish(), whole);
}

}  // namespace
}  // namespace feeds
