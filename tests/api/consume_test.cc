#include "tests/api/fixture.h"

namespace feeds::test {
namespace {

using ::testing::ElementsAre;

class Consume : public ApiTest {
 protected:
  void SetUp() override {
    for (std::uint64_t& feed : feeds) feed = primary.new_feed();
    for (int i = 0; i < 3; ++i) publish(feeds[0]);
    primary.subscribe(user, feeds[0]);
    primary.subscribe(user, feeds[1]);
    for (int i = 0; i < 2; ++i) publish(feeds[0]);
    for (int i = 0; i < 60; ++i) publish(feeds[1]);
    for (int i = 0; i < 4; ++i) publish(feeds[2]);
  }
  void publish(std::uint64_t feed) { primary.publish(feed, "t"); }
  RawReply consume(const std::string& body = {}) {
    return both("POST", user_path(user, "/consumeFeeds"), body);
  }
  // The page of `feed` from `start` on, as it stands in the reply.
  std::string page(std::uint64_t feed, std::uint64_t start) {
    return primary.get(feed_path(feed, path("?startId=", start))).body;
  }
  std::string named(std::uint64_t feed, const std::string& value) {
    return path("\"", feed, "\":" + value);
  }

  std::uint64_t user = primary.new_user();
  // Subscribed at 10002, subscribed while empty, not subscribed, not subscribed and empty.
  std::vector<std::uint64_t> feeds = std::vector<std::uint64_t>(4);
};

TEST_F(Consume, WithoutNames_IsAPageOfEachFromTheRecordedId) {
  const std::string expected = "[" + page(feeds[0], 10002) + "," + page(feeds[1], 10000) + "]";
  const std::uint64_t before = position();
  EXPECT_EQ(consume().body, expected);
  EXPECT_EQ(consume("{}").body, expected);
  EXPECT_EQ(consume(" { } ").body, expected);
  const std::string target = user_path(user, "/consumeFeeds");
  for (Api* node : {&primary, &replica}) {
    EXPECT_EQ(node->post_json(target, "").body, expected);
    EXPECT_EQ(node->post_json(target, "{}").body, expected);
    RawClient client(node->address());
    EXPECT_EQ(client.ask("POST " + target + " HTTP/1.1\r\nHost: a\r\n\r\n").body, expected);
  }
  EXPECT_EQ(parse(consume()).at(1).at("articles").as_array().size(), 50U);
  EXPECT_EQ(position(), before) << "it changes nothing";
}

TEST_F(Consume, NamedFeeds_StartAtTheirId_TheOthersAtTheRecorded) {
  EXPECT_EQ(consume("{" + named(feeds[0], "10004") + "}").body,
            "[" + page(feeds[0], 10004) + "," + page(feeds[1], 10000) + "]");
  EXPECT_EQ(consume("{" + named(feeds[2], "\"10001\"") + "}").body,
            "[" + page(feeds[0], 10002) + "," + page(feeds[1], 10000) + "," +
                page(feeds[2], 10001) + "]");
  // In the order of feed ids, not of the body; and a next id is an empty page.
  EXPECT_EQ(consume("{" + named(feeds[3], "10000") + "," + named(feeds[2], "10004") + "," +
                    named(feeds[1], "10050") + "}")
                .body,
            "[" + page(feeds[0], 10002) + "," + page(feeds[1], 10050) + "," +
                page(feeds[2], 10004) + "," + page(feeds[3], 10000) + "]");
}

TEST_F(Consume, OfNothing_IsAnEmptyList) {
  user = primary.new_user();
  EXPECT_EQ(consume().body, "[]");
  EXPECT_EQ(consume("{" + named(feeds[2], "10003") + "}").body, "[" + page(feeds[2], 10003) + "]");
}

TEST_F(Consume, DeletedFeeds_AreLeftOut) {
  const std::string rest = "[" + page(feeds[1], 10000) + "]";
  EXPECT_THAT(primary.del(feed_path(feeds[0])), HasStatus(204));
  EXPECT_THAT(primary.del(feed_path(feeds[2])), HasStatus(204));
  EXPECT_EQ(consume().body, rest);
  EXPECT_EQ(consume("{" + named(feeds[0], "10000") + "," + named(feeds[2], "10000") + "}").body,
            rest);
}

TEST_F(Consume, FeedNeverGiven_Is404NamingIt) {
  const std::uint64_t next = feeds[3] + 1;
  for (const std::uint64_t id :
       {next, std::uint64_t{9999}, std::uint64_t{0}, std::uint64_t{INT64_MAX}}) {
    const RawReply refused = consume("{" + named(id, "10000") + "}");
    EXPECT_THAT(refused, IsProblem(Code::kNoSuchFeed, std::to_string(id)));
    EXPECT_GT(sequence(refused), 0U);
  }
}

TEST_F(Consume, GroupingFeed_Is404NamingIt) {
  const RawReply made = primary.post_json("/v1/groupingFeeds", R"({"keyFormat":""})");
  const std::uint64_t id = parse(made).at("id").to_number<std::uint64_t>();
  EXPECT_THAT(consume("{" + named(id, "10000") + "}"),
              IsProblem(Code::kNoSuchFeed, std::to_string(id)));
}

TEST_F(Consume, ArticleIdOutOfRange_Is400) {
  const std::string target = user_path(user, "/consumeFeeds");
  EXPECT_THAT(consume("{" + named(feeds[0], "9999") + "}"),
              IsProblem(Code::kStartIdOutOfRange, std::to_string(feeds[0])));
  const std::string past = "{" + named(feeds[2], "10005") + "}";
  EXPECT_THAT(primary.post(target, past),
              IsProblem(Code::kStartIdOutOfRange, std::to_string(feeds[2])));
  const RawReply there = from_replica("POST", target, past);
  EXPECT_THAT(there, IsProblem(Code::kPastEndHere, std::to_string(feeds[2])));
  EXPECT_GT(sequence(there), 0U);
}

TEST_F(Consume, KeysAndValues_AreCanonicalIds) {
  const std::string id = std::to_string(feeds[0]);
  const auto refused = [&](const std::string& body, Code code, const std::string& mention) {
    const std::string target = user_path(user, "/consumeFeeds");
    EXPECT_THAT(primary.post_json(target, body), IsProblem(code, mention)) << body;
    EXPECT_THAT(replica.post_json(target, body), IsProblem(code, mention)) << body;
  };
  for (const char* value : {"null", "\"abc\"", "\"+10000\"", "\"010000\"", "10000.0", "1e4", "-1",
                            "true", "[]", "{}", "\"\"", "99999999999999999999", "\"10000 \""}) {
    refused("{" + named(feeds[0], value) + "}", Code::kBadMember, id);
  }
  for (const std::string& key :
       {"+" + id, "0" + id, id + ".0", std::string("abc"), std::string(), " " + id,
        std::string("-1"), std::string("99999999999999999999")}) {
    const std::string body = "{\"" + key + "\":10000}";
    const RawReply reply = primary.post_json(user_path(user, "/consumeFeeds"), body);
    EXPECT_EQ(reply.status, 400) << body;
    EXPECT_NE(reply.body.find(key), std::string::npos) << body << reply.body;
    EXPECT_EQ(replica.post_json(user_path(user, "/consumeFeeds"), body).body, reply.body);
  }
  refused("{" + named(feeds[0], "10000") + "," + named(feeds[0], "10001") + "}",
          Code::kDuplicateMember, id);
  refused("{" + named(feeds[0], "10000") + ",\"\\u0031" + id.substr(1) + "\":10001}",
          Code::kDuplicateMember, id);
  for (const char* body : {"[]", "null", "1", "\"x\"", "{", "{}{}", "{}x"}) {
    EXPECT_EQ(primary.post_json(user_path(user, "/consumeFeeds"), body).status, 400) << body;
  }
  const RawReply text = primary.request("POST", user_path(user, "/consumeFeeds"), "{}",
                                        "Content-Type: text/plain\r\n");
  EXPECT_THAT(text, IsProblem(Code::kUnsupportedMediaType, "application/json"));
}

class Counters : public ::testing::Test {
 protected:
  std::unique_ptr<Node> node = Node::primary({"--db-counters", "/feeds=99998"});
  Api api{node->http()};
};

TEST_F(Counters, StartValues_AreShown) {
  EXPECT_EQ(
      api.get("/v1/counters").body,
      R"([{"name":"/users","value":10000},{"name":"/feeds","value":99998},{"name":"/activities","value":10000}])");
}

TEST(LowCounters, FeedsBelowTheUsualStart_CanBeNamed) {
  const auto node = Node::primary({"--db-counters", "/feeds=1"});
  Api api(node->http());
  const std::uint64_t feed = api.new_feed();
  const std::uint64_t user = api.new_user();
  EXPECT_EQ(feed, 1U);
  api.publish(feed, "x");
  const auto consume = [&](std::uint64_t named) {
    return api.post_json(user_path(user, "/consumeFeeds"), path("{\"", named, "\":10000}"));
  };
  EXPECT_EQ(consume(feed).body, "[" + api.get(feed_path(feed, "?startId=10000")).body + "]");
  EXPECT_THAT(consume(2), IsProblem(Code::kNoSuchFeed, "2"));
  api.subscribe(user, feed);
  EXPECT_THAT(api.del(feed_path(feed)), HasStatus(204));
  EXPECT_EQ(consume(feed).body, "[]") << "deleted since";
}

TEST_F(Counters, AreInOrder_AndPage) {
  for (int i = 0; i < 5; ++i) api.new_feed();
  api.new_user();
  for (int i = 0; i < 3; ++i) api.publish(100000, "x");
  EXPECT_THAT(api.del("/v1/feeds/99999"), HasStatus(204));
  const std::vector<std::string> all = {R"({"name":"/users","value":10001})",
                                        R"({"name":"/feeds","value":100003})",
                                        R"({"name":"/activities","value":10000})",
                                        R"({"name":"/articles/99998","value":10000})",
                                        R"({"name":"/articles/100000","value":10003})",
                                        R"({"name":"/articles/100001","value":10000})",
                                        R"({"name":"/articles/100002","value":10000})"};
  const auto list = [&](std::size_t from, std::size_t to) {
    std::string result;
    for (std::size_t i = from; i < to; ++i) result += (result.empty() ? "" : ",") + all[i];
    return "[" + result + "]";
  };
  RawReply reply = api.get("/v1/counters");
  EXPECT_EQ(reply.body, list(0, 7));
  EXPECT_EQ(reply.header("Link"), std::nullopt);
  EXPECT_EQ(reply.header("Transfer-Encoding"), "chunked");
  for (std::size_t limit = 1; limit < 9; ++limit) {
    std::string target = path("/v1/counters?limit=", limit);
    for (std::size_t at = 0; at < 7; at += limit) {
      reply = api.get(target);
      const std::size_t end = std::min<std::size_t>(at + limit, 7);
      EXPECT_EQ(reply.body, list(at, end)) << target;
      target = next_link(reply);
      EXPECT_EQ(target.empty(), end == 7) << target;
    }
  }
  EXPECT_EQ(api.get("/v1/counters?after=/feeds").body, list(2, 7));
  EXPECT_EQ(api.get("/v1/counters?after=%2Ffeeds&limit=1").body, list(2, 3));
  EXPECT_EQ(api.get("/v1/counters?after=/articles/99999").body, list(4, 7)) << "it need not exist";
  EXPECT_EQ(api.get("/v1/counters?after=/articles/100002").body, "[]");
  for (const char* bad :
       {"", "users", "/nothing", "/articles", "/articles/", "/articles/abc", "/articles/010000",
        "10000", "/users/", "/articles/99999999999999999999"}) {
    EXPECT_THAT(api.get(std::string("/v1/counters?after=") + bad),
                IsProblem(Code::kBadParameter, "after"))
        << bad;
  }
}

}  // namespace
}  // namespace feeds::test
