#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/base/limits.h"
#include "tests/http/toy_server.h"

// Connections over time: timeouts, bounds, the end of the server.
namespace feeds::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

const std::string kHello = "GET /hello HTTP/1.1\r\nHost: toy\r\n\r\n";

void short_timeouts(http::ServerOptions& options) {
  options.header_timeout = 300ms;
  options.body_timeout = 300ms;
  options.idle_timeout = 300ms;
}

TEST(Timeouts, Idle_IsClosedSilently) {
  // Long enough for a request to come where the machine is busy.
  ToyServer toy([](http::ServerOptions& options) { options.idle_timeout = 1s; });
  RawClient fresh = toy.connect();
  EXPECT_EQ(fresh.read_to_end(), "");
  RawClient used = toy.connect();
  EXPECT_EQ(used.ask(kHello).status, 200);
  EXPECT_EQ(used.read_to_end(), "");
}

TEST(Timeouts, SlowHead_Is408) {
  ToyServer toy([](http::ServerOptions& options) { options.header_timeout = 300ms; });
  RawClient client = toy.connect();
  const RawReply reply = client.ask("GET /hello HTT");
  EXPECT_EQ(reply.status, 408);
  EXPECT_THAT(reply.body, HasSubstr("request_timeout"));
  EXPECT_EQ(reply.header("Connection"), "close");
  EXPECT_TRUE(client.is_ended());
}

TEST(Timeouts, DrippedHead_IsNotProlonged) {
  ToyServer toy([](http::ServerOptions& options) { options.header_timeout = 300ms; });
  RawClient client = toy.connect();
  client.send("GET /hello HTTP/1.1\r\nX: ");
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!client.readable_within(20ms) && std::chrono::steady_clock::now() < deadline) {
    client.send("x");
  }
  EXPECT_EQ(client.reply().status, 408);
}

TEST(Timeouts, SilentBody_Is408) {
  ToyServer toy([](http::ServerOptions& options) { options.body_timeout = 300ms; });
  for (const char* framing :
       {"Content-Length: 10\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n5\r\nab"}) {
    RawClient client = toy.connect();
    EXPECT_EQ(client.ask(std::string("POST /text HTTP/1.1\r\nHost: toy\r\n") + framing).status,
              408);
    EXPECT_TRUE(client.is_ended());
  }
}

TEST(Timeouts, SlowBodyThatComes_IsRead) {
  ToyServer toy([](http::ServerOptions& options) { options.body_timeout = 3000ms; });
  RawClient client = toy.connect();
  client.send("POST /text HTTP/1.1\r\nHost: toy\r\nContent-Length: 20\r\n\r\n");
  for (int i = 0; i < 20; ++i) {
    ASSERT_FALSE(client.readable_within(80ms));
    client.send("x");
  }
  EXPECT_EQ(client.reply().status, 200);
}

TEST(Timeouts, ReplyThatIsNotRead_IsCut) {
  ToyServer toy(short_timeouts);
  RawClient client = toy.connect(4096);
  client.send("GET /big?bytes=50000000 HTTP/1.1\r\nHost: toy\r\n\r\n");
  ASSERT_TRUE(client.readable_within(kPatience));
  EXPECT_TRUE(eventually([&] { return toy.observer().open() == 0; }));
  EXPECT_FALSE(client.reply().complete);
}

TEST(Timeouts, HandlerThatTakesLong_IsWaitedFor) {
  ToyServer toy(short_timeouts);
  RawClient client = toy.connect();
  client.send("GET /hold HTTP/1.1\r\nHost: toy\r\n\r\n");
  EXPECT_FALSE(client.readable_within(900ms));
  toy.release_held();
  EXPECT_EQ(client.reply().status, 500);
}

