#include "common/base/limits.h"
#include "tests/http/toy_server.h"

// How replies are sent: deferred, streamed, refused early, with bugs behind them.
namespace feeds::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

std::string get(const std::string& target, const std::string& version = "1.1") {
  return "GET " + target + " HTTP/" + version + "\r\nHost: toy\r\n\r\n";
}

TEST(Replies, MayComeLater_FromATimerOrAnotherThread) {
  ToyServer toy([](http::ServerOptions& options) { options.threads = 2; });
  std::vector<RawClient> clients;
  for (int i = 0; i < 20; ++i) clients.push_back(toy.connect());
  for (RawClient& client : clients) client.send(get("/later") + get("/thread"));
  for (RawClient& client : clients) {
    EXPECT_EQ(client.reply().body, "later");
    EXPECT_EQ(client.reply().body, "thread");
  }
}

TEST(Replies, Large_ArriveWhole) {
  ToyServer toy;
  RawClient client = toy.connect(4096);
  for (const std::size_t size : {std::size_t{0}, std::size_t{7600}, std::size_t{20'000'000}}) {
    const RawReply reply = client.ask(get("/big?bytes=" + std::to_string(size)));
    EXPECT_EQ(reply.body.size(), size);
    EXPECT_TRUE(reply.complete);
  }
}

TEST(Replies, ThrowingHandler_Gives500AndTheServerGoesOn) {
  ToyServer toy;
  RawClient client = toy.connect();
  for (const char* target : {"/throw", "/drop"}) {
    const RawReply reply = client.ask(get(target));
    EXPECT_EQ(reply.status, 500);
    EXPECT_THAT(reply.body, HasSubstr("\"code\":\"internal\""));
    EXPECT_THAT(reply.body, ::testing::Not(HasSubstr("made to")));
  }
  EXPECT_EQ(client.ask(get("/hello")).status, 200);
}

TEST(Replies, ExchangeDroppedOnAnotherThread_Gives500) {
  ToyServer toy;
  RawClient client = toy.connect();
  client.send(get("/hold"));
  ASSERT_TRUE(eventually([&] { return toy.held_count() == 1; }));
  toy.release_held();
  EXPECT_EQ(client.reply().status, 500);
  EXPECT_EQ(client.ask(get("/hello")).status, 200);
}

TEST(Replies, ToAPeerThatWent_AreHarmless) {
  ToyServer toy;
  for (int i = 0; i < 20; ++i) {
    RawClient client = toy.connect();
    client.send(get(i % 2 == 0 ? "/later" : "/big?bytes=10000000"));
    client.reset();
  }
  EXPECT_TRUE(eventually([&] { return toy.observer().open() == 0; }));
  EXPECT_EQ(toy.get("/hello").status, 200);
}

TEST(Replies, AreCounted_ByPatternAndStatus) {
  ToyServer toy;
  toy.get("/things/1/2");
  toy.get("/things/1");
  toy.get("/nothing");
  toy.get("/stream?chunks=2&bytes=5");
  const auto replies = toy.observer().replies();
  ASSERT_EQ(replies.size(), 4u);
  EXPECT_EQ(replies[0].pattern, "/things/{id}/{part}");
  EXPECT_EQ(replies[0].status, 200);
  EXPECT_EQ(replies[1].pattern, "/things/{id}");
  EXPECT_EQ(replies[1].status, 405);
  EXPECT_EQ(replies[2].pattern, "");
  EXPECT_EQ(replies[2].status, 404);
  EXPECT_EQ(replies[3].pattern, "/stream");
}

// --- refused before the request was read

TEST(EarlyReplies, LargeUpload_CanRead413) {
  ToyServer toy;
  for (const bool chunked : {false, true}) {
    for (int run = 0; run < 5; ++run) {
      RawClient client = toy.connect();
      std::string head = "POST /text HTTP/1.1\r\nHost: toy\r\n";
      head += chunked ? "Transfer-Encoding: chunked\r\n\r\n" : "Content-Length: 50000000\r\n\r\n";
      const std::string piece(1'000'000, 'x');
      ASSERT_TRUE(client.send(head));
      // A client that reads only when it has sent everything.
      for (int i = 0; i < 50; ++i) {
        const bool sent = client.send(chunked ? "f4240\r\n" + piece + "\r\n" : piece);
        ASSERT_TRUE(sent) << i;
      }
      const RawReply reply = client.reply();
      EXPECT_EQ(reply.status, 413);
      EXPECT_EQ(reply.header("Connection"), "close");
      EXPECT_TRUE(client.is_ended());
    }
  }
}

