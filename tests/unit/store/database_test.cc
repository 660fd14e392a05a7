#include "common/store/view.h"

#include <fmt/format.h>
#include <rocksdb/db.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/perf_level.h>

#include <fstream>
#include <future>

#include "common/keys/keyspace.h"
#include "common/store/data_directory.h"
#include "common/store/log_upkeep.h"
#include "common/store/store.h"
#include "common/store/wal_tail.h"
#include "common/store/writer.h"
#include "tests/support/eventually.h"
#include "tests/support/temp_dir.h"

namespace feeds::store {
namespace {

PositionRecord put(Writer& writer, const std::string& key, const std::string& value) {
  Batch batch;
  batch.put(key, value);
  return *writer.commit(batch, 1);
}

TEST(Database, Empty_IsAtOneZero) {
  test::TempDir dir;
  const auto database = *Database::open(dir.path() / "db", Access::kReadWrite, true);
  EXPECT_EQ(to_string(database->head().position), "1-0");
  EXPECT_EQ(to_string(View(database).position()), "1-0");
}

TEST(Database, Reopened_IsWhereItWas) {
  test::TempDir dir;
  PositionRecord last;
  {
    const auto database = *Database::open(dir.path() / "db", Access::kReadWrite, true);
    Writer writer(database);
    for (int i = 0; i < 10; ++i) last = put(writer, "k" + std::to_string(i), "v");
  }
  const auto database = *Database::open(dir.path() / "db", Access::kReadWrite, false);
  EXPECT_EQ(database->head(), last);
  EXPECT_EQ(last.position.sequence.value, 20U);
}

TEST(Database, TornLastRecord_IsDroppedAndIdsOfTheLogGoOn) {
  test::TempDir dir;
  PositionRecord before;
  {
    const auto database = *Database::open(dir.path() / "db", Access::kReadWrite, true);
    Writer writer(database);
    before = put(writer, "a", std::string(1000, 'a'));
    put(writer, "b", std::string(1000, 'b'));
  }
  for (const auto& entry : std::filesystem::directory_iterator(dir.path() / "db")) {
    if (entry.path().extension() != ".log") continue;
    std::filesystem::resize_file(entry.path(), std::filesystem::file_size(entry.path()) - 100);
  }
  const auto database = *Database::open(dir.path() / "db", Access::kReadWrite, false);
  EXPECT_EQ(database->head(), before);
  EXPECT_FALSE(database->get("b")->has_value());
}

TEST(Database, DamageInsideTheLog_RefusesToOpen) {
  test::TempDir dir;
  {
    const auto database = *Database::open(dir.path() / "db", Access::kReadWrite, true);
    Writer writer(database);
    for (int i = 0; i < 20; ++i) put(writer, "k" + std::to_string(i), std::string(1000, 'v'));
  }
  for (const auto& entry : std::filesystem::directory_iterator(dir.path() / "db")) {
    if (entry.path().extension() != ".log") continue;
    std::FILE* file = std::fopen(entry.path().c_str(), "r+b");
    std::fseek(file, 5000, SEEK_SET);
    std::fputc('X', file);
    std::fclose(file);
  }
  const auto database = Database::open(dir.path() / "db", Access::kReadWrite, false);
  ASSERT_FALSE(database.ok());
  EXPECT_NE(database.error().detail.find("Corruption"), std::string::npos);
}

TEST(View, ShowsOneCommitWhileOthersGoOn) {
  test::TempDir dir;
  const auto database = *Database::open(dir.path() / "db", Access::kReadWrite, true);
  Writer writer(database);
  const auto first = put(writer, "k", "old");
  View view(database);
  put(writer, "k", "new");
  EXPECT_EQ(view.position(), first.position);
  EXPECT_EQ(*view.find("k"), "old");
  EXPECT_EQ(*View(database).find("k"), "new");
}

TEST(View, WithAnEnd_ShowsWhatIsBeforeIt) {
  test::TempDir dir;
  const auto database = *Database::open(dir.path() / "db", Access::kReadWrite, true);
  Writer writer(database);
  for (const auto* key : {"a", "b", "c"}) put(writer, key, "v");
  std::string end = "b";
  View view(database, end);
  end = "z";  // its own copy counts
  View moved = std::move(view);
  ASSERT_TRUE(moved.seek("a"));
  EXPECT_EQ(moved.key(), "a");
  EXPECT_FALSE(moved.next());
  EXPECT_TRUE(moved.status().ok());
  EXPECT_EQ(moved.position(), database->head().position);
}

TEST(View, ItsPositionIsThatOfItsRows_UnderWrites) {
  test::TempDir dir;
  const auto database = *Database::open(dir.path() / "db", Access::kReadWrite, true);
  Writer writer(database);
  std::atomic<bool> stop = false;
  // Each commit stores, under "k", the sequence at which it ends: one row, one position entry.
  auto writing = std::async(std::launch::async, [&] {
    for (std::uint64_t sequence = 2; !stop; sequence += 2) {
      put(writer, "k", std::to_string(sequence));
    }
  });
  for (int i = 0; i < 20000; ++i) {
    View view(database);
    const auto value = view.find("k");
    const auto sequence = value ? std::stoull(std::string(*value)) : 0;
    ASSERT_EQ(view.position().sequence.value, sequence);
  }
  stop = true;
  writing.get();
}

TEST(View, EndsWhereItsRangeEnds) {
  test::TempDir dir;
  const auto database = *Database::open(dir.path() / "db", Access::kReadWrite, true);
  Writer writer(database);
  for (const char* key : {"a", "b", "c"}) put(writer, key, key);
  View plain(database);
  View bounded(database, "c");
  auto passing = View::passing(database);
  for (View* view : {&plain, &bounded, &passing}) {
    ASSERT_TRUE(view->seek("a", "b"));
    EXPECT_FALSE(view->next());
    ASSERT_TRUE(view->seek("b", "c"));
    EXPECT_EQ(view->value(), "b");
    EXPECT_FALSE(view->next());
    EXPECT_FALSE(view->seek("aa", "b"));
  }
  ASSERT_TRUE(plain.seek("a"));
  EXPECT_TRUE(plain.next());
}

TEST(View, Passing_IsStaleOnceACommitCame) {
  test::TempDir dir;
  const auto database = *Database::open(dir.path() / "db", Access::kReadWrite, true);
  Writer writer(database);
  put(writer, "a", "1");
  put(writer, "b", "2");
  auto view = View::passing(database);
  EXPECT_EQ(view.position(), database->head().position);
  ASSERT_TRUE(view.seek("a", "b"));
  EXPECT_EQ(view.value(), "1");
  EXPECT_FALSE(view.next());
  ASSERT_TRUE(view.seek_last("a", "c"));
  EXPECT_EQ(view.value(), "2");
  EXPECT_EQ(*view.find("a"), "1");
  EXPECT_TRUE(view.status().ok());

  put(writer, "a", "3");
  EXPECT_FALSE(view.stale());
  EXPECT_FALSE(view.find("a"));
  EXPECT_TRUE(view.stale());
  EXPECT_FALSE(view.status().ok());

  auto other = View::passing(database);
  ASSERT_TRUE(other.seek("a", "b"));
  put(writer, "a", "4");
  EXPECT_EQ(other.value(), "3");
  EXPECT_FALSE(other.stale());  // what it has is of one commit still
  EXPECT_FALSE(other.seek("b", "c"));
  EXPECT_TRUE(other.stale());
}

TEST(View, Passing_ThatIsNotStale_IsOfOneCommit_UnderWrites) {
  test::TempDir dir;
  const auto database = *Database::open(dir.path() / "db", Access::kReadWrite, true);
  Writer writer(database);
  std::atomic<bool> stop = false;
  // Each commit stores where it ends in two rows, and, every other time, in a pending one, else
  // erases that.
  auto writing = std::async(std::launch::async, [&] {
    for (std::uint64_t sequence = 4; !stop; sequence += 4) {
      Batch batch;
      batch.put("k", std::to_string(sequence));
      batch.put("l", std::to_string(sequence));
      if (sequence % 8 == 0) {
        batch.put(keys::pending_key(1), "x");
      } else {
        batch.erase(keys::pending_key(1));
      }
      ASSERT_TRUE(writer.commit(batch, 0).ok());
    }
  });
  const auto range = keys::range_of(keys::Space::kPending);
  int whole = 0;
  for (int i = 0; i < 200'000 && (i < 20'000 || whole < 100); ++i) {
    auto view = View::passing(database);
    const bool known = view.pending_known_empty();
    const auto found = view.find("k");
    const std::string k = found ? std::string(*found) : "0";
    const std::string l = view.seek("l", "m") ? std::string(view.value()) : "0";
    const bool pending = view.seek(range.first, range.end) && view.key() < range.end;
    if (!pending) view.pending_seen_empty();
    if (view.stale() || !view.status()) continue;
    ++whole;
    ASSERT_EQ(k, std::to_string(view.position().sequence.value));
    ASSERT_EQ(k, l);
    ASSERT_EQ(pending, std::stoull(k) % 8 == 0 && k != "0");
    ASSERT_FALSE(known && pending);
  }
  stop = true;
  writing.get();
  EXPECT_GT(whole, 0);
}

TEST(View, PendingRows_AreKnownToBeNoneUntilOneIsWritten) {
  test::TempDir dir;
  const auto database = *Database::open(dir.path() / "db", Access::kReadWrite, true);
  Writer writer(database);
  put(writer, "k", "v");
  EXPECT_FALSE(View::passing(database).pending_known_empty());
  View(database).pending_seen_empty();
  put(writer, "k", "w");
  EXPECT_TRUE(View::passing(database).pending_known_empty());
  EXPECT_TRUE(View(database).pending_known_empty());
  put(writer, keys::pending_key(1), "x");
  EXPECT_FALSE(View::passing(database).pending_known_empty());
}

TEST(View, ARange_IsReadWithoutWalkingOverWhatWasDeletedBesideIt) {
  test::TempDir dir;
  const auto database = *Database::open(dir.path() / "db", Access::kReadWrite, true);
  Writer writer(database);
  const auto key = [](char space, int i) { return space + fmt::format("{:05}", i); };
  for (const bool erased : {false, true}) {
    for (const char space : {'a', 'c'}) {
      Batch batch;
      for (int i = 0; i < 5000; ++i) {
        if (erased) {
          batch.erase(key(space, i));
        } else {
          batch.put(key(space, i), "v");
        }
      }
      if (!erased) batch.put(key('b', 1), "v");
      ASSERT_TRUE(writer.commit(batch, 0).ok());
    }
  }
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
  rocksdb::get_perf_context()->Reset();
  auto view = View::passing(database);
  EXPECT_TRUE(view.seek("b", "c"));
  EXPECT_FALSE(view.next());
  EXPECT_TRUE(view.seek_last("b", "c"));
  EXPECT_FALSE(view.seek_last("b2", "c"));
  EXPECT_LT(rocksdb::get_perf_context()->internal_delete_skipped_count, 10U);
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
}

TEST(Database, ItsWriteBuffer_IsWrittenOutIfThereIsMuchInIt) {
  test::TempDir dir;
  const auto database = *Database::open(dir.path() / "db", Access::kReadWrite, true);
  Writer writer(database);
  const auto files = [&] {
    std::string count;
    EXPECT_TRUE(database->rocks().GetProperty("rocksdb.num-files-at-level0", &count));
    return count;
  };
  put(writer, "few", "v");
  write_out_buffer(database);
  EXPECT_EQ(files(), "0");
  Batch batch;
  for (int i = 0; i < 5000; ++i) batch.put("many" + std::to_string(i), "v");
  const auto head = *writer.commit(batch, 0);
  write_out_buffer(database);
  EXPECT_EQ(files(), "1");
  EXPECT_EQ(View(database).position(), head.position);
}

TEST(LogUpkeep, NobodyWrites_BufferIsWrittenOutAndThenThereIsNothingToDo) {
  test::TempDir dir;
  auto database = *Database::open(dir.path() / "db", Access::kReadWrite, true);
  Batch batch;
  for (int i = 0; i < 5000; ++i) batch.put("many" + std::to_string(i), "v");
  ASSERT_TRUE(Writer(database).commit(batch, 0).ok());
  const auto files = [&] {
    std::string count;
    EXPECT_TRUE(database->rocks().GetProperty("rocksdb.num-files-at-level0", &count));
    return count;
  };
  LogUpkeep upkeep;
  const auto look = [&] { return upkeep.look(database, UINT64_MAX, Sequence{UINT64_MAX}); };
  look()();
  EXPECT_EQ(files(), "0");
  auto work = look();
  work();
  EXPECT_EQ(files(), "1");
  EXPECT_EQ(look(), nullptr);
  put(*std::make_unique<Writer>(database), "again", "v");
  EXPECT_NE(look(), nullptr);
  // The work that was done holds nothing: this closes the database.
  const std::weak_ptr<Database> watched = database;
  database.reset();
  EXPECT_TRUE(watched.expired());
}

TEST(Writer, AppliedBatches_MakeAnEqualDatabase) {
  test::TempDir dir;
  const auto source = *Database::open(dir.path() / "a", Access::kReadWrite, true);
  const auto target = *Database::open(dir.path() / "b", Access::kReadWrite, true);
  Writer writer(source);
  for (int i = 0; i < 50; ++i) put(writer, "k" + std::to_string(i % 7), std::to_string(i));
  Writer applier(target);
  WalTail tail(source, target->head());
  CheckedBatch batch;
  while (tail.next(source->head().position.sequence, batch) == WalTail::Outcome::kBatch) {
    ASSERT_EQ(follows(target->head(), batch), Continuity::kFollows);
    ASSERT_TRUE(applier.apply(batch).ok());
  }
  ASSERT_TRUE(applier.sync().ok());
  EXPECT_EQ(target->head(), source->head());
  EXPECT_EQ(**target->get("k3"), **source->get("k3"));
}

TEST(Store, Swap_ShowsTheNewToNewReadersAndWaitsForTheOld) {
  test::TempDir dir;
  Store store(dir.path());
  ASSERT_TRUE(store.open(true).ok());
  {
    Writer writer(*store.acquire());
    put(writer, "k", "old");
  }
  {
    const auto incoming = *Database::open(dir.path() / "incoming", Access::kReadWrite, true);
    Writer writer(incoming);
    put(writer, "k", "new");
  }
  std::optional<View> reader(*store.acquire());
  auto swapping =
      std::async(std::launch::async, [&] { return store.swap(dir.path() / "incoming"); });
  ASSERT_TRUE(test::eventually([&] { return reader->retired(); }));
  EXPECT_EQ(*reader->find("k"), "old");
  EXPECT_EQ(*View(*store.acquire()).find("k"), "new");
  reader.reset();
  ASSERT_TRUE(swapping.get().ok());
  int databases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(dir.path())) {
    if (entry.path().filename().string().starts_with("db-")) ++databases;
  }
  EXPECT_EQ(databases, 1);
}

