#include "tests/api/fixture.h"
#include "tests/support/eventually.h"

namespace feeds::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Feeds : public ApiTest {};

TEST_F(Feeds, Creation_TakesNoBodyOrAnObject) {
  const std::uint64_t first = primary.new_feed();
  for (const std::string& body : {std::string("{}"), std::string(" \n{ } "), std::string()}) {
    const RawReply reply = primary.post_json("/v1/feeds", body);
    EXPECT_THAT(reply, HasStatus(201)) << body;
  }
  const RawReply reply = primary.post("/v1/feeds");
  EXPECT_THAT(reply, HasStatus(201));
  EXPECT_EQ(reply.header("Content-Type"), "application/json");
  EXPECT_EQ(reply.body, path("{\"id\":", first + 4, ",\"articles\":[]}"));
  EXPECT_EQ(reply.header("Location"), feed_path(first + 4));
  EXPECT_GT(sequence(reply), 0U);
}

TEST_F(Feeds, Creation_KeepsUserIdAndExtraData) {
  const RawReply made =
      primary.post_json("/v1/feeds", R"({"extraData":{"b":1.0},"userId":"jane \u00e9"})");
  ASSERT_THAT(made, HasStatus(201));
  const json::value feed = parse(made);
  EXPECT_EQ(feed.at("userId"), json::value("jane \u00e9"));
  EXPECT_THAT(made.body, HasSubstr(R"("extraData":{"b":1.0})"));
  EXPECT_FALSE(feed.as_object().contains("next"));
  const RawReply read = both(*made.header("Location"));
  EXPECT_EQ(parse(read).at("userId"), json::value("jane \u00e9"));
  EXPECT_EQ(parse(read).at("next"), json::value(10000));
  EXPECT_THAT(read.body, HasSubstr(R"("extraData":{"b":1.0})"));
}

TEST_F(Feeds, UnsetMembers_AreAbsent) {
  const RawReply made = primary.post_json("/v1/feeds", R"({"extraData":null})");
  EXPECT_THAT(made, HasStatus(201));
  EXPECT_THAT(made.body, Not(HasSubstr("extraData")));
  EXPECT_THAT(made.body, Not(HasSubstr("userId")));
}

TEST_F(Feeds, UserId_IsATextOfAtMost512Bytes) {
  const auto body = [](std::size_t size) {
    return "{\"userId\":\"" + std::string(size, 'u') + "\"}";
  };
  EXPECT_THAT(primary.post_json("/v1/feeds", body(512)), HasStatus(201));
  EXPECT_THAT(primary.post_json("/v1/feeds", body(513)), IsProblem(Code::kBadMember, "userId"));
  EXPECT_THAT(primary.post_json("/v1/feeds", R"({"userId":{}})"),
              IsProblem(Code::kBadMember, "userId"));
  EXPECT_THAT(primary.post_json("/v1/feeds", R"({"userId":true})"),
              IsProblem(Code::kBadMember, "userId"));
}

// Digits, escapes, order, duplicates and other scripts come back as they were sent.
TEST_F(Feeds, ExtraData_ComesBackByteForByte) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"1.0", "1.0"},
      {"1e5", "1e5"},
      {"1E+05", "1E+05"},
      {"-0", "-0"},
      {"-0.0e-0", "-0.0e-0"},
      {"123456789012345678901234567890", "123456789012345678901234567890"},
      {"0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"},
      {"1e400", "1e400"},
      {"9007199254740993", "9007199254740993"},
      {R"({"z":1,"a":2,"z":3})", R"({"z":1,"a":2,"z":3})"},
      {R"("\u00e9\/\n\u0000\ud83d\ude00")", R"("\u00e9\/\n\u0000\ud83d\ude00")"},
      {"\"\u00e9\U0001F600\u2028\"", "\"\u00e9\U0001F600\u2028\""},
      {"{ \"a b\" : [ 1 ,\t2 ,\r\n{ } , [ ] ] }", R"({"a b":[1,2,{},[]]})"},
      {R"("  spaces \" stay  ")", R"("  spaces \" stay  ")"},
      {R"("\\")", R"("\\")"},
      {"false", "false"},
      {"\"\"", "\"\""},
      {"[]", "[]"},
      {R"({"extraData":null,"":""})", R"({"extraData":null,"":""})"},
  };
  for (const auto& [sent, stored] : cases) {
    const RawReply made = primary.post_json("/v1/feeds", "{\"extraData\": " + sent + " }");
    ASSERT_THAT(made, HasStatus(201)) << sent;
    EXPECT_THAT(made.body, HasSubstr("\"extraData\":" + stored + "}")) << sent;
    const RawReply read = both(*made.header("Location"));
    EXPECT_THAT(read.body, HasSubstr("\"extraData\":" + stored)) << sent;
  }
}

