// A source against a replica that the test plays, over TCP.
#include <gtest/gtest.h>

#include "common/wire/connection.h"
#include "common/wire/messages.h"
#include "tests/unit/replication/nodes.h"

namespace feeds::replication {
namespace {

using namespace std::chrono_literals;
using tests::eventually;
using tests::PrimaryNode;

// What came to the test's replica.
struct Received {
  std::vector<std::size_t> frames;  // bytes of batches
  std::uint64_t head = 0;
  int beats = 0;
  std::vector<std::string> files;
  wire::SnapshotReason reason = wire::SnapshotReason::NONE;
  bool takes_frames = true;
};

class PlayedSink final : public wire::Sink::Server {
 public:
  explicit PlayedSink(Received& received) : received_(received) {}
  kj::Promise<void> frame(FrameContext context) override {
    std::size_t bytes = 0;
    for (const auto batch : context.getParams().getFrame().getBatches()) bytes += batch.size();
    received_.frames.push_back(bytes);
    received_.head = context.getParams().getFrame().getHead();
    if (!received_.takes_frames) return kj::NEVER_DONE;
    return kj::READY_NOW;
  }
  kj::Promise<void> beginSnapshot(BeginSnapshotContext context) override {
    received_.reason = context.getParams().getManifest().getReason();
    for (const auto file : context.getParams().getManifest().getFiles()) {
      received_.files.push_back(wire::to_string(file.getName()));
    }
    return kj::READY_NOW;
  }
  kj::Promise<void> chunk(ChunkContext) override { return kj::READY_NOW; }

 private:
  Received& received_;
};

class PlayedPulse final : public wire::Pulse::Server {
 public:
  explicit PlayedPulse(Received& received) : received_(received) {}
  kj::Promise<void> beat(BeatContext) override {
    ++received_.beats;
    return kj::READY_NOW;
  }

 private:
  Received& received_;
};

class SourceSessionTest : public ::testing::Test {
 protected:
  // `peer_timeout`: the test's replica does not beat, so by then it must be done.
  explicit SourceSessionTest(std::chrono::milliseconds peer_timeout = 20'000ms) {
    primary_.peer_timeout = peer_timeout;
    primary_.commit(10);
    primary_.start();
  }
  ~SourceSessionTest() noexcept override { connection_ = nullptr; }

  kj::Own<kj::AsyncIoStream> open_stream() {
    return io_->provider->getNetwork()
        .parseAddress(primary_.address().c_str())
        .wait(io_->waitScope)
        ->connect()
        .wait(io_->waitScope);
  }
  void connect() {
    auto stream = open_stream();
    ended_ = false;
    connection_ = kj::heap<wire::Connection>(kj::mv(stream), io_->provider->getTimer());
    watch_ = connection_->lost(60 * kj::SECONDS).eagerlyEvaluate([this](kj::Exception&&) {
      ended_ = true;
    });
  }

  using Greeting = capnp::Response<wire::Source::HelloResults>;
  Greeting hello(
      const store::PositionRecord& position,
      const std::function<void(wire::Hello::Builder)>& change = [](auto) {}) {
    auto request = connection_->bootstrap().castAs<wire::Source>().helloRequest();
    auto hello = request.initHello();
    hello.setSchemaVersion(wire::SCHEMA_VERSION);
    hello.setClusterId("c1");
    hello.setNodeId("played");
    hello.setHasData(true);
    wire::write_record(hello.initPosition(), position);
    change(hello);
    request.setSink(kj::heap<PlayedSink>(received_));
    request.setPulse(kj::heap<PlayedPulse>(received_));
    return request.send().wait(io_->waitScope);
  }

  bool until(const std::function<bool()>& condition) {
    const auto turned = [&] {
      io_->provider->getTimer().afterDelay(1 * kj::MILLISECONDS).wait(io_->waitScope);
      return condition();
    };
    return condition() || eventually(turned, test::kPatience, 0ms);
  }

