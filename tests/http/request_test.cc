#include "common/base/limits.h"
#include "tests/http/toy_server.h"

// What the server makes of requests: framing, routes, bodies.
namespace feeds::test {
namespace {

using ::testing::HasSubstr;
using Texts = std::vector<std::string>;

std::string post(const std::string& target, const std::string& type, const std::string& body,
                 const std::string& headers = {}) {
  return "POST " + target + " HTTP/1.1\r\nHost: toy\r\n" +
         (type.empty() ? "" : "Content-Type: " + type + "\r\n") + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

constexpr const char* kHello = "GET /hello HTTP/1.1\r\nHost: toy\r\n\r\n";

void expect_problem(const RawReply& reply, int status, const std::string& code) {
  EXPECT_EQ(reply.status, status) << reply.head << reply.body;
  EXPECT_EQ(reply.header("Content-Type"), "application/problem+json");
  EXPECT_THAT(reply.body, HasSubstr("\"code\":\"" + code + "\""));
  EXPECT_TRUE(reply.complete);
}

TEST(Requests, Get_AnswersWithTheUsualHeaders) {
  ToyServer toy;
  const RawReply reply = toy.get("/hello");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "\"hello\"");
  EXPECT_EQ(reply.header("Content-Type"), "application/json");
  EXPECT_EQ(reply.header("Content-Length"), "7");
  EXPECT_EQ(reply.header("Feeds-Position"), "3-14");
  ASSERT_TRUE(reply.header("Date"));
  EXPECT_THAT(*reply.header("Date"),
              ::testing::MatchesRegex("[A-Z][a-z]+, [0-9]+ [A-Z][a-z]+ [0-9]+ [0-9:]+ GMT"));
  EXPECT_EQ(reply.header("Connection"), std::nullopt);
  EXPECT_EQ(reply.header("Access-Control-Allow-Origin"), std::nullopt);
}

TEST(Requests, Connection_IsKeptAlive) {
  ToyServer toy;
  RawClient client = toy.connect();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(client.ask(kHello).body, "\"hello\"");
}

TEST(Requests, ByteByByte_AreUnderstood) {
  ToyServer toy;
  RawClient client = toy.connect();
  const std::string request =
      "POST /text HTTP/1.1\r\nHost: toy\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n0\r\nT: x\r\n\r\n";
  for (const char c : request) client.send({&c, 1});
  EXPECT_EQ(client.reply().body, "3:abc");
  for (const char c : std::string("\r\n") + kHello) client.send({&c, 1});
  EXPECT_EQ(client.reply().body, "\"hello\"");
}

TEST(Requests, Pipelined_AreAnsweredInOrder) {
  ToyServer toy;
  RawClient client = toy.connect();
  std::string requests;
  for (int i = 0; i < 200; ++i) {
    requests += "GET /things/" + std::to_string(i) + "/x HTTP/1.1\r\nHost: toy\r\n\r\n";
    if (i % 50 == 0) requests += "GET /later HTTP/1.1\r\nHost: toy\r\n\r\n";
    if (i % 50 == 25) requests += post("/text", "text/plain", "body" + std::to_string(i));
    if (i % 50 == 30) requests += "GET /stream?chunks=3&bytes=5 HTTP/1.1\r\nHost: toy\r\n\r\n";
  }
  client.send(requests);
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(client.reply().body, std::to_string(i) + "|x");
    if (i % 50 == 0) {
      ASSERT_EQ(client.reply().body, "later");
    }
    if (i % 50 == 25) {
      ASSERT_THAT(client.reply().body, HasSubstr(":body" + std::to_string(i)));
    }
    if (i % 50 == 30) {
      ASSERT_EQ(client.reply().body.size(), 15u);
    }
  }
}

TEST(Requests, ManyPipelined_DoNotExhaustTheStack) {
  ToyServer toy;
  RawClient client = toy.connect();
  std::string requests;
  constexpr int kCount = 50'000;
  for (int i = 0; i < kCount; ++i) requests += kHello;
  std::thread sender([&] { client.send(requests); });
  int right = 0;
  for (int i = 0; i < kCount; ++i) right += client.reply().status == 200 ? 1 : 0;
  sender.join();
  EXPECT_EQ(right, kCount);
}

TEST(Requests, ConnectionClose_IsRespected) {
  ToyServer toy;
  RawClient client = toy.connect();
  const RawReply reply =
      client.ask("GET /hello HTTP/1.1\r\nHost: toy\r\nConnection: foo, Close\r\n\r\n");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.header("Connection"), "close");
  EXPECT_TRUE(client.is_ended());
}