TEST_F(Feeds, Patch_ReplacesAndUnsetsExtraData) {
  const std::uint64_t feed = primary.new_feed(R"({"userId":"u","extraData":{"a":1,"b":2}})");
  const std::uint64_t article = primary.publish(feed, "kept");
  RawReply reply = primary.patch_json(feed_path(feed), R"({"extraData":{"c":3.50}})");
  EXPECT_THAT(reply, HasStatus(200));
  EXPECT_THAT(reply.body, HasSubstr(R"("extraData":{"c":3.50})"));
  EXPECT_EQ(parse(reply).at("userId"), json::value("u"));
  reply = both(feed_path(feed));
  EXPECT_THAT(reply.body, HasSubstr(R"("extraData":{"c":3.50})"));
  EXPECT_THAT(article_ids(reply), ElementsAre(article));
  reply = primary.patch_json(feed_path(feed), R"({"extraData":null})");
  EXPECT_THAT(reply, HasStatus(200));
  EXPECT_FALSE(parse(reply).as_object().contains("extraData"));
  EXPECT_FALSE(parse(both(feed_path(feed))).as_object().contains("extraData"));
  EXPECT_EQ(parse(primary.get(feed_path(feed))).at("userId"), json::value("u"));
}

TEST_F(Feeds, Patch_NeedsExtraDataAndNothingElse) {
  const std::uint64_t feed = primary.new_feed();
  const std::uint64_t before = position();
  EXPECT_THAT(primary.patch_json(feed_path(feed), ""), IsProblem(Code::kMissingBody));
  EXPECT_THAT(primary.patch_json(feed_path(feed), "{}"),
              IsProblem(Code::kMissingMember, "extraData"));
  EXPECT_THAT(primary.patch_json(feed_path(feed), R"({"extraData":1,"userId":"x"})"),
              IsProblem(Code::kUnknownMember, "userId"));
  EXPECT_THAT(primary.patch_json(feed_path(feed), R"({"extraData":1,"extraData":2})"),
              IsProblem(Code::kDuplicateMember, "extraData"));
  EXPECT_THAT(primary.patch_json(feed_path(999'999'999), R"({"extraData":1})"),
              IsProblem(Code::kNoSuchFeed, "999999999"));
  EXPECT_EQ(position(), before);
}

TEST_F(Feeds, Deleted_IsGoneEverywhere) {
  const std::uint64_t feed = primary.new_feed();
  primary.publish(feed, "a");
  const RawReply gone = primary.del(feed_path(feed));
  EXPECT_THAT(gone, HasStatus(204));
  EXPECT_EQ(gone.body, "");
  EXPECT_EQ(gone.header("Content-Length"), std::nullopt);
  EXPECT_GT(sequence(gone), 0U);
  const std::string id = std::to_string(feed);
  EXPECT_THAT(both(feed_path(feed)), IsProblem(Code::kNoSuchFeed, id));
  EXPECT_THAT(both(feed_path(feed, "?startId=10000")), IsProblem(Code::kNoSuchFeed, id));
  EXPECT_THAT(primary.del(feed_path(feed)), IsProblem(Code::kNoSuchFeed, id));
  EXPECT_THAT(primary.patch_json(feed_path(feed), R"({"extraData":1})"),
              IsProblem(Code::kNoSuchFeed, id));
  EXPECT_THAT(primary.post(feed_path(feed), "x"), IsProblem(Code::kNoSuchFeed, id));
  EXPECT_THAT(primary.post(subscribe_path(primary.new_user(), feed)),
              IsProblem(Code::kNoSuchFeed, id));
  EXPECT_THAT(both("/v1/feeds").body, Not(HasSubstr("\"id\":" + id + ",")));
  EXPECT_THAT(both("/v1/counters").body, Not(HasSubstr("/articles/" + id + "\"")));
  EXPECT_GT(primary.new_feed(), feed);
}

// More than 1,000 rows: the deletion is pending for a while, and must not be seen.
class LargeDeletion : public Feeds {
 protected:
  void SetUp() override {
    RawClient client(primary.address());
    std::string burst;
    for (int i = 0; i < kArticles; ++i) burst += request_text("POST", feed_path(feed), "text");
    std::thread sender([&] { client.send(burst); });
    for (int i = 0; i < kArticles; ++i) EXPECT_THAT(client.reply(), HasStatus(201)) << i;
    sender.join();
    EXPECT_THAT(article_ids(primary.get(feed_path(feed, "?limit=1"))),
                ElementsAre(9999 + kArticles));
  }

