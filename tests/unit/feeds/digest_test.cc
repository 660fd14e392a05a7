#include "common/feeds/digest.h"

#include "common/store/writer.h"
#include "tests/support/temp_dir.h"

namespace feeds {
namespace {

class Pins : public ::testing::Test {
 protected:
  Position commit() {
    store::Writer writer(database_);
    store::Batch batch;
    batch.put("k", "v");
    return writer.commit(batch, 0)->position;
  }

  test::TempDir dir_;
  store::DatabasePtr database_ =
      *store::Database::open(dir_.path() / "db", store::Access::kReadWrite, true);
  DigestPins pins_{system_clock()};
};

TEST_F(Pins, OfOnePosition_AreOne) {
  const auto position = commit();
  const auto pin = *pins_.pin_now(database_);
  EXPECT_EQ(pin->position, position);
  commit();
  std::uint64_t token = 0;
  EXPECT_EQ(*pins_.pin_at(database_, position, nullptr, token), pin);
}

// Whoever replaces a database waits until nobody holds it: a pin that comes late would be held for
// a minute.
TEST_F(Pins, OfADatabaseThatWasReplaced_AreNotMade) {
  commit();
  ASSERT_TRUE(pins_.pin_now(database_).ok());
  database_->retire();
  pins_.clear();
  EXPECT_EQ(pins_.pin_now(database_).error().code, Code::kReopening);
  EXPECT_EQ(database_.use_count(), 1);
}

}  // namespace
}  // namespace feeds