TEST(Requests, Http10_ClosesUnlessKeepAlive) {
  ToyServer toy;
  RawClient once = toy.connect();
  const RawReply reply = once.ask("GET /hello HTTP/1.0\r\n\r\n");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.header("Connection"), "close");
  EXPECT_TRUE(once.is_ended());

  RawClient kept = toy.connect();
  for (int i = 0; i < 3; ++i) {
    const RawReply again = kept.ask("GET /hello HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n");
    EXPECT_EQ(again.body, "\"hello\"");
    EXPECT_EQ(again.header("Connection"), "keep-alive");
  }
}

TEST(Requests, HalfClosedPeer_GetsItsReply) {
  ToyServer toy;
  RawClient client = toy.connect();
  client.send("GET /later HTTP/1.1\r\nHost: toy\r\n\r\n");
  client.shutdown_send();
  EXPECT_EQ(client.reply().body, "later");
  EXPECT_TRUE(client.is_ended());
}

TEST(Requests, Head_HasTheHeadOfGetAndNoBody) {
  ToyServer toy;
  RawClient client = toy.connect();
  for (const std::string& target :
       Texts{"/hello", "/big?bytes=70000", "/nothing", "/things/%zz/x"}) {
    const std::string tail = " " + target + " HTTP/1.1\r\nHost: toy\r\n\r\n";
    const RawReply get = client.ask("GET" + tail);
    const RawReply head = client.ask("HEAD" + tail, true);
    EXPECT_EQ(head.status, get.status);
    EXPECT_EQ(head.header("Content-Length"), std::to_string(get.body.size()));
    EXPECT_EQ(head.header("Content-Type"), get.header("Content-Type"));
    EXPECT_EQ(head.header("Feeds-Position"), get.header("Feeds-Position"));
  }
  EXPECT_EQ(client.ask(kHello).body, "\"hello\"");
}

TEST(Requests, AbsoluteForm_IsTaken) {
  ToyServer toy;
  RawClient client = toy.connect();
  EXPECT_EQ(client.ask("GET http://toy:80/things/a/b?q=/x HTTP/1.1\r\nHost: toy\r\n\r\n").body,
            "a|b");
  EXPECT_EQ(client.ask("GET HTTPS://toy/query?x=1 HTTP/1.1\r\nHost: toy\r\n\r\n").body, "1");
  expect_problem(client.ask("GET http://toy HTTP/1.1\r\nHost: toy\r\n\r\n"), 404, "no_such_route");
  expect_problem(client.ask("GET http://toy?x HTTP/1.1\r\nHost: toy\r\n\r\n"), 404,
                 "no_such_route");
}

TEST(Requests, OtherTargets_Are400) {
  ToyServer toy;
  for (const std::string& line : Texts{"GET hello", "GET *", "CONNECT toy:80",
                                       "GET ftp://toy/hello", "GET http:///hello", "GET ?x"}) {
    RawClient client = toy.connect();
    expect_problem(client.ask(line + " HTTP/1.1\r\nHost: toy\r\n\r\n"), 400, "bad_request");
    EXPECT_TRUE(client.is_ended()) << line;
  }
}