TEST(Store, WithoutData_SaysSo) {
  test::TempDir dir;
  Store store(dir.path());
  ASSERT_TRUE(store.open(false).ok());
  EXPECT_EQ(store.acquire().error().code, Code::kReplicaBehind);
}

TEST(Store, SetAside_LeavesRoomForASnapshotAndTheDamagedForALook) {
  test::TempDir dir;
  std::filesystem::create_directory(dir.path() / "db-1");
  std::ofstream(dir.path() / "db-1" / "CURRENT") << "MANIFEST-000001";
  std::filesystem::create_symlink("db-1", dir.path() / "db");
  Store store(dir.path());
  ASSERT_EQ(store.open(false).error().code, Code::kInternal);
  ASSERT_TRUE(store.set_aside().ok());
  ASSERT_TRUE(store.open(false).ok());
  EXPECT_EQ(store.state(), StoreState::kEmpty);
  EXPECT_TRUE(std::filesystem::exists(dir.path() / "damaged" / "CURRENT"));
  EXPECT_FALSE(std::filesystem::exists(dir.path() / "db-1"));
}

TEST(DataDirectory, RefusesTheOtherRoleASecondProcessAndRemovesLeftovers) {
  test::TempDir dir;
  const auto path = dir.path() / "data";
  std::string node_id;
  {
    const auto opened = DataDirectory::open(path, "primary");
    const auto& first = *opened;
    node_id = first->identity().node_id;
    EXPECT_FALSE(first->identity().cluster_id.empty());
    EXPECT_NE(DataDirectory::open(path, "primary").error().detail.find("another process"),
              std::string::npos);
  }
  const auto other = DataDirectory::open(path, "replica");
  ASSERT_FALSE(other.ok());
  EXPECT_NE(other.error().detail.find("primary"), std::string::npos);
  EXPECT_NE(other.error().detail.find("replica"), std::string::npos);

  std::filesystem::create_directories(path / "incoming");
  std::filesystem::create_directories(path / "checkpoint-3");
  std::filesystem::create_directories(path / "db-1");
  std::filesystem::create_directories(path / "db-9");
  std::filesystem::create_symlink("db-1", path / "db");
  const auto again = DataDirectory::open(path, "primary");
  EXPECT_EQ((*again)->identity().node_id, node_id);
  EXPECT_FALSE(std::filesystem::exists(path / "incoming"));
  EXPECT_FALSE(std::filesystem::exists(path / "checkpoint-3"));
  EXPECT_FALSE(std::filesystem::exists(path / "db-9"));
}