  PrimaryNode primary_;
  Received received_;
  std::unique_ptr<kj::AsyncIoContext> io_ =
      std::make_unique<kj::AsyncIoContext>(kj::setupAsyncIo());
  kj::Own<wire::Connection> connection_;
  kj::Promise<void> watch_ = kj::READY_NOW;
  bool ended_ = false;
};

class ImpatientSource : public SourceSessionTest {
 protected:
  ImpatientSource() : SourceSessionTest(800ms) {}
};

TEST_F(ImpatientSource, DropsAConnectionThatSaysNothing) {
  auto stream = open_stream();
  EXPECT_EQ(stream->readAllBytes().wait(io_->waitScope).size(), 0u);
  EXPECT_TRUE(primary_.source().peers().empty());
}

TEST_F(SourceSessionTest, NothingIsSentBeforeTheReplicaIsReady) {
  connect();
  const auto position = primary_.head();
  auto greeting = hello(position);
  EXPECT_TRUE(greeting.getWelcome().isTail());
  EXPECT_EQ(wire::to_string(greeting.getWelcome().getClusterId()), "c1");
  EXPECT_EQ(wire::to_string(greeting.getWelcome().getAdvertise()), "127.0.0.1:8080");
  primary_.commit(5);
  io_->provider->getTimer().afterDelay(50 * kj::MILLISECONDS).wait(io_->waitScope);
  EXPECT_TRUE(received_.frames.empty());
  greeting.getSession().startRequest().send().wait(io_->waitScope);
  EXPECT_TRUE(until([&] { return received_.head == primary_.head().position.sequence.value; }));
  EXPECT_TRUE(until([&] { return received_.beats > 0; }));
}

TEST_F(SourceSessionTest, SecondHello_IsAnError) {
  connect();
  hello(primary_.head());
  EXPECT_ANY_THROW(hello(primary_.head()));
}

TEST_F(SourceSessionTest, OtherSchemaVersion_IsRefused) {
  connect();
  const auto greeting = hello(primary_.head(), [](auto h) { h.setSchemaVersion(99); });
  ASSERT_TRUE(greeting.getWelcome().isRefused());
  EXPECT_EQ(greeting.getWelcome().getRefused(), wire::Refusal::OTHER_SCHEMA);
}

TEST_F(SourceSessionTest, AcknowledgementsPastTheHead_CountForNothing) {
  connect();
  auto greeting = hello(primary_.head());
  auto session = greeting.getSession();
  session.startRequest().send().wait(io_->waitScope);
  const auto ack = [&](std::uint64_t epoch, std::uint64_t synced) {
    auto request = session.ackRequest();
    request.initAck().setEpoch(epoch);
    request.getAck().setSynced(synced);
    request.send().wait(io_->waitScope);
  };
  const auto head = primary_.head().position.sequence.value;
  ack(1, head + 2);
  ack(2, head);
  ack(1, head - 2);
  EXPECT_TRUE(until([&] {
    const auto peers = primary_.source().peers();
    return peers.size() == 1 && peers[0].position.has_value();
  }));
  const auto peer = primary_.source().peers()[0];
  EXPECT_EQ(peer.position->sequence.value, head - 2);
  EXPECT_EQ(peer.lag_sequences, 2u);
}

TEST_F(SourceSessionTest, Frames_HoldManyBatchesUpToTheirBound) {
  const auto position = primary_.head();
  primary_.commit(400, 10'000);
  connect();
  auto greeting = hello(position);
  greeting.getSession().startRequest().send().wait(io_->waitScope);
  ASSERT_TRUE(until([&] { return received_.head == primary_.head().position.sequence.value; }));
  ASSERT_TRUE(until([&] { return received_.frames.size() >= 4; }));
  std::size_t sum = 0;
  for (const auto bytes : received_.frames) {
    EXPECT_LE(bytes, 1024u * 1024);
    sum += bytes;
  }
  EXPECT_LE(received_.frames.size(), 6u);
  EXPECT_GE(sum, 400u * 10'000);
}

TEST_F(ImpatientSource, SendsABoundedAmountToAReplicaThatTakesNothing) {
  const auto position = primary_.head();
  primary_.commit(30, 1'000'000);
  received_.takes_frames = false;
  connect();
  auto greeting = hello(position);
  greeting.getSession().startRequest().send().wait(io_->waitScope);
  // It hears heartbeats, and is heard, for several timeouts; what was sent stays below the bound.
  auto pulse = greeting.getPulse();
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(until([&] {
    pulse.beatRequest().send().wait(io_->waitScope);
    return std::chrono::steady_clock::now() - start > 2'000ms;
  }));
  EXPECT_FALSE(ended_);
  EXPECT_EQ(received_.frames.size(), 1u);
  EXPECT_GT(received_.beats, 5);
}

TEST_F(SourceSessionTest, CommitThatIsBeingWritten_IsKeptBackWhileHeartbeatsGoOn) {
  connect();
  auto greeting = hello(primary_.head());
  greeting.getSession().startRequest().send().wait(io_->waitScope);
  int beats_meanwhile = 0;
  primary_.before_write = [&] {
    // Long enough for the frame to be made.
    const int before = received_.beats;
    EXPECT_TRUE(until([&] { return received_.beats >= before + 3; }));
    beats_meanwhile = received_.beats - before;
    EXPECT_TRUE(received_.frames.empty());
  };
  primary_.commit(1);
  EXPECT_GE(beats_meanwhile, 3);
  EXPECT_TRUE(until([&] { return received_.head == primary_.head().position.sequence.value; }));
  EXPECT_EQ(received_.frames.size(), 1u);
}

// Other commits come at its sequences once the store is open again.
TEST_F(SourceSessionTest, CommitWhoseWriteFails_IsNeverSent) {
  connect();
  auto greeting = hello(primary_.head());
  greeting.getSession().startRequest().send().wait(io_->waitScope);
  primary_.before_write = [&] {
    const int before = received_.beats;
    EXPECT_TRUE(until([&] { return received_.beats >= before + 3; }));
  };
  primary_.commit_in_vain();
  primary_.before_write = {};
  primary_.reopen();
  primary_.commit(3);
  EXPECT_TRUE(until([&] { return ended_; }));
  EXPECT_TRUE(received_.frames.empty());

  connect();
  auto again = hello(primary_.head());
  ASSERT_TRUE(again.getWelcome().isTail());
  again.getSession().startRequest().send().wait(io_->waitScope);
  primary_.commit(1);
  EXPECT_TRUE(until([&] { return received_.head == primary_.head().position.sequence.value; }));
  EXPECT_EQ(received_.frames.size(), 1u);
}

TEST_F(SourceSessionTest, WantedSnapshot_IsGivenWhateverThePosition) {
  connect();
  auto greeting =
      hello(primary_.head(), [](auto h) { h.setWants(wire::SnapshotReason::REQUESTED); });
  ASSERT_TRUE(greeting.getWelcome().isSnapshot());
  EXPECT_EQ(greeting.getWelcome().getSnapshot(), wire::SnapshotReason::REQUESTED);
  greeting.getSession().startRequest().send().wait(io_->waitScope);
  EXPECT_TRUE(until([&] { return !received_.files.empty(); }));
  EXPECT_EQ(received_.reason, wire::SnapshotReason::REQUESTED);
  // The played sink does not know how to end one: that is the session's end, and the checkpoint's.
  EXPECT_TRUE(until([&] { return ended_; }));
  EXPECT_TRUE(eventually([&] {
    for (const auto& entry : std::filesystem::directory_iterator(primary_.path())) {
      if (entry.path().filename().string().starts_with("checkpoint-")) return false;
    }
    return true;
  }));
}

}  // namespace
}  // namespace feeds::replication