  // Nor does it go on behind the tests that follow: each article is an entry of its own.
  void TearDown() override {
    EXPECT_TRUE(eventually([&] { return position() >= deleted_at + kArticles; }));
  }
  void deleted() {
    const RawReply gone = primary.del(feed_path(feed));
    EXPECT_THAT(gone, HasStatus(204));
    deleted_at = sequence(gone);
  }

  static constexpr int kArticles = 3000;
  std::uint64_t deleted_at = 0;
  std::uint64_t feed = primary.new_feed();
};

TEST_F(LargeDeletion, IsCompleteAtOnce) {
  const std::uint64_t user = primary.new_user();
  primary.subscribe(user, feed);
  deleted();
  EXPECT_THAT(both(feed_path(feed)), IsProblem(Code::kNoSuchFeed));
  EXPECT_THAT(primary.post(feed_path(feed), "x"), IsProblem(Code::kNoSuchFeed));
  EXPECT_THAT(primary.del(feed_path(feed)), IsProblem(Code::kNoSuchFeed));
  const auto lists = {std::pair("/v1/feeds", path("\"id\":", feed, ",")),
                      std::pair("/v1/counters", path("/articles/", feed, "\""))};
  for (const auto& [list, entry] : lists) {
    EXPECT_THAT(primary.get(list).body, Not(HasSubstr(entry)));
    EXPECT_THAT(from_replica("GET", list).body, Not(HasSubstr(entry)));
  }
  const std::string consume = user_path(user, "/consumeFeeds");
  for (const std::string& body : {std::string(), path("{\"", feed, "\":10000}")}) {
    EXPECT_EQ(primary.post(consume, body).body, "[]");
    EXPECT_EQ(from_replica("POST", consume, body).body, "[]");
  }
  EXPECT_THAT(primary.get(user_path(user)).body, HasSubstr(path("\"", feed, "\":12999")));
}

TEST_F(LargeDeletion, IsCleanedUpThoughNothingElseIsWritten) {
  deleted();
}

TEST_F(Feeds, Unknown_Is404NamingIt) {
  for (const char* id : {"0", "1", "9999", "999999999", "9223372036854775807"}) {
    const RawReply reply = both(std::string("/v1/feeds/") + id);
    EXPECT_THAT(reply, IsProblem(Code::kNoSuchFeed, id));
    EXPECT_GT(sequence(reply), 0U);
  }
}

TEST_F(Feeds, IdsInPaths_AreCanonical) {
  const std::uint64_t feed = primary.new_feed();
  const std::string id = std::to_string(feed);
  for (const std::string& bad :
       {"0" + id, "+" + id, "%2B" + id, id + ".0", "-" + id, id + "%20", "%20" + id,
        std::string("abc"), std::string("1e4"), std::string("0x10"),
        std::string("99999999999999999999"), std::string("9223372036854775808"),
        std::string("18446744073709551616"), std::string("%00"), id + "%00", std::string("null")}) {
    for (const char* suffix : {"", "?startId=1", "?limit=1"}) {
      EXPECT_THAT(primary.get("/v1/feeds/" + bad + suffix), IsProblem(Code::kBadPath)) << bad;
    }
    EXPECT_THAT(replica.get("/v1/feeds/" + bad), IsProblem(Code::kBadPath)) << bad;
    EXPECT_THAT(primary.del("/v1/feeds/" + bad), IsProblem(Code::kBadPath)) << bad;
    EXPECT_THAT(primary.patch_json("/v1/feeds/" + bad, R"({"extraData":1})"),
                IsProblem(Code::kBadPath))
        << bad;
    EXPECT_THAT(primary.post("/v1/feeds/" + bad, "x"), IsProblem(Code::kBadPath)) << bad;
    EXPECT_THAT(primary.post("/v1/feeds/" + bad + "/publishArticle", "x"),
                IsProblem(Code::kBadPath))
        << bad;
    EXPECT_THAT(primary.get("/v1/users/" + bad), IsProblem(Code::kBadPath)) << bad;
    EXPECT_THAT(primary.post("/v1/users/" + bad + "/consumeFeeds"), IsProblem(Code::kBadPath))
        << bad;
    EXPECT_THAT(primary.post("/v1/users/" + bad + "/subscribe?feedId=" + id),
                IsProblem(Code::kBadPath))
        << bad;
  }
}

