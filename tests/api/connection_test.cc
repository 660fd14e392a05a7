#include "tests/api/fixture.h"
#include "tests/support/eventually.h"

namespace feeds::test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

// What a client library would hide: the bytes on the connection.
class Connections : public ApiTest {
 protected:
  std::string publish_text(const std::string& text) {
    return request_text("POST", feed_path(feed), text);
  }

  std::uint64_t feed = primary.new_feed();
  RawClient client{primary.address()};
};

TEST_F(Connections, PipelinedWritesAndReads_AreAnsweredInOrder) {
  std::string burst;
  constexpr std::uint64_t kRounds = 200;
  for (std::uint64_t i = 0; i < kRounds; ++i) {
    burst += publish_text(std::to_string(i));
    burst += request_text("GET", feed_path(feed, "?limit=1"));
    burst += request_text("HEAD", feed_path(feed));
    burst += request_text("GET", "/v1/nothing");
  }
  client.send(burst);
  for (std::uint64_t i = 0; i < kRounds; ++i) {
    const RawReply made = client.reply();
    ASSERT_EQ(made.body, path("{\"id\":", 10000 + i, ",\"text\":\"" + std::to_string(i) + "\"}"));
    const RawReply read = client.reply();
    ASSERT_THAT(article_ids(read), ElementsAre(10000 + i)) << "a read sees the writes before it";
    EXPECT_GE(sequence(read), sequence(made));
    ASSERT_THAT(client.reply(true), HasStatus(200));
    ASSERT_THAT(client.reply(), IsProblem(Code::kNoSuchRoute));
  }
}

TEST_F(Connections, ChunkedBodies_AreTaken) {
  const auto chunked = [&](const std::string& target, const std::string& chunks,
                           const std::string& type = {}) {
    return "POST " + target + " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n" + type +
           "\r\n" + chunks;
  };
  EXPECT_EQ(
      client.ask(chunked(feed_path(feed), "3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\nTrailer: t\r\n\r\n"))
          .body,
      R"({"id":10000,"text":"abcdefg"})");
  EXPECT_EQ(client.ask(chunked(feed_path(feed), "0\r\n\r\n")).body, R"({"id":10001,"text":""})");
  const std::string json_type = "Content-Type: application/json\r\n";
  EXPECT_THAT(client.ask(chunked("/v1/feeds", "2\r\n{}\r\n0\r\n\r\n", json_type)), HasStatus(201));
  EXPECT_THAT(client.ask(chunked("/v1/users", "0\r\n\r\n", json_type)), HasStatus(201));
  const std::string mib = "100000\r\n" + std::string(1 << 20, 'a') + "\r\n";
  EXPECT_THAT(client.ask(chunked(feed_path(feed), mib + "0\r\n\r\n")), HasStatus(201));
  const RawReply large = client.ask(chunked(feed_path(feed), mib + "1\r\na\r\n0\r\n\r\n"));
  EXPECT_THAT(large, IsProblem(Code::kBodyTooLarge));
  check("chunked", large, false);
  EXPECT_THAT(article_ids(primary.get(feed_path(feed))), ElementsAre(10000, 10001, 10002));
}

TEST_F(Connections, AmbiguousLengths_Are400AndClose) {
  const std::uint64_t before = position();
  for (const char* headers :
       {"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n",
        "Transfer-Encoding:\r\n chunked\r\nContent-Length: 1\r\n",
        "Content-Length: 1\r\nContent-Length: 2\r\n", "Content-Length: 1\r\nContent-Length: 1\r\n",
        "Content-Length: 1, 1\r\n", "Content-Length: +1\r\n", "Content-Length: -1\r\n",
        "Content-Length: 0x1\r\n", "Content-Length: 99999999999999999999\r\n",
        "Content-Length: \r\n", "Transfer-Encoding: gzip, chunked\r\n",
        "Transfer-Encoding: chunked, chunked\r\n", "Transfer-Encoding: identity\r\n",
        "Transfer-Encoding: xchunked\r\n"}) {
    RawClient one(primary.address());
    const RawReply refused = one.ask("POST " + feed_path(feed) + " HTTP/1.1\r\nHost: a\r\n" +
                                     headers + "\r\n1\r\na\r\n0\r\n\r\n");
    check(headers, refused, false);
    EXPECT_EQ(refused.status, 400) << headers;
    EXPECT_EQ(refused.header("Connection"), "close") << headers;
    one.shutdown_send();
    EXPECT_EQ(one.read_to_end(), "") << headers;
  }
  EXPECT_EQ(position(), before);
}

