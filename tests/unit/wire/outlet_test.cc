#include "common/wire/outlet.h"

#include <gtest/gtest.h>
#include <kj/async-io.h>

#include <string>
#include <thread>

namespace feeds::wire {
namespace {

// An outlet into a pipe: of the kernel, as between two nodes, or in memory.
class OutletTest : public ::testing::TestWithParam<bool> {
 protected:
  OutletTest()
      : pipe_(GetParam() ? io_->provider->newTwoWayPipe() : kj::newTwoWayPipe()),
        outlet_(std::make_shared<Outlet>(*pipe_.ends[0])) {}
  ~OutletTest() noexcept override { under_way_.clear(); }

  static kj::ArrayPtr<const kj::byte> bytes(const std::string& text) {
    return kj::arrayPtr(reinterpret_cast<const kj::byte*>(text.data()), text.size());
  }
  void write(const std::string& text) {
    written_.push_back(std::make_unique<std::string>(text));
    const auto piece = bytes(*written_.back());
    KJ_IF_MAYBE (leaving, outlet_->write(kj::arrayPtr(&piece, 1))) {
      under_way_.push_back(leaving->eagerlyEvaluate(nullptr));
    }
  }
  void keep_or_write(const std::string& text, std::uint64_t until, const std::string& before = "") {
    const auto piece = bytes(text);
    if (!outlet_->keep(kj::arrayPtr(&piece, 1), until, bytes(before))) write(before + text);
  }
  // As the thread that commits does it; true if the loop has to help.
  bool release(std::uint64_t until, bool send = true) {
    bool help = false;
    std::thread([&] { help = outlet_->release(until, send); }).join();
    return help;
  }
  void release_and_flush(std::uint64_t until, bool send = true) {
    if (release(until, send)) under_way_.push_back(outlet_->flush().eagerlyEvaluate(nullptr));
  }
  std::string read(std::size_t bytes) {
    auto buffer = kj::heapArray<char>(bytes);
    pipe_.ends[1]->read(buffer.begin(), bytes).wait(io_->waitScope);
    return {buffer.begin(), bytes};
  }
  // Once all that was said has been done, nothing more has come.
  bool nothing_came() {
    kj::evalLater([] {}).wait(io_->waitScope);
    char one = 0;
    auto reading = pipe_.ends[1]->tryRead(&one, 1, 1);
    return !reading.poll(io_->waitScope);
  }

  std::unique_ptr<kj::AsyncIoContext> io_ =
      std::make_unique<kj::AsyncIoContext>(kj::setupAsyncIo());
  kj::TwoWayPipe pipe_;
  std::shared_ptr<Outlet> outlet_;
  std::vector<std::unique_ptr<std::string>> written_;
  std::vector<kj::Promise<void>> under_way_;
};

INSTANTIATE_TEST_SUITE_P(Pipes, OutletTest, ::testing::Bool(), [](const auto& pipe) {
  return pipe.param ? std::string("OfTheKernel") : std::string("InMemory");
});

TEST_P(OutletTest, WhatIsNotReleased_IsKeptInOrderAndOvertaken) {
  outlet_->keep_back();
  outlet_->release(4, true);
  keep_or_write("four", 4);
  keep_or_write("five", 5);
  keep_or_write("more", 0);
  write("beat");
  EXPECT_EQ(read(8), "fourbeat");
  EXPECT_TRUE(nothing_came());
  release_and_flush(4);
  EXPECT_TRUE(nothing_came());
  release_and_flush(5);
  EXPECT_EQ(read(8), "fivemore");
  keep_or_write("six", 5);
  EXPECT_EQ(read(3), "six");
}

TEST_P(OutletTest, WhatCameBeforeIt_LeavesWithIt) {
  outlet_->keep_back();
  keep_or_write("kept", 5, "before");
  EXPECT_TRUE(nothing_came());
  release_and_flush(5);
  EXPECT_EQ(read(10), "beforekept");
}

TEST_P(OutletTest, WhatCameBeforeIt_LeavesWithAnEarlierWrite) {
  outlet_->keep_back();
  keep_or_write("kept", 5, "before");
  write("beat");
  EXPECT_EQ(read(10), "beforebeat");
  release_and_flush(5);
  EXPECT_EQ(read(4), "kept");
}

TEST_P(OutletTest, UntilToldToKeepBack_AllLeaves) {
  keep_or_write("nine", 9);
  EXPECT_EQ(read(4), "nine");
}

TEST_P(OutletTest, OnceCut_NothingLeavesAndWritesFail) {
  outlet_->keep_back();
  keep_or_write("kept", 7);
  outlet_->cut();
  EXPECT_FALSE(release(7));
  EXPECT_TRUE(nothing_came());
  const auto piece = bytes("late");
  EXPECT_FALSE(outlet_->keep(kj::arrayPtr(&piece, 1), 8, nullptr));
  KJ_IF_MAYBE (leaving, outlet_->write(kj::arrayPtr(&piece, 1))) {
    EXPECT_ANY_THROW(leaving->wait(io_->waitScope));
  } else {
    FAIL() << "it was taken";
  }
}

TEST_P(OutletTest, LeftToTheLoop_ItLeavesWithFlush) {
  outlet_->keep_back();
  keep_or_write("kept", 7);
  EXPECT_TRUE(release(7, false));
  EXPECT_TRUE(nothing_came());
  under_way_.push_back(outlet_->flush().eagerlyEvaluate(nullptr));
  EXPECT_EQ(read(4), "kept");
}

TEST_P(OutletTest, LeftToTheLoop_ItLeavesBeforeTheNextWrite) {
  outlet_->keep_back();
  keep_or_write("kept", 7);
  EXPECT_TRUE(release(7, false));
  write("next");
  EXPECT_EQ(read(8), "keptnext");
}

// A peer that does not read fills the socket in the middle of a message; what is released then waits its
// turn.
TEST_P(OutletTest, BehindAFullSocket_TheOrderIsKept) {
  outlet_->keep_back();
  const std::string large(8'000'000, 'x');
  write(large);
  keep_or_write("kept", 3);
  EXPECT_FALSE(release(3));
  write("next");
  EXPECT_TRUE(read(large.size() + 8) == large + "keptnext");
  EXPECT_TRUE(nothing_came());
}

}  // namespace
}  // namespace feeds::wire
