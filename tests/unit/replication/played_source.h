#pragma once

#include <gtest/gtest.h>

#include "common/store/snapshot_files.h"
#include "common/store/wal_tail.h"
#include "common/wire/connection.h"
#include "common/wire/messages.h"
#include "replica/replication/session.h"
#include "tests/unit/replication/nodes.h"

namespace feeds::tests {

using namespace replication;

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
    auto session =
        kj::heap<LinkSession>(*context_, *applier_, *keeper_, *resyncs_, kj::mv(pipe.ends[1]));
    ended_ = "";
    run_ = session->run().eagerlyEvaluate(
        [this](kj::Exception&& exception) { ended_ = exception.getDescription().cStr(); });
    session_ = kj::mv(session);
  }

  // Turns the loop until `condition` holds.
  bool until(const std::function<bool()>& condition) {
    const auto turned = [&] {
      io_->provider->getTimer().afterDelay(1 * kj::MILLISECONDS).wait(io_->waitScope);
      return condition();
    };
    return condition() || eventually(turned, test::kPatience, 0ms);
  }

  LinkSession& session() { return *KJ_ASSERT_NONNULL(session_); }
  wire::Sink::Client sink() { return KJ_ASSERT_NONNULL(script_.sink); }

  // A stream's call: its outcome shows later, in the head or in the session's end.
  void send_frame(const std::vector<std::string>& batches) {
    auto request = sink().frameRequest();
    auto list = request.initFrame().initBatches(static_cast<unsigned>(batches.size()));
    for (unsigned i = 0; i < batches.size(); ++i) {
      list.set(
          i, kj::arrayPtr(reinterpret_cast<const kj::byte*>(batches[i].data()), batches[i].size()));
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

}  // namespace feeds::tests