TEST(Connections, OverTheBound_Are503AndReadable) {
  ToyServer toy([](http::ServerOptions& options) { options.max_connections = 2; });
  RawClient first = toy.connect();
  RawClient second = toy.connect();
  EXPECT_EQ(first.ask(kHello).status, 200);
  EXPECT_EQ(second.ask(kHello).status, 200);
  for (int i = 0; i < 5; ++i) {
    RawClient third = toy.connect();
    third.send(kHello + std::string(100'000, 'x'));
    const RawReply reply = third.reply();
    EXPECT_EQ(reply.status, 503);
    EXPECT_THAT(reply.body, HasSubstr("overloaded"));
    EXPECT_EQ(reply.header("Retry-After"), "1");
    EXPECT_EQ(reply.header("Connection"), "close");
    EXPECT_TRUE(third.is_ended());
  }
  first.close();
  EXPECT_TRUE(eventually([&] { return toy.get("/hello").status == 200; }));
}

TEST(Connections, AreCounted) {
  ToyServer toy([](http::ServerOptions& options) { options.threads = 2; });
  std::vector<RawClient> clients;
  for (int i = 0; i < 20; ++i) clients.push_back(toy.connect());
  EXPECT_TRUE(eventually([&] { return toy.observer().open() == 20; }));
  clients.clear();
  EXPECT_TRUE(eventually([&] { return toy.observer().open() == 0; }));
}

TEST(Connections, WithoutFileDescriptors_WaitUntilThereAreSome) {
  ToyServer toy;
  ASSERT_EQ(toy.get("/hello").status, 200);
  ASSERT_TRUE(eventually([&] { return toy.observer().open() == 0; }));
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  rlimit low = before;
  low.rlim_cur = 100;
  ::setrlimit(RLIMIT_NOFILE, &low);
  std::vector<int> fillers;
  for (int fd = ::dup(2); fd >= 0; fd = ::dup(2)) fillers.push_back(fd);
  // One for the client; the server finds none.
  ::close(fillers.back());
  fillers.pop_back();
  RawClient client = toy.connect();
  ASSERT_TRUE(client.connected());
  client.send(kHello);
  EXPECT_FALSE(client.readable_within(350ms));
  for (const int fd : fillers) ::close(fd);
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(client.reply().status, 200);
}

// All go on at once, and nobody takes the large chunks.
TEST(Connections, StreamsThatGoOn_WaitWhileTooMuchIsHeld) {
  ToyServer toy;
  constexpr std::size_t kRoom = limits::kHeldBytes / limits::kPageBytes;
  std::vector<RawClient> clients;
  for (std::size_t i = 0; i < 3 * kRoom; ++i) {
    clients.push_back(toy.connect(4096));
    clients.back().send("GET /stream/gated HTTP/1.1\r\nHost: toy\r\n\r\n");
  }
  ASSERT_TRUE(eventually([&] { return toy.live_sources == static_cast<int>(clients.size()); }));
  toy.gate_open = true;
  ASSERT_TRUE(eventually([&] { return toy.large_chunks > kRoom; }));
  EXPECT_EQ(toy.get("/hello").status, 503);
  EXPECT_LE(toy.large_chunks, kRoom + 1);
  // The room of those that go is for those that wait.
  for (std::size_t i = 0; i < 2 * kRoom; ++i) clients[i].reset();
  EXPECT_TRUE(eventually([&] { return toy.large_chunks >= 2 * kRoom; }));
  clients.clear();
  EXPECT_TRUE(eventually([&] { return toy.get("/hello").status == 200; }));
}

TEST(Server, BoundAddress_IsRefusedByName) {
  for (const std::size_t threads : {1u, 2u}) {
    ToyServer toy([&](http::ServerOptions& options) { options.threads = threads; });
    const http::Router router;
    http::ServerOptions options;
    options.listen = toy.address();
    options.threads = threads;
    http::Server second(options, router, nullptr);
    const Status started = second.start();
    ASSERT_FALSE(started);
    EXPECT_THAT(started.error().detail, HasSubstr(toy.address()));
  }
}

TEST(Server, BadAddress_IsRefusedByName) {
  for (const char* address : {"", "localhost", ":80", "127.0.0.1:", "127.0.0.1:http",
                              "127.0.0.1:70000", "::1:80", "999.1.1.1.invalid:80"}) {
    const http::Router router;
    http::ServerOptions options;
    options.listen = address;
    http::Server server(options, router, nullptr);
    const Status started = server.start();
    ASSERT_FALSE(started) << address;
    EXPECT_THAT(started.error().detail, HasSubstr(address));
  }
}

TEST(Server, ListensOnIpv6) {
  ToyServer toy([](http::ServerOptions& options) { options.listen = "[::1]:0"; });
  EXPECT_THAT(toy.address(), ::testing::StartsWith("[::1]:"));
  EXPECT_EQ(toy.get("/hello").status, 200);
}

TEST(Server, Threads_ShareTheConnections) {
  ToyServer toy([](http::ServerOptions& options) { options.threads = 3; });
  EXPECT_EQ(toy.server().io_threads().size(), 3u);
  for (int i = 0; i < 60; ++i) EXPECT_EQ(toy.get("/hello").status, 200);
}

TEST(Server, PostedWork_RunsAfterWhatIsReadable) {
  ToyServer toy;
  http::IoThread* thread = toy.server().io_threads()[0];
  std::vector<int> order;
  std::atomic<bool> done = false;
  thread->post([&] {
    thread->post([&] {
      order.push_back(2);
      done = true;
    });
    order.push_back(1);
  });
  ASSERT_TRUE(eventually([&] { return done.load(); }));
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST(Server, CancelledTimer_DoesNotRun) {
  ToyServer toy;
  http::IoThread* thread = toy.server().io_threads()[0];
  std::atomic<int> ran = 0;
  std::atomic<bool> last = false;
  thread->post([&] {
    const auto first = thread->after(5ms, [&] { ++ran; });
    thread->after(1ms, [&, first] { thread->cancel(first); });
    thread->after(50ms, [&] { last = true; });
    thread->cancel(12345);
  });
  ASSERT_TRUE(eventually([&] { return last.load(); }));
  EXPECT_EQ(ran, 0);
}

TEST(Stop, AnswersWhatIsInFlight) {
  ToyServer toy;
  RawClient busy = toy.connect();
  RawClient idle = toy.connect();
  EXPECT_EQ(idle.ask(kHello).status, 200);
  busy.send("GET /hold HTTP/1.1\r\nHost: toy\r\n\r\n");
  ASSERT_TRUE(eventually([&] { return toy.held_count() == 1; }));
  RawClient half = toy.connect();
  // Its 100 tells that the head was read.
  half.send(
      "POST /text HTTP/1.1\r\nHost: toy\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
  EXPECT_EQ(half.reply().status, 100);
  half.send("ab");
  std::thread stopper([&] { toy.server().stop(20s); });
  EXPECT_EQ(idle.read_to_end(), "");
  toy.release_held();
  EXPECT_EQ(busy.reply().status, 500);
  half.send("cd");
  EXPECT_EQ(half.reply().header("Connection"), "close");
  stopper.join();
  EXPECT_FALSE(RawClient(toy.address()).connected());
}

TEST(Stop, EndsConnectionsWhoseReplyWasBegunBefore) {
  ToyServer toy;
  RawClient client = toy.connect(4096);
  client.send("GET /big?bytes=50000000 HTTP/1.1\r\nHost: toy\r\n\r\n");
  ASSERT_TRUE(eventually([&] { return !toy.observer().replies().empty(); }));
  std::chrono::steady_clock::duration took{};
  std::thread stopper([&] {
    const auto start = std::chrono::steady_clock::now();
    toy.server().stop(20s);
    took = std::chrono::steady_clock::now() - start;
  });
  EXPECT_TRUE(eventually([&] { return !RawClient(toy.address()).connected(); }));
  const RawReply reply = client.reply();
  EXPECT_TRUE(reply.complete);
  EXPECT_EQ(reply.body.size(), 50'000'000U);
  EXPECT_EQ(client.read_to_end(), "");
  stopper.join();
  EXPECT_LT(took, 15s);
}

TEST(Stop, CutsStreamsAndEndsBeforeItsGrace) {
  ToyServer toy([](http::ServerOptions& options) { options.threads = 2; });
  RawClient client = toy.connect();
  client.send("GET /stream/endless HTTP/1.1\r\nHost: toy\r\n\r\n");
  ASSERT_TRUE(eventually([&] { return toy.live_sources == 1; }));
  const auto start = std::chrono::steady_clock::now();
  toy.server().stop(20s);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 15s);
  EXPECT_EQ(toy.live_sources, 0);
  EXPECT_FALSE(client.reply().complete);
}

TEST(Stop, DoesNotOutliveItsGrace) {
  ToyServer toy;
  RawClient client = toy.connect();
  client.send("GET /hold HTTP/1.1\r\nHost: toy\r\n\r\n");
  ASSERT_TRUE(eventually([&] { return toy.held_count() == 1; }));
  const auto start = std::chrono::steady_clock::now();
  toy.server().stop(300ms);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 15s);
  EXPECT_TRUE(client.is_ended());
  // Answered into the void.
  toy.release_held();
}

TEST(Stop, BeforeStartOrTwice_IsHarmless) {
  const http::Router router;
  http::ServerOptions options;
  options.listen = "127.0.0.1:0";
  http::Server never(options, router, nullptr);
  never.stop(1s);
  http::Server server(options, router, nullptr);
  ASSERT_TRUE(server.start());
  server.stop(1s);
  server.stop(1s);
}

}  // namespace
}  // namespace feeds::test