TEST(Requests, Malformed_Are400AndClose) {
  ToyServer toy;
  const std::string rest = "\r\nHost: toy\r\n";
  for (const std::string& request :
       Texts{"GARBAGE\r\n\r\n" + rest, "GET /hello\r\n" + rest, "GET /hello HTTP/2.0" + rest,
             "GET /hello HTTP/1.2" + rest, "GET /hello http/1.1" + rest,
             "GET  /hello HTTP/1.1" + rest, "GET /hello HTTP/1.1" + rest + "No colon\r\n",
             "GET /hello HTTP/1.1" + rest + ": none\r\n",
             "GET /hello HTTP/1.1" + rest + "Sp ace: x\r\n",
             "GET /hello HTTP/1.1" + rest + "A : x\r\n",
             "GET /hello HTTP/1.1" + rest + "A: b\x01\r\n", "GET /he\x01llo HTTP/1.1" + rest,
             std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n"), "\x16\x03\x01\x02\r\n\r\n" + rest}) {
    RawClient client = toy.connect();
    expect_problem(client.ask(request + "\r\n"), 400, "bad_request");
    EXPECT_TRUE(client.is_ended()) << request;
  }
}

TEST(Requests, Host_IsNeededOnceInHttp11) {
  ToyServer toy;
  RawClient none = toy.connect();
  expect_problem(none.ask("GET /hello HTTP/1.1\r\n\r\n"), 400, "bad_request");
  EXPECT_TRUE(none.is_ended());
  RawClient two = toy.connect();
  expect_problem(two.ask("GET /hello HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"), 400, "bad_request");
  EXPECT_TRUE(two.is_ended());
}

TEST(Requests, AmbiguousLength_Is400AndClose) {
  ToyServer toy;
  for (const std::string& headers :
       Texts{"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
             "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n",
             "Content-Length: 2\r\nContent-Length: 2\r\n",
             "Content-Length: 2\r\nContent-Length: 3\r\n", "Content-Length: 2, 2\r\n",
             "Content-Length: -2\r\n", "Content-Length: +2\r\n", "Content-Length: 2x\r\n",
             "Content-Length: \r\n", "Content-Length: 0x2\r\n",
             "Content-Length: 99999999999999999999\r\n", "Transfer-Encoding: gzip\r\n",
             "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: chunked, chunked\r\n",
             "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
             "Transfer-Encoding: identity\r\n", "Transfer-Encoding: xchunked\r\n",
             "Transfer-Encoding : chunked\r\n"}) {
    RawClient client = toy.connect();
    client.send("POST /text HTTP/1.1\r\nHost: toy\r\n" + headers + "\r\n0\r\n\r\n" + kHello);
    expect_problem(client.reply(), 400, "bad_request");
    EXPECT_TRUE(client.is_ended()) << headers;
  }
}

TEST(Requests, HeadOver16KiB_Is431) {
  ToyServer toy;
  for (const std::string& request : Texts{
           "GET /" + std::string(limits::kRequestHeadBytes, 'x') + " HTTP/1.1\r\nHost: toy\r\n\r\n",
           "GET /hello HTTP/1.1\r\nHost: toy\r\nX: " + std::string(limits::kRequestHeadBytes, 'x') +
               "\r\n\r\n",
           "GET /" + std::string(100'000, 'x')}) {
    RawClient client = toy.connect();
    expect_problem(client.ask(request), 431, "headers_too_large");
    EXPECT_TRUE(client.is_ended());
  }
  RawClient client = toy.connect();
  EXPECT_EQ(client
                .ask("GET /hello HTTP/1.1\r\nHost: toy\r\nX: " +
                     std::string(limits::kRequestHeadBytes - 100, 'x') + "\r\n\r\n")
                .status,
            200);
}

TEST(Requests, Judgement_GoesRouteMethodTypeSizeBody) {
  ToyServer toy;
  RawClient client = toy.connect();
  const std::string huge = "Content-Type: image/png\r\nContent-Length: 5000000\r\n";
  const auto judge = [&](const std::string& line) {
    RawClient own = toy.connect();
    return own.ask(line + " HTTP/1.1\r\nHost: toy\r\n" + huge + "\r\n");
  };
  expect_problem(judge("POST /nothing"), 404, "no_such_route");
  const RawReply method = judge("PUT /json");
  expect_problem(method, 405, "method_not_allowed");
  EXPECT_EQ(method.header("Allow"), "POST, OPTIONS");
  expect_problem(judge("POST /json"), 415, "unsupported_media_type");
  RawClient large = toy.connect();
  expect_problem(large.ask("POST /json HTTP/1.1\r\nHost: toy\r\nContent-Length: 1048577\r\n\r\n"),
                 413, "body_too_large");
  expect_problem(client.ask(post("/json", "application/json", "")), 400, "missing_body");
  expect_problem(client.ask("BREW /hello HTTP/1.1\r\nHost: toy\r\n\r\n"), 405,
                 "method_not_allowed");
  expect_problem(client.ask("get /hello HTTP/1.1\r\nHost: toy\r\n\r\n"), 405, "method_not_allowed");
}

TEST(Requests, MediaTypes_AreThoseOfTheRoute) {
  ToyServer toy;
  RawClient client = toy.connect();
  for (const char* type : {"", "application/json", "Application/JSON; charset=UTF-8"}) {
    for (const char* target : {"/json", "/maybe", "/text"}) {
      EXPECT_EQ(client.ask(post(target, type, "{}")).body, "2:{}") << type << target;
    }
  }
  for (const char* type :
       {"text/plain", "text/plain;charset=utf-8", "TEXT/plain; charset=\"UTF-8\""}) {
    EXPECT_EQ(client.ask(post("/text", type, "hi")).body, "2:hi");
    const RawReply reply = client.ask(post("/json", type, "{}"));
    expect_problem(reply, 415, "unsupported_media_type");
    EXPECT_THAT(reply.body, HasSubstr("application/json"));
  }
  for (const char* type :
       {"application/x-www-form-urlencoded", "text/html", "text/plain; charset=latin1",
        "application/json; charset=utf-16", "text", "application/json, text/plain"}) {
    const RawReply reply = client.ask(post("/text", type, "hi"));
    expect_problem(reply, 415, "unsupported_media_type");
    EXPECT_THAT(reply.body, HasSubstr("text/plain"));
    EXPECT_EQ(client.ask(post("/text", type, "")).body, "0:") << type;
  }
}

TEST(Requests, ContentEncoding_Is415OnABody) {
  ToyServer toy;
  RawClient client = toy.connect();
  expect_problem(client.ask(post("/json", "application/json", "{}", "Content-Encoding: gzip\r\n")),
                 415, "unsupported_media_type");
  EXPECT_EQ(client.ask(post("/json", "", "{}", "Content-Encoding: identity\r\n")).body, "2:{}");
  EXPECT_EQ(client.ask(post("/maybe", "", "", "Content-Encoding: gzip\r\n")).body, "0:");
}

TEST(Requests, TypeOfAChunkedBody_MattersOnceAByteComes) {
  ToyServer toy;
  RawClient client = toy.connect();
  const std::string head =
      "POST /maybe HTTP/1.1\r\nHost: toy\r\nContent-Type: image/png\r\n"
      "Transfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(client.ask(head + "0\r\n\r\n").body, "0:");
  expect_problem(client.ask(head + "1\r\nx\r\n0\r\n\r\n"), 415, "unsupported_media_type");
  EXPECT_EQ(client.ask(kHello).status, 200);
}

TEST(Requests, Bodies_AreReadWhole) {
  ToyServer toy;
  RawClient client = toy.connect();
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{5000}, std::size_t{100'000}, limits::kRequestBodyBytes}) {
    const std::string body(size, 'b');
    EXPECT_EQ(client.ask(post("/text", "text/plain", body)).body,
              std::to_string(size) + ":" + body);
  }
  std::string chunked = "POST /text HTTP/1.1\r\nHost: toy\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 16; ++i) chunked += "10000\r\n" + std::string(65536, 'c') + "\r\n";
  EXPECT_EQ(client.ask(chunked + "0\r\n\r\n").body.size(), 8 + limits::kRequestBodyBytes);
}

TEST(Requests, BodyOfAGet_IsDropped) {
  ToyServer toy;
  RawClient client = toy.connect();
  EXPECT_EQ(client
                .ask("GET /hello HTTP/1.1\r\nHost: toy\r\nContent-Type: x/y\r\n"
                     "Content-Length: 5\r\n\r\nabcde")
                .status,
            200);
  EXPECT_EQ(client
                .ask("DELETE /things/7 HTTP/1.1\r\nHost: toy\r\nTransfer-Encoding: chunked\r\n\r\n"
                     "2\r\nab\r\n0\r\n\r\n")
                .status,
            204);
  EXPECT_EQ(client.ask(kHello).status, 200);
}

TEST(Requests, MalformedChunks_Are400AndClose) {
  ToyServer toy;
  RawClient client = toy.connect();
  client.send("POST /text HTTP/1.1\r\nHost: toy\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloX");
  expect_problem(client.reply(), 400, "bad_request");
  EXPECT_TRUE(client.is_ended());
}

TEST(Requests, RefusedSmallBody_IsReadAndTheConnectionLives) {
  ToyServer toy;
  RawClient client = toy.connect();
  expect_problem(client.ask(post("/nothing", "", "body")), 404, "no_such_route");
  expect_problem(client.ask(post("/hello", "", "body")), 405, "method_not_allowed");
  expect_problem(client.ask(post("/json", "a/b", "body")), 415, "unsupported_media_type");
  EXPECT_EQ(client.ask("PUT /moved HTTP/1.1\r\nHost: toy\r\nContent-Length: 2\r\n\r\n{}").status,
            307);
  EXPECT_EQ(client.ask(kHello).status, 200);
}

TEST(Requests, Expect_GetsA100OnlyIfTheBodyWillBeRead) {
  ToyServer toy;
  const std::string head = " HTTP/1.1\r\nHost: toy\r\nExpect: 100-Continue\r\nContent-Length: ";
  RawClient client = toy.connect();
  EXPECT_EQ(client.ask("POST /text" + head + "3\r\n\r\n").status, 100);
  EXPECT_EQ(client.ask("abc").body, "3:abc");
  EXPECT_EQ(client.ask("POST /text" + head + "0\r\n\r\n").status, 200);
  EXPECT_EQ(client.ask("POST /text" + head + "3\r\n\r\nabc").status, 200);

  const auto refused = [&](const std::string& line, const std::string& rest) {
    RawClient own = toy.connect();
    const RawReply reply = own.ask(line + head + rest + "\r\n");
    EXPECT_EQ(reply.header("Connection"), "close");
    EXPECT_TRUE(own.is_ended());
    return reply.status;
  };
  EXPECT_EQ(refused("POST /text", "2000000\r\n"), 413);
  EXPECT_EQ(refused("POST /nothing", "3\r\n"), 404);
  EXPECT_EQ(refused("PUT /text", "3\r\n"), 405);
  EXPECT_EQ(refused("POST /json", "3\r\nContent-Type: a/b\r\n"), 415);
  EXPECT_EQ(refused("PUT /moved", "3\r\n"), 307);
  RawClient chunked = toy.connect();
  EXPECT_EQ(chunked
                .ask("POST /json HTTP/1.1\r\nHost: toy\r\nExpect: 100-continue\r\n"
                     "Content-Type: a/b\r\nTransfer-Encoding: chunked\r\n\r\n")
                .status,
            415);
}

TEST(Requests, Routes_DecodePathsOnce) {
  ToyServer toy;
  EXPECT_EQ(toy.get("/things/a%2Fb/%25c3/").body, "a/b|%c3");
  EXPECT_EQ(toy.get("/things/special/x").body, "special|x");
  EXPECT_EQ(toy.get("/things/special").body, "special");
  expect_problem(toy.get("/things/%zz/x"), 400, "bad_path");
  expect_problem(toy.get("/things/%ff/x"), 400, "bad_path");
  EXPECT_EQ(toy.get("/hello/").status, 200);
}

TEST(Requests, QueryAndHeaders_ReachTheHandler) {
  ToyServer toy;
  EXPECT_EQ(toy.get("/query?y=1&x=a%26b+c").body, "a&b c");
  EXPECT_EQ(toy.get("/query").body, "(absent)");
  expect_problem(toy.get("/query?x=%f"), 400, "bad_parameter");
  EXPECT_EQ(toy.get("/headers", "feeds-min-position: 1-7\r\nFEEDS-WAIT-MS: 20\r\n").body, "1-7|20");
  EXPECT_EQ(toy.get("/headers").body, "-|-");
  EXPECT_EQ(toy.get("/headers", "Feeds-Min-Position:\r\n").body, "|-");
}

TEST(Requests, Options_NamesTheMethods) {
  ToyServer toy;
  RawClient client = toy.connect();
  const auto ask = [&](const std::string& target) {
    return client.ask("OPTIONS " + target + " HTTP/1.1\r\nHost: toy\r\n\r\n");
  };
  RawReply reply = ask("/hello");
  EXPECT_EQ(reply.status, 204);
  EXPECT_EQ(reply.header("Allow"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(reply.header("Content-Length"), std::nullopt);
  EXPECT_EQ(ask("/things/1").header("Allow"), "DELETE, OPTIONS");
  EXPECT_EQ(ask("*").status, 204);
  expect_problem(ask("/nothing"), 404, "no_such_route");
}

TEST(Requests, Cors_FollowsTheConfiguration) {
  ToyServer toy([](http::ServerOptions& options) {
    options.cors_origins = {"https://a.example", "https://b.example"};
  });
  const std::string origin = "Origin: https://b.example\r\n";
  for (const char* target : {"/hello", "/nothing", "/things/%zz/x"}) {
    const RawReply reply = toy.get(target, origin);
    EXPECT_EQ(reply.header("Access-Control-Allow-Origin"), "https://b.example") << target;
    EXPECT_EQ(reply.header("Vary"), "Origin");
    EXPECT_EQ(reply.header("Access-Control-Expose-Headers"),
              "Feeds-Position, Location, Link, Retry-After");
  }
  const RawReply other = toy.get("/hello", "Origin: https://c.example\r\n");
  EXPECT_EQ(other.header("Access-Control-Allow-Origin"), std::nullopt);
  EXPECT_EQ(other.header("Vary"), "Origin");

  RawClient client = toy.connect();
  const RawReply preflight = client.ask(
      "OPTIONS /json HTTP/1.1\r\nHost: toy\r\n" + origin +
      "Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: x-mine\r\n\r\n");
  EXPECT_EQ(preflight.status, 204);
  EXPECT_EQ(preflight.header("Access-Control-Allow-Origin"), "https://b.example");
  EXPECT_EQ(preflight.header("Access-Control-Allow-Methods"), "POST, OPTIONS");
  EXPECT_EQ(preflight.header("Access-Control-Allow-Headers"), "x-mine");
  EXPECT_TRUE(preflight.header("Access-Control-Max-Age"));
}

TEST(Requests, CorsForAll_NeedsNoVary) {
  ToyServer toy([](http::ServerOptions& options) { options.cors_origins = {"*"}; });
  const RawReply reply = toy.get("/nothing", "Origin: https://x.example\r\n");
  EXPECT_EQ(reply.header("Access-Control-Allow-Origin"), "*");
}

}  // namespace
}  // namespace feeds::test