// A list of its own node, so that all of it is known.
TEST(FeedList, IsInNumericOrder_AndPages) {
  const auto node = Node::primary({"--db-counters", "/feeds=99998", "--db-counters", "/users=9"});
  Api api(node->http());
  EXPECT_EQ(api.get("/v1/feeds").body, "[]");
  EXPECT_EQ(api.get("/v1/feeds?limit=3").body, "[]");
  EXPECT_EQ(api.get("/v1/feeds?limit=3").header("Link"), std::nullopt);
  for (std::uint64_t id = 99998; id < 100003; ++id) {
    EXPECT_EQ(api.new_feed(R"({"extraData":)" + std::to_string(id) + "}"), id);
  }
  EXPECT_THAT(api.del("/v1/feeds/99999"), HasStatus(204));
  const RawReply all = api.get("/v1/feeds");
  EXPECT_EQ(
      all.body,
      R"([{"id":99998,"articles":[],"extraData":99998},{"id":100000,"articles":[],"extraData":100000},)"
      R"({"id":100001,"articles":[],"extraData":100001},{"id":100002,"articles":[],"extraData":100002}])");
  EXPECT_EQ(all.header("Link"), std::nullopt);
  EXPECT_EQ(all.header("Transfer-Encoding"), "chunked");
  RawReply page = api.get("/v1/feeds?limit=2");
  EXPECT_THAT(ids(parse(page)), ElementsAre(99998, 100000));
  EXPECT_EQ(page.header("Link"), R"(</v1/feeds?limit=2&after=100000>; rel="next")");
  page = api.get(next_link(page));
  EXPECT_THAT(ids(parse(page)), ElementsAre(100001, 100002));
  EXPECT_EQ(page.header("Link"), std::nullopt);
  EXPECT_THAT(ids(parse(api.get("/v1/feeds?limit=4"))), testing::SizeIs(4));
  EXPECT_EQ(api.get("/v1/feeds?limit=4").header("Link"), std::nullopt);
  EXPECT_EQ(api.get("/v1/feeds?limit=3").header("Link"),
            R"(</v1/feeds?limit=3&after=100001>; rel="next")");
  // `after` need not exist, and may stand alone.
  EXPECT_THAT(ids(parse(api.get("/v1/feeds?limit=1&after=99999"))), ElementsAre(100000));
  EXPECT_THAT(ids(parse(api.get("/v1/feeds?after=100001"))), ElementsAre(100002));
  EXPECT_THAT(ids(parse(api.get("/v1/feeds?after=0&limit=1"))), ElementsAre(99998));
  EXPECT_EQ(api.get("/v1/feeds?limit=5&after=100002").body, "[]");
  EXPECT_EQ(api.get("/v1/feeds?after=9223372036854775807").body, "[]");
}

TEST(UserList, IsInNumericOrder_AndPages) {
  const auto node = Node::primary({"--db-counters", "/users=99998"});
  Api api(node->http());
  EXPECT_EQ(api.get("/v1/users").body, "[]");
  const std::uint64_t feed = api.new_feed();
  for (std::uint64_t id = 99998; id < 100002; ++id) EXPECT_EQ(api.new_user(), id);
  api.subscribe(99999, feed);
  EXPECT_EQ(api.get("/v1/users").body,
            R"([{"id":99998,"feeds":{}},{"id":99999,"feeds":{"10000":10000}},)"
            R"({"id":100000,"feeds":{}},{"id":100001,"feeds":{}}])");
  RawReply page = api.get("/v1/users?limit=3");
  EXPECT_EQ(page.header("Link"), R"(</v1/users?limit=3&after=100000>; rel="next")");
  page = api.get(next_link(page));
  EXPECT_EQ(page.body, R"([{"id":100001,"feeds":{}}])");
  EXPECT_EQ(page.header("Link"), std::nullopt);
  EXPECT_EQ(api.get("/v1/users?limit=4").header("Link"), std::nullopt);
}

// Ids stay whole numbers past 2^32 and past what a double can tell apart.
TEST(FeedList, LargeIds_AreExact) {
  const auto node = Node::primary({"--db-counters", "/feeds=9007199254740992"});
  Api api(node->http());
  EXPECT_EQ(api.new_feed(), 9007199254740992U);
  EXPECT_EQ(api.new_feed(), 9007199254740993U);
  EXPECT_EQ(api.publish(9007199254740993U, "x"), 10000U);
  EXPECT_EQ(api.get("/v1/feeds/9007199254740993").body,
            R"({"id":9007199254740993,"articles":[{"id":10000,"text":"x"}],"next":10001})");
  const std::uint64_t user = api.new_user();
  api.subscribe(user, 9007199254740993U);
  EXPECT_EQ(api.get(user_path(user)).body, R"({"id":10000,"feeds":{"9007199254740993":10000}})");
}

}  // namespace
}  // namespace feeds::test
