// A replica's side of a snapshot that the test sends, over a pipe in memory.
#include <fstream>

#include "common/base/hash128.h"
#include "tests/unit/replication/played_source.h"

namespace feeds::tests {
namespace {

namespace fs = std::filesystem;

class SnapshotSessionTest : public LinkSessionTest {
 protected:
  void begin() {
    prepare_ = [](Script& script) {
      script.welcome = [](auto welcome) { welcome.setSnapshot(wire::SnapshotReason::EMPTY); };
    };
    connect();
    ASSERT_TRUE(until([&] { return script_.started; }));
  }
  bool offer(const std::vector<std::pair<std::string, std::uint64_t>>& files) {
    auto request = sink().beginSnapshotRequest();
    auto manifest = request.initManifest();
    manifest.setReason(wire::SnapshotReason::EMPTY);
    auto list = manifest.initFiles(static_cast<unsigned>(files.size()));
    for (unsigned i = 0; i < files.size(); ++i) {
      list[i].setName(wire::to_text(files[i].first));
      list[i].setBytes(files[i].second);
    }
    return succeeds([&] { request.send().wait(io_->waitScope); });
  }
  bool send(std::uint32_t file, std::uint64_t offset, const std::string& data) {
    auto request = sink().chunkRequest();
    auto chunk = request.initChunk();
    chunk.setFile(file);
    chunk.setOffset(offset);
    chunk.setData(kj::arrayPtr(reinterpret_cast<const kj::byte*>(data.data()), data.size()));
    // The answer to a stream's call shows at the next one.
    return succeeds([&] { request.send().wait(io_->waitScope); });
  }
  bool finish(const std::vector<std::string>& contents) {
    auto request = sink().endSnapshotRequest();
    auto list = request.initEnd().initHashes(static_cast<unsigned>(contents.size()));
    Hash128 hash;
    for (unsigned i = 0; i < contents.size(); ++i) {
      hash.add(contents[i]);
      const auto value = hash.finish();
      list[i].setHigh(wire::digest_half(value, 0));
      list[i].setLow(wire::digest_half(value, 1));
    }
    return succeeds([&] {
      const auto response = request.send().wait(io_->waitScope);
      position_ = wire::read_record<store::PositionRecord>(response.getPosition());
    });
  }
  template <class F>
  static bool succeeds(F&& f) {
    return kj::runCatchingExceptions(std::forward<F>(f)) == nullptr;
  }

  store::PositionRecord position_;
};

TEST_F(SnapshotSessionTest, CompleteCopy_IsSwappedInAndItsPositionTold) {
  begin();
  EXPECT_FALSE(script_.had_data);
  auto made = store::Checkpoint::create(*primary_.store.acquire(), dir_.path() / "checkpoint-1");
  ASSERT_TRUE(made.ok());
  std::vector<std::pair<std::string, std::uint64_t>> files;
  std::vector<std::string> contents;
  for (const auto& file : (*made)->files()) {
    std::ifstream stream((*made)->directory() / file.name, std::ios::binary);
    contents.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
    files.emplace_back(file.name, file.bytes);
  }
  files.emplace_back("empty", 0);
  contents.emplace_back();
  ASSERT_TRUE(offer(files));
  for (std::uint32_t i = 0; i < files.size(); ++i) {
    const auto half = contents[i].size() / 2;
    if (contents[i].empty()) continue;
    ASSERT_TRUE(half == 0 || send(i, 0, contents[i].substr(0, half)));
    ASSERT_TRUE(send(i, half, contents[i].substr(half)));
  }
  ASSERT_TRUE(finish(contents));
  EXPECT_EQ(position_, primary_.head());
  EXPECT_EQ(head(), primary_.head());
  EXPECT_EQ(applied_.current(), primary_.head().position);
  before_ = primary_.head();
  send_frame(next_batches(3));
  EXPECT_TRUE(until([&] { return head() == primary_.head(); }));
}

TEST_F(SnapshotSessionTest, FileNames_CannotLeaveTheDirectory) {
  const std::string nul("a\0b", 3);
  for (const std::string& name :
       {std::string("../evil"), std::string("a/b"), std::string(".."), std::string("."),
        std::string(""), std::string("/abs"), nul, std::string(300, 'x')}) {
    begin();
    EXPECT_FALSE(offer({{"CURRENT", 3}, {name, 3}})) << name;
    session_ = nullptr;
  }
  begin();
  EXPECT_FALSE(offer({{"CURRENT", 3}, {"CURRENT", 3}}));
  EXPECT_FALSE(fs::exists(dir_.path() / "evil"));
}

TEST_F(SnapshotSessionTest, WrongHash_IsNotSwappedIn) {
  begin();
  ASSERT_TRUE(offer({{"CURRENT", 3}}));
  send(0, 0, "abc");
  EXPECT_FALSE(finish({"abd"}));
  EXPECT_EQ(store_->state(), store::StoreState::kEmpty);
}

TEST_F(SnapshotSessionTest, MissingBytes_AreNotAccepted) {
  begin();
  ASSERT_TRUE(offer({{"CURRENT", 3}, {"B", 4}}));
  send(0, 0, "abc");
  send(1, 0, "abc");
  EXPECT_FALSE(finish({"abc", "abc"}));
  EXPECT_EQ(store_->state(), store::StoreState::kEmpty);
}

TEST_F(SnapshotSessionTest, ChunksOutOfPlace_EndIt) {
  struct Case {
    std::uint32_t file;
    std::uint64_t offset;
    std::string data;
  };
  for (const Case& bad : {Case{0, 1, "a"}, Case{1, 0, "a"}, Case{7, 0, "a"}, Case{0, 0, "abcd"}}) {
    begin();
    ASSERT_TRUE(offer({{"CURRENT", 3}, {"B", 4}}));
    send(bad.file, bad.offset, bad.data);
    EXPECT_FALSE(finish({"abc", "abcd"}));
    session_ = nullptr;
  }
}

TEST_F(SnapshotSessionTest, CopyThatDoesNotOpen_LeavesTheOldData) {
  give_data();
  begin();
  ASSERT_TRUE(offer({{"CURRENT", 3}}));
  ASSERT_TRUE(send(0, 0, "abc"));
  EXPECT_FALSE(finish({"abc"}));
  EXPECT_EQ(head(), before_);
  EXPECT_EQ(store_->state(), store::StoreState::kServing);
  EXPECT_TRUE(applier_->attached());
}

TEST_F(SnapshotSessionTest, CallsOutOfTurn_AreRefused) {
  begin();
  EXPECT_FALSE(finish({}));
  dial();
  ASSERT_TRUE(until([&] { return script_.started; }));
  send_frame({"abc"});
  EXPECT_TRUE(ends());
  EXPECT_EQ(store_->state(), store::StoreState::kEmpty);
}

}  // namespace
}  // namespace feeds::tests
