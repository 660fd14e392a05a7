// A link's session against a source that the test plays, over a pipe in memory.
#include <gtest/gtest.h>

#include <fstream>

#include "common/store/snapshot_files.h"
#include "common/store/wal_tail.h"
#include "common/wire/connection.h"
#include "common/wire/file_hash.h"
#include "common/wire/messages.h"
#include "replica/replication/session.h"
#include "tests/unit/replication/nodes.h"

namespace feeds::replication {
namespace {

using namespace std::chrono_literals;
using tests::PrimaryNode;
using tests::TempDir;
namespace fs = std::filesystem;

// What the test's source does with a hello, and what it was given by it.
struct Script {
  std::function<void(wire::Welcome::Builder)> welcome = [](auto w) { w.setTail(); };
  bool answers = true;
  wire::SnapshotReason wanted = wire::SnapshotReason::NONE;
  bool had_data = false;
  bool started = false;
  std::uint64_t acked = 0;
  kj::Maybe<wire::Sink::Client> sink;
  kj::Maybe<wire::Pulse::Client> pulse;
};

class PlayedSession final : public wire::Session::Server {
 public:
  explicit PlayedSession(Script& script) : script_(script) {}
  kj::Promise<void> ack(AckContext context) override {
    script_.acked = context.getParams().getAck().getSynced();
    return kj::READY_NOW;
  }
  kj::Promise<void> start(StartContext) override {
    script_.started = true;
    return kj::READY_NOW;
  }

 private:
  Script& script_;
};

class PlayedPulse final : public wire::Pulse::Server {
  kj::Promise<void> beat(BeatContext) override { return kj::READY_NOW; }
};

class PlayedSource final : public wire::Source::Server {
 public:
  explicit PlayedSource(Script& script) : script_(script) {}
  kj::Promise<void> hello(HelloContext context) override {
    if (!script_.answers) return kj::NEVER_DONE;
    const auto hello = context.getParams().getHello();
    script_.wanted = hello.getWants();
    script_.had_data = hello.getHasData();
    script_.sink = context.getParams().getSink();
    script_.pulse = context.getParams().getPulse();
    auto results = context.getResults();
    auto welcome = results.initWelcome();
    welcome.setSchemaVersion(wire::SCHEMA_VERSION);
    welcome.setClusterId("c1");
    welcome.setAdvertise("played:80");
    script_.welcome(welcome);
    results.setSession(kj::heap<PlayedSession>(script_));
    results.setPulse(kj::heap<PlayedPulse>());
    return kj::READY_NOW;
  }

 private:
  Script& script_;
};

class LinkSessionTest : public ::testing::Test {
 protected:
  LinkSessionTest() {
    // A replica with ten commits of a primary's history, by a copy of its files.
    primary_.commit(10);
    auto opened = store::DataDirectory::open(dir_.path(), "replica");
    directory_ = std::move(*opened);
    store_ = std::make_unique<store::Store>(directory_->path());
  }
  ~LinkSessionTest() noexcept override {
    session_ = nullptr;
    source_ = nullptr;
    applier_.reset();
  }

  void give_data() {
    EXPECT_TRUE(directory_->set_cluster_id("c1").ok());
    const auto incoming = directory_->path() / "incoming";
    auto checkpoint = store::Checkpoint::create(*primary_.store.acquire(), incoming);
    ASSERT_TRUE(checkpoint.ok());
    ASSERT_TRUE(store_->swap(incoming).ok());
    before_ = primary_.head();
  }

  // Everything a link has, and a session between it and the script.
  void connect() {
    options_.node_id = "r1";
    options_.heartbeat = 20ms;
    context_.emplace(LinkContext{options_, *directory_, *store_, metrics_, state_,
                                 io_->provider->getTimer(), disk_, syncs_, stopping_});
    if (!resyncs_) resyncs_.emplace(metrics_);
    applier_.emplace(*context_, applied_, nullptr);
    ASSERT_TRUE(applier_->attach());
    keeper_.emplace(*context_, *applier_, *resyncs_);
    dial();
  }
  void dial() {
    auto pipe = kj::newTwoWayPipe();
    script_ = {};
    prepare_(script_);
    source_ = kj::heap<wire::Connection>(kj::mv(pipe.ends[0]), io_->provider->getTimer(),
                                         wire::Source::Client(kj::heap<PlayedSource>(script_)));
    auto session = kj::heap<LinkSession>(*context_, *applier_, *keeper_, *resyncs_,
                                         kj::mv(pipe.ends[1]));
    ended_ = "";
    run_ = session->run().eagerlyEvaluate([this](kj::Exception&& exception) {
      ended_ = exception.getDescription().cStr();
    });
    session_ = kj::mv(session);
  }

