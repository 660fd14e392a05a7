#include "tests/api/fixture.h"

namespace feeds::test {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

struct Route {
  std::string target;
  std::vector<std::string> methods;  // sorted, OPTIONS and HEAD included
  bool has_position;                 // its GET, or POST, consults the store
};

class Routes : public ApiTest {
 protected:
  std::vector<Route> all() {
    const std::string f = feed_path(feed);
    const std::string u = user_path(user);
    return {
        {"/v1/feeds", {"GET", "HEAD", "OPTIONS", "POST"}, true},
        {f, {"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST"}, true},
        {f + "/publishArticle", {"OPTIONS", "POST"}, true},
        {"/v1/users", {"GET", "HEAD", "OPTIONS", "POST"}, true},
        {u, {"GET", "HEAD", "OPTIONS"}, true},
        {u + "/subscribe", {"OPTIONS", "POST"}, true},
        {u + "/unsubscribe", {"OPTIONS", "POST"}, true},
        {u + "/consumeFeeds", {"OPTIONS", "POST"}, true},
        {"/v1/counters", {"GET", "HEAD", "OPTIONS"}, true},
        {f + "/activities", {"GET", "HEAD", "OPTIONS", "POST"}, true},
        {f + "/activities/1", {"DELETE", "OPTIONS", "PUT"}, true},
        {"/v1/activities", {"GET", "HEAD", "OPTIONS"}, true},
        {"/v1/activities/1", {"DELETE", "GET", "HEAD", "OPTIONS", "PATCH"}, true},
        {"/v1/activities/byObject/a%2Fb", {"GET", "HEAD", "OPTIONS"}, true},
        {"/v1/activities/1/reactions", {"GET", "HEAD", "OPTIONS", "POST"}, true},
        {"/v1/activities/1/thread", {"GET", "HEAD", "OPTIONS"}, true},
        {"/v1/reactions/1", {"DELETE", "GET", "HEAD", "OPTIONS", "PATCH"}, true},
        {"/v1/collections", {"GET", "HEAD", "OPTIONS", "POST"}, true},
        {"/v1/collections/a%2Fb", {"GET", "HEAD", "OPTIONS"}, true},
        {"/v1/collections/c/objects", {"GET", "HEAD", "OPTIONS", "POST"}, true},
        {"/v1/collections/c/objects/a%2Fb", {"DELETE", "GET", "HEAD", "OPTIONS", "PUT"}, true},
        {"/v1/groupingFeeds", {"OPTIONS", "POST"}, true},
        {"/v1/groupingFeeds/1", {"DELETE", "GET", "HEAD", "OPTIONS", "PATCH"}, true},
        {"/v1/groupingFeeds/1/activities", {"GET", "HEAD", "OPTIONS"}, true},
        {"/v1/groupingFeeds/1/groups/activities", {"GET", "HEAD", "OPTIONS"}, true},
        {"/v1/cluster", {"GET", "HEAD", "OPTIONS"}, false},
        {"/v1/digest", {"GET", "HEAD", "OPTIONS"}, true},
        {"/healthz", {"GET", "HEAD", "OPTIONS"}, false},
        {"/readyz", {"GET", "HEAD", "OPTIONS"}, false},
        {"/metrics", {"GET", "HEAD", "OPTIONS"}, false},
    };
  }

  std::uint64_t new_activity(std::uint64_t in) {
    const RawReply made = primary.post_json(feed_path(in, "/activities"), "{}");
    EXPECT_THAT(made, HasStatus(201));
    return std::stoull(std::string(parse(made).at("id").as_string()));
  }
  static std::string activity_path(std::uint64_t activity) {
    return path("/v1/activities/", activity);
  }