TEST_F(Connections, HeadsThatAreNoHttp_Are400) {
  for (const char* bad :
       {"\r\n\r\nGARBAGE\r\n\r\n", "GET /v1/feeds\r\n\r\n",
        "GET  /v1/feeds HTTP/1.1\r\nHost: a\r\n\r\n", "GET /v1/feeds HTTP/9.9\r\nHost: a\r\n\r\n",
        "GET /v1/feeds HTTP/1.1\r\n\r\n", "GET /v1/feeds HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET /v1/feeds HTTP/1.1\r\nHost: a\r\nX : y\r\n\r\n",
        "GET v1/feeds HTTP/1.1\r\nHost: a\r\n\r\n", "\x16\x03\x01\x02\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"}) {
    RawClient one(primary.address());
    const RawReply refused = one.ask(bad);
    check(bad, refused, false);
    EXPECT_EQ(refused.status, 400) << bad;
    one.shutdown_send();
    EXPECT_TRUE(one.is_ended()) << bad;
  }
}

TEST_F(Connections, LargeHeads_Are431) {
  for (const std::string& head :
       {"GET /v1/users?" + std::string(20'000, 'x') + " HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /v1/users HTTP/1.1\r\nHost: a\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n", [] {
          std::string many = "GET /v1/users HTTP/1.1\r\nHost: a\r\n";
          for (int i = 0; i < 3000; ++i) many += "A: b\r\n";
          return many + "\r\n";
        }()}) {
    for (Api* node : {&primary, &replica}) {
      RawClient one(node->address());
      const RawReply refused = one.ask(head);
      check(head, refused, false);
      EXPECT_THAT(refused, IsProblem(Code::kHeadersTooLarge));
      EXPECT_EQ(refused.header("Connection"), "close");
    }
  }
  EXPECT_THAT(client.ask("GET /v1/users?limit=1 HTTP/1.1\r\nHost: a\r\nX: " +
                         std::string(15'000, 'x') + "\r\n\r\n"),
              HasStatus(200));
}

TEST_F(Connections, LargeUploads_CanReadThe413) {
  const std::string mib(1 << 20, 'x');
  for (int run = 0; run < 10; ++run) {
    RawClient one(primary.address());
    one.send("POST " + feed_path(feed) +
             " HTTP/1.1\r\nHost: a\r\nContent-Length: 52428800\r\n\r\n");
    for (int sent = 0; sent < 50; ++sent)
      ASSERT_TRUE(one.send(mib)) << "reset after " << sent << " MiB";
    const RawReply refused = one.reply();
    check("50 MiB", refused, false);
    EXPECT_THAT(refused, IsProblem(Code::kBodyTooLarge)) << run;
    EXPECT_EQ(refused.header("Connection"), "close");
  }
  EXPECT_THAT(article_ids(primary.get(feed_path(feed))), testing::IsEmpty());
}

TEST_F(Connections, Expect_Gets100OnlyIfTheBodyWillBeRead) {
  const auto head = [](const std::string& target, const std::string& length,
                       const std::string& more = {}) {
    return "POST " + target +
           " HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: " + length + "\r\n" +
           more + "\r\n";
  };
  client.send(head(feed_path(feed), "5"));
  EXPECT_EQ(client.reply().status, 100);
  client.send("hello");
  EXPECT_EQ(client.reply().body, R"({"id":10000,"text":"hello"})");
  // Refused at once, with no 100 and without the body.
  for (const auto& [text, code] : std::vector<std::pair<std::string, Code>>{
           {head(feed_path(feed), "2000000"), Code::kBodyTooLarge},
           {head("/v1/nothing", "5"), Code::kNoSuchRoute},
           {head("/v1/counters", "5"), Code::kMethodNotAllowed},
           {head("/v1/feeds", "5", "Content-Type: text/plain\r\n"), Code::kUnsupportedMediaType}}) {
    RawClient one(primary.address());
    EXPECT_THAT(one.ask(text), IsProblem(code));
  }
  // To a replica: the redirection, and no 100.
  RawClient there(replica.address());
  EXPECT_EQ(there.ask(head(feed_path(feed), "5")).status, 307);
  RawClient reader(replica.address());
  const std::uint64_t user = primary.new_user();
  position();
  from_replica("GET", user_path(user));
  reader.send(head(user_path(user, "/consumeFeeds"), "2"));
  EXPECT_EQ(reader.reply().status, 100);
  reader.send("{}");
  EXPECT_EQ(reader.reply().body, "[]");
}

TEST_F(Connections, BodyOfARead_DoesNotDisturbTheNextRequest) {
  client.send(
      request_text("GET", "/v1/users?limit=1", "GET /v1/nothing HTTP/1.1\r\nHost: a\r\n\r\n") +
      request_text("DELETE", feed_path(feed), "body") + request_text("GET", "/healthz"));
  EXPECT_THAT(client.reply(), HasStatus(200));
  EXPECT_THAT(client.reply(), HasStatus(204));
  EXPECT_THAT(client.reply(), HasStatus(200));
}

TEST_F(Connections, HalfClosed_StillGetsItsReply) {
  client.send(publish_text("last words"));
  client.shutdown_send();
  EXPECT_EQ(client.reply().body, R"({"id":10000,"text":"last words"})");
  EXPECT_TRUE(client.is_ended());
}

TEST_F(Connections, CutOffBody_WritesNothing) {
  const std::uint64_t before = position();
  client.send("POST " + feed_path(feed) + " HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc");
  client.shutdown_send();
  (void)client.read_to_end();
  RawClient chunked(primary.address());
  chunked.send("POST " + feed_path(feed) +
               " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
  chunked.shutdown_send();
  (void)chunked.read_to_end();
  EXPECT_EQ(position(), before);
}

TEST_F(Connections, Http10_IsAnsweredAndClosed) {
  client.send("GET " + feed_path(feed) + " HTTP/1.0\r\n\r\n");
  EXPECT_THAT(client.reply(), HasStatus(200));
  EXPECT_TRUE(client.is_ended());
  // A stream to HTTP/1.0 has no chunks: it ends with the connection.
  RawClient stream(primary.address());
  stream.send("GET /v1/users HTTP/1.0\r\n\r\n");
  const RawReply reply = stream.reply();
  EXPECT_THAT(reply, HasStatus(200));
  EXPECT_EQ(reply.header("Transfer-Encoding"), std::nullopt);
  EXPECT_TRUE(parse(reply).is_array());
}

TEST_F(Connections, StreamsAndPages_ShareAConnection) {
  client.send(request_text("GET", "/v1/users") + request_text("GET", "/v1/feeds") +
              request_text("GET", "/v1/counters") + request_text("GET", feed_path(feed)));
  for (int i = 0; i < 3; ++i) {
    const RawReply reply = client.reply();
    EXPECT_EQ(reply.header("Transfer-Encoding"), "chunked");
    EXPECT_TRUE(parse(reply).is_array());
  }
  EXPECT_THAT(client.reply(), HasStatus(200));
}

TEST(Timeouts, SlowHeadsAndBodies_Are408_IdleOnesAreClosed) {
  // Long enough for a request to come whole where the machine is busy.
  const auto node = Node::primary(
      {"--http-header-timeout", "1s", "--http-body-timeout", "1s", "--http-idle-timeout", "1s"});
  Api api(node->http());
  const std::uint64_t feed = api.new_feed();
  RawClient head(node->http());
  head.send("GET /v1/users HTTP/1.1\r\nHo");
  RawReply refused = head.reply();
  check("head", refused, false);
  EXPECT_THAT(refused, IsProblem(Code::kRequestTimeout));
  EXPECT_EQ(refused.header("Connection"), "close");
  RawClient body(node->http());
  body.send("POST " + feed_path(feed) + " HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc");
  refused = body.reply();
  check("body", refused, false);
  EXPECT_THAT(refused, IsProblem(Code::kRequestTimeout));
  EXPECT_EQ(refused.header("Connection"), "close");
  RawClient idle(node->http());
  EXPECT_THAT(idle.ask(request_text("GET", "/healthz")), HasStatus(200));
  EXPECT_TRUE(idle.is_ended());
  RawClient silent(node->http());
  EXPECT_TRUE(silent.is_ended());
  Api again(node->http());
  EXPECT_THAT(article_ids(again.get(feed_path(feed))), testing::IsEmpty());
}

TEST(ConnectionLimit, More_Are503AndClosed) {
  const auto node = Node::primary({"--http-max-connections", "8"});
  std::vector<RawClient> open;
  for (int i = 0; i < 8; ++i) {
    open.emplace_back(node->http());
    ASSERT_THAT(open.back().ask(request_text("GET", "/healthz")), HasStatus(200)) << i;
  }
  for (int i = 0; i < 5; ++i) {
    RawClient more(node->http());
    const RawReply refused = more.ask(request_text("GET", "/healthz"));
    check("more", refused, false);
    EXPECT_THAT(refused, IsProblem(Code::kOverloaded));
    EXPECT_EQ(refused.header("Connection"), "close");
    more.shutdown_send();
    EXPECT_TRUE(more.is_ended());
  }
  EXPECT_THAT(open[3].ask(request_text("GET", "/healthz")), HasStatus(200))
      << "the others are not disturbed";
  open.pop_back();
  EXPECT_TRUE(eventually(
      [&] { return RawClient(node->http()).ask(request_text("GET", "/healthz")).status == 200; }));
}

TEST(Cors, FollowsTheConfiguration_OnErrorsToo) {
  const auto node = Node::primary({"--http-cors-origins", "https://a.example"});
  Api api(node->http());
  const std::string origin = "Origin: https://a.example\r\n";
  for (const char* target :
       {"/v1/feeds", "/v1/feeds/1", "/v1/nothing", "/v1/feeds/abc", "/v1/users?limit=0"}) {
    const RawReply reply = api.get(target, origin);
    EXPECT_EQ(reply.header("Access-Control-Allow-Origin"), "https://a.example") << target;
    EXPECT_EQ(
        api.get(target, "Origin: https://b.example\r\n").header("Access-Control-Allow-Origin"),
        std::nullopt)
        << target;
    EXPECT_EQ(api.get(target).header("Access-Control-Allow-Origin"), std::nullopt) << target;
    // Scripts see no header of ours unless it is exposed.
    const auto exposed = names(reply.header("Access-Control-Expose-Headers"));
    for (const char* name : {"Feeds-Position", "Link", "Location"}) {
      EXPECT_THAT(exposed, testing::Contains(name)) << target;
    }
  }
  const RawReply preflight =
      api.request("OPTIONS", "/v1/feeds/10000", {},
                  origin +
                      "Access-Control-Request-Method: PATCH\r\n"
                      "Access-Control-Request-Headers: content-type,feeds-min-position\r\n");
  EXPECT_EQ(preflight.status, 204);
  EXPECT_EQ(preflight.header("Access-Control-Allow-Origin"), "https://a.example");
  EXPECT_THAT(names(preflight.header("Access-Control-Allow-Methods")),
              testing::IsSupersetOf({"DELETE", "GET", "PATCH", "POST"}));
  std::string allowed = preflight.header("Access-Control-Allow-Headers").value_or("");
  std::transform(allowed.begin(), allowed.end(), allowed.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  EXPECT_THAT(names(allowed), testing::IsSupersetOf({"content-type", "feeds-min-position"}));
  const auto any = Node::primary({"--http-cors-origins", "*"});
  EXPECT_EQ(Api(any->http())
                .get("/v1/nothing", "Origin: https://c.example\r\n")
                .header("Access-Control-Allow-Origin"),
            "*");
}

}  // namespace
}  // namespace feeds::test
