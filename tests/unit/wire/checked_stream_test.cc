#include "common/wire/checked_stream.h"

#include <capnp/message.h>
#include <gtest/gtest.h>
#include <kj/async-io.h>

#include <random>

#include "common/base/limits.h"
#include "schema/replication.capnp.h"

namespace feeds::wire {
namespace {

// Two ends of a pipe in memory: what one writes is seen as bytes, and can be changed.
class CheckedStreamTest : public ::testing::Test {
 protected:
  static void build(capnp::MessageBuilder& message, std::size_t bytes) {
    auto frame = message.initRoot<Frame>();
    frame.setHead(7);
    auto batches = frame.initBatches(1);
    auto data = batches.init(0, static_cast<unsigned>(bytes));
    for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<kj::byte>(i * 31);
  }

  // The bytes that a message is on the wire.
  std::string encoded(std::size_t bytes) {
    auto pipe = kj::newTwoWayPipe();
    CheckedStream writer(*pipe.ends[0], io_->provider->getTimer());
    capnp::MallocMessageBuilder message;
    build(message, bytes);
    auto written = writer.writeMessage(nullptr, message).then([&] { return writer.end(); });
    auto text = pipe.ends[1]->readAllBytes();
    written.wait(io_->waitScope);
    const auto got = text.wait(io_->waitScope);
    return {reinterpret_cast<const char*>(got.begin()), got.size()};
  }

  // What a reader makes of bytes: the head of the frame, or what it complains of.
  struct Read {
    bool message = false;
    bool checksum_failed = false;
    std::string error;
  };
  Read read(const std::string& bytes, std::size_t piece = SIZE_MAX) {
    auto pipe = kj::newTwoWayPipe();
    CheckedStream reader(*pipe.ends[1], io_->provider->getTimer());
    Read result;
    auto writing = write_pieces(*pipe.ends[0], bytes, piece).eagerlyEvaluate(nullptr);
    KJ_IF_MAYBE (exception, kj::runCatchingExceptions([&] {
                   auto got =
                       reader.tryReadMessage(nullptr, options(), nullptr).wait(io_->waitScope);
                   KJ_IF_MAYBE (message, got) {
                     result.message = message->reader->getRoot<Frame>().getHead() == 7;
                   }
                 })) {
      result.error = exception->getDescription().cStr();
    }
    result.checksum_failed = reader.checksum_failed();
    return result;
  }

  kj::Promise<void> write_pieces(kj::AsyncIoStream& to, const std::string& bytes, std::size_t piece,
                                 std::size_t from = 0) {
    if (from == bytes.size()) {
      to.shutdownWrite();
      return kj::READY_NOW;
    }
    const auto length = std::min(piece, bytes.size() - from);
    return to.write(bytes.data() + from, length).then([this, &to, &bytes, piece, from, length] {
      return write_pieces(to, bytes, piece, from + length);
    });
  }

  static capnp::ReaderOptions options() {
    capnp::ReaderOptions options;
    options.traversalLimitInWords = limits::kMessageBytes / sizeof(capnp::word);
    return options;
  }

  std::unique_ptr<kj::AsyncIoContext> io_ =
      std::make_unique<kj::AsyncIoContext>(kj::setupAsyncIo());
};

TEST_F(CheckedStreamTest, MessagesOfAnySize_ComeThrough) {
  for (std::size_t bytes : {0u, 1u, 100u, 65'000u, 70'000u, 5'000'000u}) {
    const auto text = encoded(bytes);
    EXPECT_TRUE(read(text).message) << bytes;
    EXPECT_EQ(text.size() % 8, 0u);
  }
}

TEST_F(CheckedStreamTest, ComingInSmallPieces_IsTheSame) {
  const auto text = encoded(3'000);
  for (std::size_t piece : {1u, 3u, 16u, 17u, 1000u})
    EXPECT_TRUE(read(text, piece).message) << piece;
}

TEST_F(CheckedStreamTest, EveryFlippedBit_IsSeenAtOnce) {
  const auto text = encoded(200);
  for (std::size_t bit = 0; bit < text.size() * 8; ++bit) {
    auto bad = text;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    const auto result = read(bad);
    EXPECT_TRUE(result.checksum_failed) << bit;
    EXPECT_FALSE(result.message) << bit;
  }
}

TEST_F(CheckedStreamTest, EveryCut_IsAnErrorButNoChecksumError) {
  const auto text = encoded(50);
  for (std::size_t length = 1; length < text.size(); ++length) {
    const auto result = read(text.substr(0, length));
    EXPECT_FALSE(result.message) << length;
    EXPECT_FALSE(result.checksum_failed) << length;
    EXPECT_NE(result.error, "") << length;
  }
  const auto nothing = read("");
  EXPECT_FALSE(nothing.message);
  EXPECT_EQ(nothing.error, "");
}

TEST_F(CheckedStreamTest, RandomBytes_AreRefusedWithoutReadingOn) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int i = 0; i < 500; ++i) {
    std::string bytes(16 + random() % 200, '\0');
    for (auto& byte : bytes) byte = static_cast<char>(random());
    EXPECT_TRUE(read(bytes).checksum_failed);
  }
}

// The framing, byte by byte: schema/replication.capnp says what they are.
TEST_F(CheckedStreamTest, Header_IsAsDocumented) {
  const auto text = encoded(1);
  const auto hex = [&] {
    std::string out;
    for (int i = 0; i < 16; ++i) {
      char two[3];
      std::snprintf(two, sizeof two, "%02x", static_cast<unsigned char>(text[i]));
      out += two;
    }
    return out;
  }();
  // Words, check of that, XXH3-64 of the message.
  EXPECT_EQ(hex.substr(0, 8), "07000000");
  EXPECT_EQ(text.size(), 16u + 7 * 8);
  EXPECT_EQ(hex, "070000006467393499d8862fe0ef72ba");
}

TEST_F(CheckedStreamTest, LastHeard_MovesWithBytes) {
  auto pipe = kj::newTwoWayPipe();
  auto& timer = io_->provider->getTimer();
  CheckedStream reader(*pipe.ends[1], timer);
  const auto start = reader.last_heard();
  timer.afterDelay(5 * kj::MILLISECONDS).wait(io_->waitScope);
  auto reading =
      reader.tryReadMessage(nullptr, options(), nullptr).ignoreResult().eagerlyEvaluate([](auto&&) {
      });
  // A part of a message is a sign of life too.
  pipe.ends[0]->write("abc", 3).wait(io_->waitScope);
  EXPECT_GE(reader.last_heard() - start, 5 * kj::MILLISECONDS);
}

}  // namespace
}  // namespace feeds::wire