  // Turns the loop until `condition` holds.
  bool until(const std::function<bool()>& condition) {
    for (int i = 0; i < 10'000; ++i) {
      if (condition()) return true;
      io_->provider->getTimer().afterDelay(1 * kj::MILLISECONDS).wait(io_->waitScope);
    }
    return false;
  }

  LinkSession& session() { return *KJ_ASSERT_NONNULL(session_); }
  wire::Sink::Client sink() { return KJ_ASSERT_NONNULL(script_.sink); }

  // A stream's call: its outcome shows later, in the head or in the session's end.
  void send_frame(const std::vector<std::string>& batches) {
    auto request = sink().frameRequest();
    auto list = request.initFrame().initBatches(static_cast<unsigned>(batches.size()));
    for (unsigned i = 0; i < batches.size(); ++i) {
      list.set(i, kj::arrayPtr(reinterpret_cast<const kj::byte*>(batches[i].data()),
                               batches[i].size()));
    }
    request.send().wait(io_->waitScope);
  }
  bool ends() {
    return until([&] { return !ended_.empty(); });
  }

  // Of the primary, after what the replica was given.
  std::vector<std::string> next_batches(int count) {
    primary_.commit(count);
    store::WalTail tail(*primary_.store.acquire(), before_);
    std::vector<std::string> batches;
    store::CheckedBatch batch;
    while (tail.next(primary_.head().position.sequence, batch) == store::WalTail::Outcome::kBatch) {
      batches.push_back(batch.bytes);
    }
    return batches;
  }

  store::PositionRecord head() {
    auto database = store_->acquire();
    return database ? (*database)->head() : store::PositionRecord{};
  }