// As copies of a data directory are that lose their links, or follow them.
class CopiedWithoutLinks : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(open().ok());
    {
      Writer writer(*store->acquire());
      put(writer, "k", "kept");
    }
    store.reset();
  }
  Status open() {
    if (auto opened = DataDirectory::open(dir.path(), "primary"); !opened) return opened.error();
    store.emplace(dir.path());
    return store->open(true);
  }

  test::TempDir dir;
  std::filesystem::path link = dir.path() / "db";
  std::optional<Store> store;
};

TEST_F(CopiedWithoutLinks, TheOnlyDatabase_IsOpenedAndLinked) {
  std::filesystem::remove(link);
  ASSERT_TRUE(open().ok());
  EXPECT_EQ(*View(*store->acquire()).find("k"), "kept");
  EXPECT_EQ(std::filesystem::read_symlink(link), "db-1");
}

TEST_F(CopiedWithoutLinks, Several_AreRefusedAndKept) {
  std::filesystem::remove(link);
  std::filesystem::create_directory(dir.path() / "db-2");
  EXPECT_THAT(open().error().detail, ::testing::HasSubstr("several databases"));
  EXPECT_TRUE(std::filesystem::exists(dir.path() / "db-1"));
}

TEST_F(CopiedWithoutLinks, LinkToNothing_IsRefused) {
  std::filesystem::rename(dir.path() / "db-1", dir.path() / "elsewhere");
  EXPECT_THAT(open().error().detail, ::testing::HasSubstr("db-1"));
  EXPECT_FALSE(std::filesystem::exists(dir.path() / "db-1"));
}

TEST_F(CopiedWithoutLinks, DirectoryInsteadOfTheLink_IsRefusedAndKept) {
  std::filesystem::remove(link);
  std::filesystem::copy(dir.path() / "db-1", link, std::filesystem::copy_options::recursive);
  EXPECT_THAT(open().error().detail, ::testing::HasSubstr("symbolic link"));
  EXPECT_TRUE(std::filesystem::exists(dir.path() / "db-1"));
}

}  // namespace
}  // namespace feeds::store
