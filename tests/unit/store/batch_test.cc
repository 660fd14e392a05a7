#include "common/store/batch.h"

#include "common/keys/keyspace.h"
#include "common/store/database.h"
#include "common/store/wal_tail.h"
#include "common/store/writer.h"
#include "tests/support/seed.h"
#include "tests/support/temp_dir.h"

namespace feeds::store {
namespace {

// A database with `commits` commits of two rows each.
DatabasePtr filled(const std::filesystem::path& directory, int commits) {
  auto database = *Database::open(directory, Access::kReadWrite, true);
  Writer writer(database);
  for (int i = 0; i < commits; ++i) {
    Batch batch;
    batch.put(keys::feed_key(FeedId{10000U + i}), "value " + std::to_string(i));
    batch.erase(keys::feed_key(FeedId{9000U + i}));
    EXPECT_TRUE(writer.commit(batch, 1000 + i).ok());
  }
  return database;
}

CheckedBatch nth_batch(const DatabasePtr& database, int n) {
  WalTail tail(database, PositionRecord{});
  CheckedBatch batch;
  for (int i = 0; i <= n; ++i) {
    EXPECT_EQ(tail.next(database->head().position.sequence, batch), WalTail::Outcome::kBatch);
  }
  return batch;
}

TEST(PositionRecord, GoldenBytes) {
  PositionRecord record;
  record.position = {Epoch{1}, Sequence{0x0102}};
  record.commit_time_ns = -2;
  record.digest.bytes.fill(0xab);
  const auto bytes = encode(record);
  ASSERT_EQ(bytes.size(), kPositionRecordBytes);
  EXPECT_EQ(bytes.substr(0, 24), std::string("\x01\0\0\0\0\0\0\0\x02\x01\0\0\0\0\0\0\xfe\xff\xff\xff"
                                             "\xff\xff\xff\xff",
                                             24));
  EXPECT_EQ(bytes.substr(24), std::string(16, '\xab'));
  EXPECT_EQ(*decode_position(bytes), record);
  EXPECT_FALSE(decode_position(bytes.substr(1)).ok());
}

TEST(PositionRecord, ChainGolden) {
  // Over 16 zero bytes, 1, 3, 5 (little-endian) and "rows".
  const auto digest = chain(Digest{}, {Epoch{1}, Sequence{3}}, 5, "rows");
  EXPECT_NE(digest, chain(Digest{}, {Epoch{2}, Sequence{3}}, 5, "rows"));
  EXPECT_NE(digest, chain(Digest{}, {Epoch{1}, Sequence{4}}, 5, "rows"));
  EXPECT_NE(digest, chain(Digest{}, {Epoch{1}, Sequence{3}}, 6, "rows"));
  EXPECT_NE(digest, chain(digest, {Epoch{1}, Sequence{3}}, 5, "rows"));
  EXPECT_EQ(to_hex(digest), "a7d979067c30beaa761777d32e33a419");
}

TEST(CheckBatch, TakesWhatACommitWrote) {
  test::TempDir dir;
  const auto database = filled(dir.path() / "db", 3);
  const auto batch = nth_batch(database, 2);
  EXPECT_EQ(batch.entries, 3U);
  EXPECT_EQ(batch.first_sequence, 7U);
  EXPECT_EQ(batch.record, database->head());
}

TEST(CheckBatch, EveryFlippedByteIsRefusedOrBreaksTheChain) {
  test::TempDir dir;
  const auto database = filled(dir.path() / "db", 2);
  const auto first = nth_batch(database, 0);
  const auto second = nth_batch(database, 1);
  ASSERT_EQ(follows(first.record, second), Continuity::kFollows);
  for (std::size_t at = 0; at < second.bytes.size(); ++at) {
    for (const char flip : {'\x01', '\x80', '\x7f'}) {
      auto bytes = second.bytes;
      bytes[at] = static_cast<char>(bytes[at] ^ flip);
      const auto checked = check_batch(bytes);
      if (!checked.ok()) continue;
      EXPECT_NE(follows(first.record, *checked), Continuity::kFollows) << "byte " << at;
    }
  }
}

TEST(CheckBatch, TruncatedAndRandomBytesAreRefused) {
  test::TempDir dir;
  const auto batch = nth_batch(filled(dir.path() / "db", 1), 0);
  for (std::size_t size = 0; size < batch.bytes.size(); ++size) {
    EXPECT_FALSE(check_batch(batch.bytes.substr(0, size)).ok()) << size;
  }
  std::mt19937_64 random(test::seed());
  for (int i = 0; i < 20000; ++i) {
    std::string bytes(random() % 200, '\0');
    for (auto& c : bytes) c = static_cast<char>(random() % 3 == 0 ? random() : random() % 16);
    EXPECT_FALSE(check_batch(bytes).ok());
  }
}

TEST(Follows, TellsGapsFromDivergence) {
  test::TempDir dir;
  const auto database = filled(dir.path() / "db", 3);
  const auto first = nth_batch(database, 0);
  const auto third = nth_batch(database, 2);
  EXPECT_EQ(follows(first.record, third), Continuity::kGap);
  auto other = nth_batch(database, 1).record;
  other.digest.bytes[0] ^= 1;
  EXPECT_EQ(follows(other, third), Continuity::kDiverged);
  auto later_epoch = nth_batch(database, 1).record;
  later_epoch.position.epoch.value = 2;
  EXPECT_EQ(follows(later_epoch, third), Continuity::kDiverged);
}

TEST(Batch, UndoneWritesAreGone) {
  Batch batch;
  batch.put("a", "1");
  batch.mark();
  batch.put("b", "2");
  batch.erase("a");
  batch.undo_to_mark();
  batch.mark();
  batch.put("c", "3");
  batch.drop_mark();
  std::string seen;
  batch.visit([&](std::string_view key, std::optional<std::string_view> value) {
    seen += std::string(key) + (value ? "=" + std::string(*value) : "-") + ";";
  });
  EXPECT_EQ(seen, "a=1;c=3;");
  EXPECT_EQ(batch.entries(), 2U);
}

}  // namespace
}  // namespace feeds::store