  PrimaryNode primary_;
  TempDir dir_;
  std::unique_ptr<store::DataDirectory> directory_;
  std::unique_ptr<store::Store> store_;
  store::PositionRecord before_;
  obs::Metrics metrics_;
  SequenceGate applied_;
  Link::Options options_;
  LinkState state_;
  std::atomic<bool> stopping_{false};
  std::unique_ptr<kj::AsyncIoContext> io_ =
      std::make_unique<kj::AsyncIoContext>(kj::setupAsyncIo());
  wire::Worker disk_;
  wire::Worker syncs_;
  std::optional<LinkContext> context_;
  std::optional<Resyncs> resyncs_;
  std::optional<Applier> applier_;
  std::optional<StoreKeeper> keeper_;
  std::function<void(Script&)> prepare_ = [](Script&) {};
  Script script_;
  kj::Own<wire::Connection> source_;
  kj::Maybe<kj::Own<LinkSession>> session_;
  kj::Promise<void> run_ = kj::READY_NOW;
  std::string ended_;
};

TEST_F(LinkSessionTest, Frames_AreAppliedAndAcknowledgedOnceSynced) {
  give_data();
  connect();
  ASSERT_TRUE(until([&] { return script_.started; }));
  EXPECT_TRUE(script_.had_data);
  EXPECT_EQ(script_.wanted, wire::SnapshotReason::NONE);
  send_frame(next_batches(7));
  EXPECT_TRUE(until([&] { return head() == primary_.head(); }));
  EXPECT_EQ(applied_.current(), primary_.head().position);
  EXPECT_TRUE(until([&] { return script_.acked == primary_.head().position.sequence.value; }));
}

TEST_F(LinkSessionTest, Gap_EndsTheSessionAndAsksForASnapshot) {
  give_data();
  connect();
  ASSERT_TRUE(until([&] { return script_.started; }));
  auto batches = next_batches(3);
  batches.erase(batches.begin());
  send_frame(batches);
  ASSERT_TRUE(ends());
  EXPECT_EQ(head(), before_);
  dial();
  ASSERT_TRUE(until([&] { return script_.started; }));
  EXPECT_EQ(script_.wanted, wire::SnapshotReason::WAL_UNREADABLE);
  EXPECT_EQ(tests::resyncs(metrics_, "wal_unreadable"), 1);
  EXPECT_EQ(tests::metric(metrics_, "feeds_diverged_total"), 0);
}

TEST_F(LinkSessionTest, BatchAgain_IsNotAppliedTwice) {
  give_data();
  connect();
  ASSERT_TRUE(until([&] { return script_.started; }));
  const auto batches = next_batches(2);
  send_frame(batches);
  send_frame(batches);
  EXPECT_TRUE(ends());
  EXPECT_EQ(head(), primary_.head());
}

TEST_F(LinkSessionTest, OtherHistoryUnderARightChecksum_IsDiverged) {
  give_data();
  connect();
  ASSERT_TRUE(until([&] { return script_.started; }));
  auto batches = next_batches(2);
  // A value that changed before the checksum was made: only the digest shows it.
  batches[1][batches[1].size() - 100] ^= 1;
  send_frame(batches);
  ASSERT_TRUE(ends());
  EXPECT_EQ(head().position.sequence.value, before_.position.sequence.value + 2);  // the first one
  EXPECT_EQ(tests::resyncs(metrics_, "diverged"), 1);
  EXPECT_EQ(tests::metric(metrics_, "feeds_diverged_total"), 1);
  dial();
  ASSERT_TRUE(until([&] { return script_.started; }));
  EXPECT_EQ(script_.wanted, wire::SnapshotReason::DIVERGED);
}

TEST_F(LinkSessionTest, MalformedBatch_NeverReachesTheDatabase) {
  give_data();
  connect();
  ASSERT_TRUE(until([&] { return script_.started; }));
  auto batches = next_batches(1);
  batches[0].resize(batches[0].size() - 5);
  send_frame(batches);
  ASSERT_TRUE(ends());
  EXPECT_EQ(head(), before_);
  session_ = nullptr;
  applier_->detach();
  store_->close();
  EXPECT_TRUE(store_->open(false).ok());
}

TEST_F(LinkSessionTest, SourceThatNeverAnswers_IsGivenUp) {
  options_.peer_timeout = 100ms;
  prepare_ = [](Script& script) { script.answers = false; };
  give_data();
  connect();
  EXPECT_TRUE(ends());
}

TEST_F(LinkSessionTest, SourceOfAnotherCluster_IsRefusedFromThisSideToo) {
  give_data();
  prepare_ = [](Script& script) {
    script.welcome = [](auto welcome) {
      welcome.setClusterId("c2");
      welcome.setTail();
    };
  };
  connect();
  ASSERT_TRUE(ends());
  EXPECT_TRUE(session().refused());
  EXPECT_FALSE(script_.started);
}

TEST_F(LinkSessionTest, OtherSchemaVersion_IsRefused) {
  give_data();
  prepare_ = [](Script& script) {
    script.welcome = [](auto welcome) {
      welcome.setSchemaVersion(wire::SCHEMA_VERSION + 1);
      welcome.setTail();
    };
  };
  connect();
  ASSERT_TRUE(ends());
  EXPECT_TRUE(session().refused());
}

TEST_F(LinkSessionTest, Heartbeats_AreHeardWhileNothingElseComes) {
  give_data();
  connect();
  ASSERT_TRUE(until([&] { return script_.started; }));
  auto request = KJ_ASSERT_NONNULL(script_.pulse).beatRequest();
  request.initHeartbeat().setSequence(before_.position.sequence.value);
  request.getHeartbeat().setEpoch(1);
  request.getHeartbeat().setAdvertise("elsewhere:80");
  request.send().wait(io_->waitScope);
  const auto status = state_.status(std::chrono::steady_clock::now());
  EXPECT_EQ(status.lag, 0ms);
  EXPECT_EQ(status.primary, "elsewhere:80");
}

// --- snapshots

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
    wire::FileHash hash;
    for (unsigned i = 0; i < contents.size(); ++i) {
      hash.update(contents[i].data(), contents[i].size());
      const auto value = hash.take();
      list[i].setHigh(value.high);
      list[i].setLow(value.low);
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
  for (const std::string& name : {std::string("../evil"), std::string("a/b"), std::string(".."),
                                  std::string("."), std::string(""), std::string("/abs"), nul,
                                  std::string(300, 'x')}) {
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
}  // namespace feeds::replication
