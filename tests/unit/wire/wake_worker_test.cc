#include <gtest/gtest.h>
#include <kj/async-io.h>

#include <atomic>
#include <future>
#include <thread>

#include "common/wire/leash.h"
#include "common/wire/messages.h"
#include "common/wire/wake.h"
#include "common/wire/worker.h"

namespace feeds::wire {
namespace {

// Every value published before a signal is seen after some wake: none is lost, and the loop ends.
TEST(Wake, NoSignalIsLost) {
  auto io = kj::setupAsyncIo();
  Wake wake;
  Waker waker(wake, io.unixEventPort);
  constexpr int kLast = 100'000;
  std::atomic<int> published{0};
  std::thread other([&] {
    for (int i = 1; i <= kLast; ++i) {
      published.store(i, std::memory_order_release);
      wake.signal();
    }
  });
  while (published.load(std::memory_order_acquire) < kLast) waker.next().wait(io.waitScope);
  other.join();
}

TEST(Wake, SignalsBeforeTheFirstWait_Count) {
  auto io = kj::setupAsyncIo();
  Wake wake;
  wake.signal();
  wake.signal();
  Waker waker(wake, io.unixEventPort);
  waker.next().wait(io.waitScope);
}

TEST(Worker, RunsJobsInOrderOffTheLoop) {
  auto io = kj::setupAsyncIo();
  Worker worker;
  const auto loop = std::this_thread::get_id();
  std::vector<int> order;
  auto first = worker.run([&] { order.push_back(1); });
  auto second = worker.run([&] {
    order.push_back(2);
    return std::this_thread::get_id();
  });
  EXPECT_NE(second.wait(io.waitScope), loop);
  first.wait(io.waitScope);
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST(Worker, ItsEnd_WaitsForTheRunningJobAndDropsTheRest) {
  auto io = kj::setupAsyncIo();
  std::atomic<int> ran{0};
  std::promise<void> running;
  std::promise<void> go_on;
  kj::Maybe<kj::Promise<void>> dropped;
  std::thread helper;
  {
    Worker worker;
    auto first = worker.run([&] {
      running.set_value();
      go_on.get_future().wait();
      ++ran;
    });
    dropped = worker.run([&] { ++ran; });
    running.get_future().wait();
    // Given the word while the destructor waits.
    helper = std::thread([&] { go_on.set_value(); });
  }
  helper.join();
  EXPECT_GE(ran, 1);
}

TEST(Worker, LettingGoOfAPromise_LeavesTheJobAlone) {
  auto io = kj::setupAsyncIo();
  Worker worker;
  std::atomic<bool> ran{false};
  {
    auto dropped = worker.run([&] { ran = true; });
  }
  worker.run([] {}).wait(io.waitScope);
  EXPECT_TRUE(ran);
}

TEST(Leash, CutDropsWhatCallsWaitFor) {
  auto io = kj::setupAsyncIo();
  int target = 5;
  auto leash = kj::refcounted<Leash<int>>(target);
  EXPECT_EQ(leash->call([](int& value) -> kj::Promise<int> { return value; }).wait(io.waitScope),
            5);
  bool destroyed = false;
  auto pending = leash->call([&](int&) -> kj::Promise<int> {
    return kj::Promise<int>(kj::NEVER_DONE).attach(kj::defer([&] { destroyed = true; }));
  });
  leash->cut();
  EXPECT_TRUE(destroyed);
  EXPECT_ANY_THROW(pending.wait(io.waitScope));
  EXPECT_ANY_THROW(
      leash->call([](int& value) -> kj::Promise<int> { return value; }).wait(io.waitScope));
}

TEST(Messages, DigestsSurviveTheirHalves) {
  Digest digest;
  for (int i = 0; i < 16; ++i) digest.bytes[i] = static_cast<std::uint8_t>(17 * i + 3);
  EXPECT_EQ(digest_half(digest, 0), 0x031425364758697au);
  EXPECT_EQ(digest_of(digest_half(digest, 0), digest_half(digest, 1)), digest);
}

TEST(Messages, ReasonsHaveTheNamesOfTheMetrics) {
  EXPECT_EQ(reason_name(SnapshotReason::EMPTY), "empty");
  EXPECT_EQ(reason_name(SnapshotReason::WAL_PURGED), "wal_purged");
  EXPECT_EQ(reason_name(SnapshotReason::WAL_UNREADABLE), "wal_unreadable");
  EXPECT_EQ(reason_name(SnapshotReason::DIVERGED), "diverged");
  EXPECT_EQ(reason_name(SnapshotReason::REQUESTED), "requested");
}

}  // namespace
}  // namespace feeds::wire