  std::uint64_t feed = primary.new_feed();
  std::uint64_t user = primary.new_user();
};

TEST_F(Routes, OtherMethods_Are405WithAllow) {
  const std::uint64_t before = position();
  for (const Route& route : all()) {
    for (const char* method :
         {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "FOO", "get"}) {
      if (std::count(route.methods.begin(), route.methods.end(), method) > 0) continue;
      for (Api* node : {&primary, &replica}) {
        const RawReply refused =
            node->request(method, route.target, "x", "Content-Type: image/png\r\n");
        EXPECT_EQ(refused.status, 405) << method << " " << route.target;
        EXPECT_THAT(names(refused.header("Allow")), ElementsAreArray(route.methods))
            << method << " " << route.target;
        EXPECT_EQ(refused.header("Feeds-Position"), std::nullopt);
      }
    }
  }
  EXPECT_EQ(position(), before);
}

TEST_F(Routes, Options_Is204WithAllow) {
  for (const Route& route : all()) {
    for (Api* node : {&primary, &replica}) {
      for (const std::string& target :
           {route.target, route.target + "/", route.target + "?limit=0"}) {
        const RawReply reply = node->request("OPTIONS", target);
        EXPECT_EQ(reply.status, 204) << target;
        EXPECT_THAT(names(reply.header("Allow")), ElementsAreArray(route.methods)) << target;
        EXPECT_EQ(reply.header("Access-Control-Allow-Origin"), std::nullopt)
            << "no origin is configured";
      }
    }
  }
}

TEST_F(Routes, Unknown_Are404) {
  for (const std::string& target : {std::string("/"),
                                    std::string("/v1"),
                                    std::string("/v1/feed"),
                                    std::string("/v1/Feeds"),
                                    std::string("/v2/feeds"),
                                    std::string("/v1/feeds//"),
                                    std::string("//v1/feeds"),
                                    std::string("/v1//feeds"),
                                    std::string("/v1/feeds/1/2/3"),
                                    feed_path(feed, "/publisharticle"),
                                    feed_path(feed, "/activities/x/y"),
                                    std::string("/v1/nothing"),
                                    std::string("/v1%2Ffeeds"),
                                    std::string("/v1/feeds%2F") + std::to_string(feed),
                                    std::string("/v1/../v1/feeds"),
                                    std::string("/v1/./feeds"),
                                    std::string("/V1/feeds"),
                                    std::string("/healthz/x"),
                                    user_path(user, "/consumeFeeds/x"),
                                    user_path(user, "/subscribe%3FfeedId=1")}) {
    for (const char* method : {"GET", "HEAD", "POST", "DELETE", "OPTIONS", "FOO"}) {
      for (Api* node : {&primary, &replica}) {
        const RawReply refused = node->request(method, target);
        EXPECT_EQ(refused.status, 404) << method << " " << target;
        if (refused.status == 404 && std::string_view(method) != "HEAD") {
          EXPECT_THAT(refused, IsProblem(Code::kNoSuchRoute)) << target;
        }
        EXPECT_EQ(refused.header("Feeds-Position"), std::nullopt);
      }
    }
  }
}

TEST_F(Routes, TrailingSlash_MeansTheSame) {
  from_replica("GET", "/v1/users?limit=1");  // which stands still from here on
  for (const Route& route : all()) {
    if (route.methods[0] != "GET" && route.methods[1] != "GET") continue;
    if (route.target == "/metrics" || route.target == "/v1/cluster")
      continue;  // these move by themselves
    for (Api* node : {&primary, &replica}) {
      const RawReply plain = node->get(route.target);
      const RawReply slashed = node->get(route.target + "/");
      EXPECT_EQ(plain.status, slashed.status) << route.target;
      EXPECT_EQ(plain.body, slashed.body) << route.target;
    }
  }
  EXPECT_THAT(primary.get("/metrics/"), HasStatus(200));
  EXPECT_THAT(primary.get("/v1/cluster/?x=1"), HasStatus(200));
  EXPECT_EQ(primary.post(feed_path(feed, "/"), "x").body, R"({"id":10000,"text":"x"})");
  EXPECT_THAT(primary.post(user_path(user, "/subscribe/?feedId=") + std::to_string(feed)),
              HasStatus(200));
  EXPECT_THAT(primary.post(user_path(user, "/consumeFeeds/")), HasStatus(200));
  EXPECT_THAT(primary.patch_json(feed_path(feed, "/"), R"({"extraData":1})"), HasStatus(200));
  EXPECT_THAT(primary.del(feed_path(feed, "/")), HasStatus(204));
}

TEST_F(Routes, PercentEncoding_IsDecodedOnce) {
  primary.publish(feed, "x");
  const std::string expected = primary.get(feed_path(feed)).body;
  std::string encoded;
  for (const char c : std::to_string(feed)) encoded += std::string("%3") + c;
  EXPECT_EQ(primary.get("/v1/feeds/" + encoded).body, expected);
  EXPECT_EQ(primary.get("/%76%31/f%65eds/" + encoded + "%3F").status, 400)
      << "a ? inside a segment";
  EXPECT_EQ(primary.get("/%76%31/f%65eds/" + encoded).body, expected);
  EXPECT_THAT(primary.get("/v1/feeds/%2531"), IsProblem(Code::kBadPath))
      << "decoded twice it would be 1";
  EXPECT_THAT(primary.get("/v1/feeds/1%2F2"), IsProblem(Code::kBadPath));
  for (const char* bad : {"%zz", "%", "%1", "1%", "%g0", "%0g", "%%31", "%c3%28", "%ff"}) {
    for (Api* node : {&primary, &replica}) {
      EXPECT_THAT(node->get(std::string("/v1/feeds/") + bad), IsProblem(Code::kBadPath)) << bad;
    }
  }
  for (const char* bad : {"%zz", "%", "%1"}) {
    EXPECT_EQ(primary.get(feed_path(feed, std::string("?startId=") + bad)).status, 400) << bad;
    EXPECT_EQ(primary.get(feed_path(feed, std::string("?limit=") + bad)).status, 400) << bad;
  }
}

// Route, method, media type, size, syntax, existence, state: what comes first is told.
TEST_F(Routes, Judgement_HasAnOrder) {
  const std::string huge(2 << 20, 'x');
  const std::string png = "Content-Type: image/png\r\n";
  const std::string in_json = "Content-Type: application/json\r\n";
  const std::uint64_t before = position();
  EXPECT_THAT(primary.request("PUT", "/v1/nothing", huge, png), IsProblem(Code::kNoSuchRoute));
  EXPECT_THAT(primary.request("PUT", "/v1/feeds", huge, png), IsProblem(Code::kMethodNotAllowed));
  EXPECT_THAT(primary.request("PUT", "/v1/feeds/abc", huge, png),
              IsProblem(Code::kMethodNotAllowed));
  EXPECT_THAT(primary.request("POST", "/v1/feeds", huge, png),
              IsProblem(Code::kUnsupportedMediaType));
  EXPECT_THAT(primary.request("POST", "/v1/feeds/abc", huge, png),
              IsProblem(Code::kUnsupportedMediaType));
  EXPECT_THAT(primary.request("POST", "/v1/feeds/abc", huge), IsProblem(Code::kBodyTooLarge));
  EXPECT_THAT(primary.request("PATCH", "/v1/feeds/1", huge, in_json),
              IsProblem(Code::kBodyTooLarge));
  EXPECT_THAT(primary.request("PATCH", "/v1/feeds/1", "{", in_json), IsProblem(Code::kBadJson));
  EXPECT_THAT(primary.request("PATCH", "/v1/feeds/1", "{}", in_json),
              IsProblem(Code::kMissingMember));
  EXPECT_THAT(primary.request("POST", "/v1/users/1/consumeFeeds", "[", in_json),
              IsProblem(Code::kBadJson));
  EXPECT_THAT(primary.request("POST", "/v1/users/1/subscribe"), IsProblem(Code::kMissingParameter));
  EXPECT_THAT(primary.request("POST", "/v1/feeds/1/publishArticle", "\xff"),
              IsProblem(Code::kBadText));
  EXPECT_THAT(primary.request("GET", "/v1/feeds/1?startId=1&limit=0"),
              IsProblem(Code::kBadParameter));
  EXPECT_THAT(primary.request("GET", "/v1/feeds/1?startId=1"), IsProblem(Code::kNoSuchFeed));
  EXPECT_EQ(position(), before);
}

TEST_F(Routes, MediaTypes_OfJsonRoutes) {
  const std::string consume = user_path(user, "/consumeFeeds");
  const std::vector<std::tuple<std::string, std::string, std::string>> routes = {
      {"POST", "/v1/feeds", "{}"},
      {"PATCH", feed_path(feed), R"({"extraData":1})"},
      {"POST", "/v1/users", "{}"},
      {"POST", consume, "{}"},
  };
  for (const auto& [method, target, body] : routes) {
    for (const char* good : {"", "Content-Type: application/json\r\n",
                             "content-type:application/json;charset=utf-8\r\n",
                             "Content-Type: Application/JSON ; x=y\r\n"}) {
      const RawReply reply = primary.request(method, target, body, good);
      EXPECT_LT(reply.status, 300) << method << " " << target << " " << good;
    }
    for (const char* bad :
         {"text/plain", "application/x-www-form-urlencoded", "application/json-patch+json", "json",
          "application/jsonp", "text/json"}) {
      EXPECT_THAT(
          primary.request(method, target, body, std::string("Content-Type: ") + bad + "\r\n"),
          IsProblem(Code::kUnsupportedMediaType, "application/json"))
          << method << " " << target << " " << bad;
    }
    for (const char* coding : {"gzip", "deflate", "br", "GZIP", "gzip, identity"}) {
      const RawReply refused = primary.request(method, target, body,
                                               std::string("Content-Encoding: ") + coding + "\r\n");
      EXPECT_THAT(refused, IsProblem(Code::kUnsupportedMediaType)) << coding;
    }
  }
  EXPECT_THAT(primary.request("POST", feed_path(feed), "x", "Content-Encoding: gzip\r\n"),
              IsProblem(Code::kUnsupportedMediaType));
  // Without a body there is nothing of a wrong type.
  EXPECT_THAT(primary.request("POST", "/v1/feeds", "", "Content-Type: text/html\r\n"),
              HasStatus(201));
  EXPECT_THAT(primary.request("POST", "/v1/users", "", "Content-Type: text/html\r\n"),
              HasStatus(201));
}

TEST_F(Routes, Json_IsStrict) {
  const std::uint64_t before = position();
  const auto nested = [](int depth) {
    // The body itself is one level.
    return "{\"extraData\":" + std::string(static_cast<std::size_t>(depth - 1), '[') +
           std::string(static_cast<std::size_t>(depth - 1), ']') + "}";
  };
  const std::vector<std::pair<std::string, std::string>> routes = {{"POST", "/v1/feeds"},
                                                                   {"PATCH", feed_path(feed)}};
  for (const auto& [method, target] : routes) {
    const auto send = [&, m = method, t = target](const std::string& body) {
      return primary.request(m, t, body, "Content-Type: application/json\r\n");
    };
    for (const char* bad : {"{",
                            "}",
                            "{\"extraData\":}",
                            "{\"extraData\":1,}",
                            "{\"extraData\":1}x",
                            "{\"extraData\":1}{}",
                            "{'extraData':1}",
                            "{extraData:1}",
                            "{\"extraData\":01}",
                            "{\"extraData\":+1}",
                            "{\"extraData\":.5}",
                            "{\"extraData\":1.}",
                            "{\"extraData\":1e}",
                            "{\"extraData\":NaN}",
                            "{\"extraData\":Infinity}",
                            "{\"extraData\":-}",
                            "{\"extraData\":0x1}",
                            "{\"extraData\":True}",
                            "{\"extraData\":nul}",
                            "{\"extraData\":\"\t\"}",
                            "{\"extraData\":\"\\x41\"}",
                            "{\"extraData\":\"\\u12\"}",
                            "{\"extraData\":\"\\ud800\"}",
                            "{\"extraData\":\"\\udc00\"}",
                            "{\"extraData\":\"\\ud800\\u0041\"}",
                            "{\"extraData\":\"\\udc00\\ud800\"}",
                            "{\"extraData\":{\"\\ud800\":1}}",
                            "{\"extraData\":\"\xff\"}",
                            "{\"extraData\":\"\xed\xa0\x80\"}",
                            "{\"extraData\":[1 2]}",
                            "{\"extraData\":1 /* c */}",
                            "{\"extraData\":1} // c",
                            "\xef\xbb\xbf{\"extraData\":1}",
                            "{\"extraData\" 1}",
                            "{\"extraData\":1;}",
                            "{\"extraData\":\"abc}",
                            "{\"extraData\":[}",
                            "{\"extraData\":[1,]}"}) {
      EXPECT_THAT(send(bad), IsProblem(Code::kBadJson)) << bad;
    }
    EXPECT_THAT(send(std::string("{\"extraData\":1}\0", 16)), IsProblem(Code::kBadJson));
    EXPECT_THAT(send(nested(65)), IsProblem(Code::kBadJson));
    EXPECT_THAT(send(nested(5000)), IsProblem(Code::kBadJson));
    EXPECT_THAT(send(std::string(500'000, '[')), IsProblem(Code::kBadJson));
    EXPECT_THAT(send(R"({"extraData":1,"nope":2})"), IsProblem(Code::kUnknownMember, "nope"));
    EXPECT_THAT(send(R"({"extraData":1,"":2})"), IsProblem(Code::kUnknownMember));
    EXPECT_THAT(send(R"({"extraData":1,"extradata":2})"),
                IsProblem(Code::kUnknownMember, "extradata"));
    EXPECT_THAT(send(R"({"extraData":1,"extra\u0044ata":2})"),
                IsProblem(Code::kDuplicateMember, "extraData"));
    for (const char* bad : {"[]", "1", "null", "\"extraData\"", "true", "[{\"extraData\":1}]"}) {
      const RawReply refused = send(bad);
      EXPECT_EQ(refused.status, 400) << bad;
    }
    EXPECT_THAT(send("   \n"), HasStatus(400)) << "white space is no object";
  }
  EXPECT_EQ(position(), before);
  EXPECT_THAT(primary.post_json("/v1/feeds", nested(64)), HasStatus(201));
  EXPECT_THAT(primary.post_json("/v1/feeds", "\r\n\t {\"extraData\":1}\r\n\t "), HasStatus(201));
  EXPECT_THAT(primary.post_json("/v1/feeds", R"({"extr\u0061Data":1})"), HasStatus(201));
}

TEST_F(Routes, Problems_DoNotEchoBytesThatAreNoUtf8) {
  const RawReply path_refused = primary.get("/v1/feeds/%ff%fe%22%3Cscript%3E");
  EXPECT_THAT(path_refused, IsProblem(Code::kBadPath));
  const RawReply member = primary.post_json("/v1/feeds", "{\"a\\u0000\\\"<script>\\u0007\":1}");
  EXPECT_THAT(member, IsProblem(Code::kUnknownMember));
  const RawReply parameter = primary.get("/v1/feeds?limit=%ff%22");
  EXPECT_THAT(parameter, IsProblem(Code::kBadParameter, "limit"));
  // A long name does not come back whole.
  const RawReply name = primary.post_json("/v1/feeds", "{\"" + std::string(500'000, 'n') + "\":1}");
  EXPECT_THAT(name, IsProblem(Code::kUnknownMember));
  EXPECT_LT(name.body.size(), 2'000U);
}

TEST_F(Routes, Head_IsGetWithoutABody) {
  primary.publish(feed, "text");
  std::vector<std::string> targets = {feed_path(feed, "?startId=10000"),
                                      feed_path(feed, "?limit=0"),
                                      feed_path(1),
                                      feed_path(feed, "?startId=10002"),
                                      "/v1/feeds/abc",
                                      "/v1/feeds?limit=2",
                                      "/v1/users?limit=1",
                                      "/v1/counters?limit=1",
                                      "/v1/users/1"};
  for (const Route& route : all()) {
    if (std::count(route.methods.begin(), route.methods.end(), "HEAD") > 0)
      targets.push_back(route.target);
  }
  const std::string activity = activity_path(new_activity(feed));
  targets.insert(targets.end(), {activity, activity + "/reactions", activity + "/thread",
                                 feed_path(feed, "/activities?limit=0")});
  from_replica("GET", "/v1/users?limit=1");
  for (const std::string& target : targets) {
    for (Api* node : {&primary, &replica}) {
      const RawReply get = node->get(target);
      const RawReply head = node->head(target);
      EXPECT_EQ(head.status, get.status) << target;
      EXPECT_EQ(head.body, "");
      for (const char* name : {"Content-Type", "Content-Length", "Transfer-Encoding",
                               "Feeds-Position", "Link", "Allow", "Retry-After"}) {
        if (std::string_view(name) == "Content-Length" &&
            (target == "/metrics" || target == "/v1/cluster"))
          continue;
        EXPECT_EQ(head.header(name), get.header(name)) << target << " " << name;
      }
    }
  }
}

}  // namespace
}  // namespace feeds::test