TEST(EarlyReplies, EndlessUpload_IsCutAfter64MiB) {
  ToyServer toy;
  RawClient client = toy.connect();
  client.send("POST /text HTTP/1.1\r\nHost: toy\r\nContent-Length: 1000000000\r\n\r\n");
  const std::string piece(1'000'000, 'x');
  std::size_t sent = 0;
  while (sent < 1000 && client.send(piece)) ++sent;
  EXPECT_GE(sent, 60u);
  EXPECT_LT(sent, 200u);
}

TEST(EarlyReplies, AtTheHead_AnswerWithoutTheBody) {
  ToyServer toy;
  RawClient client = toy.connect();
  const RawReply reply =
      client.ask("PUT /moved HTTP/1.1\r\nHost: toy\r\nContent-Length: 900000\r\n\r\n");
  EXPECT_EQ(reply.status, 307);
  EXPECT_EQ(reply.header("Location"), "http://127.0.0.1:1/moved");
  EXPECT_EQ(reply.header("Connection"), "close");
  client.send(std::string(900'000, 'x'));
  EXPECT_TRUE(client.is_ended());
}

// --- streams

TEST(Streams, AreChunked) {
  ToyServer toy;
  RawClient client = toy.connect();
  const RawReply reply = client.ask(get("/stream?chunks=3&bytes=100000"));
  EXPECT_EQ(reply.header("Transfer-Encoding"), "chunked");
  EXPECT_EQ(reply.header("Content-Length"), std::nullopt);
  EXPECT_EQ(reply.body,
            std::string(100'000, 'b') + std::string(100'000, 'c') + std::string(100'000, 'd'));
  EXPECT_TRUE(reply.complete);
  EXPECT_EQ(client.ask(get("/stream?chunks=1&bytes=0")).body, "");
  EXPECT_EQ(client.ask(get("/stream/silent")).body.size(), 2000u);
  EXPECT_EQ(client.ask(get("/hello")).status, 200);
  EXPECT_EQ(toy.live_sources, 0);
}

TEST(Streams, ToHttp10_EndWithTheConnection) {
  ToyServer toy;
  RawClient client = toy.connect();
  client.send("GET /stream?chunks=3&bytes=10 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const RawReply reply = client.reply();
  EXPECT_EQ(reply.header("Transfer-Encoding"), std::nullopt);
  EXPECT_EQ(reply.header("Connection"), "close");
  EXPECT_EQ(reply.body.size(), 30u);
  EXPECT_TRUE(reply.complete);
}

TEST(Streams, Head_AsksTheSourceForNothing) {
  ToyServer toy;
  RawClient client = toy.connect();
  const RawReply reply = client.ask("HEAD /stream/throwing HTTP/1.1\r\nHost: toy\r\n\r\n", true);
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.header("Transfer-Encoding"), "chunked");
  EXPECT_EQ(client.ask(get("/hello")).status, 200);
  EXPECT_EQ(toy.live_sources, 0);
}

TEST(Streams, Error_CutsWithoutTheLastChunk) {
  ToyServer toy;
  for (const char* kind : {"failing", "throwing"}) {
    for (const char* version : {"1.1", "1.0"}) {
      RawClient client = toy.connect();
      const RawReply reply = client.ask(get(std::string("/stream/") + kind, version));
      EXPECT_EQ(reply.status, 200);
      EXPECT_FALSE(reply.complete) << kind << version;
    }
  }
  EXPECT_TRUE(eventually([&] { return toy.live_sources == 0; }));
}

TEST(Streams, OfAPeerThatWent_AreEnded) {
  ToyServer toy;
  {
    RawClient client = toy.connect();
    EXPECT_TRUE(client.send(get("/stream/endless")));
    ASSERT_TRUE(eventually([&] { return toy.live_sources == 1; }));
  }
  EXPECT_TRUE(eventually([&] { return toy.live_sources == 0; }));
}

TEST(Streams, OthersAreServedBesideAFastOne) {
  ToyServer toy;
  RawClient streaming = toy.connect();
  streaming.send(get("/stream/endless"));
  std::atomic<bool> stop = false;
  std::thread reader([&] {
    while (!stop && streaming.readable_within(1s)) streaming.drop_some();
  });
  for (int i = 0; i < 50; ++i) EXPECT_EQ(toy.get("/hello").status, 200);
  stop = true;
  reader.join();
}

TEST(Streams, OnAReplacedDatabase_AreCutAfterFiveSeconds) {
  ToyServer toy;
  RawClient client = toy.connect();
  const auto start = std::chrono::steady_clock::now();
  client.send(get("/stream/retired"));
  ASSERT_TRUE(eventually([&] { return toy.live_sources == 1; }));
  ASSERT_TRUE(eventually([&] { return toy.live_sources == 0; }));
  EXPECT_GE(std::chrono::steady_clock::now() - start, limits::kRetiredStreamTime - 100ms);
}

}  // namespace
}  // namespace feeds::test
