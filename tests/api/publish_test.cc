#include "tests/api/fixture.h"

namespace feeds::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Publish : public ApiTest {
 protected:
  // The text of the newest article of `of`.
  std::string newest(std::uint64_t of) {
    const json::value reply = parse(both(feed_path(of, "?limit=1")));
    const json::array& articles = reply.at("articles").as_array();
    EXPECT_EQ(articles.size(), 1U);
    return articles.empty() ? "" : std::string(articles[0].at("text").as_string());
  }

  std::uint64_t feed = primary.new_feed();
};

TEST_F(Publish, BothSpellings_Publish) {
  const RawReply first = primary.post(feed_path(feed, "/publishArticle"), "one");
  EXPECT_THAT(first, HasStatus(201));
  EXPECT_EQ(first.body, R"({"id":10000,"text":"one"})");
  EXPECT_EQ(first.header("Content-Type"), "application/json");
  EXPECT_EQ(first.header("Location"), feed_path(feed, "?startId=10000&limit=1"));
  EXPECT_GT(sequence(first), 0U);
  const RawReply second = primary.post(feed_path(feed), "two");
  EXPECT_EQ(second.body, R"({"id":10001,"text":"two"})");
  EXPECT_EQ(second.header("Location"), feed_path(feed, "?startId=10001&limit=1"));
  EXPECT_GT(sequence(second), sequence(first));
  EXPECT_EQ(both(*second.header("Location")).body,
            path("{\"id\":", feed, R"(,"articles":[{"id":10001,"text":"two"}],"next":10002})"));
  for (const char* slash : {"/", "/publishArticle/"}) {
    EXPECT_THAT(primary.post(feed_path(feed, slash), "x"), HasStatus(201));
  }
}

TEST_F(Publish, MediaTypes_OfTextAndJson) {
  const auto send = [&](const std::string& type, const std::string& body) {
    return primary.post(feed_path(feed), body,
                        type.empty() ? "" : "Content-Type: " + type + "\r\n");
  };
  for (const char* type : {"", "text/plain", "text/plain; charset=utf-8",
                           "text/plain;charset=UTF-8", "Text/Plain; Charset=\"utf-8\""}) {
    EXPECT_THAT(send(type, "{\"text\":1}"), HasStatus(201)) << type;
    EXPECT_EQ(newest(feed), "{\"text\":1}") << type;
  }
  for (const char* type :
       {"application/json", "application/json; charset=utf-8", "APPLICATION/JSON"}) {
    EXPECT_THAT(send(type, R"( {"text":"of JSON"} )"), HasStatus(201)) << type;
    EXPECT_EQ(newest(feed), "of JSON") << type;
  }
  for (const char* type :
       {"application/x-www-form-urlencoded", "text/html", "image/png", "application/jsonx",
        "text/plain2", "multipart/form-data; boundary=x", "nonsense"}) {
    const RawReply refused = send(type, "hi");
    EXPECT_THAT(refused, IsProblem(Code::kUnsupportedMediaType, "text/plain")) << type;
    EXPECT_THAT(refused, IsProblem(Code::kUnsupportedMediaType, "application/json")) << type;
  }
  // A type that nothing has is no error.
  EXPECT_THAT(send("application/x-www-form-urlencoded", ""), HasStatus(201));
}

TEST_F(Publish, EmptyText_IsAText) {
  EXPECT_EQ(primary.post(feed_path(feed)).body, R"({"id":10000,"text":""})");
  EXPECT_EQ(primary.post(feed_path(feed), "", "Content-Type: text/plain\r\n").body,
            R"({"id":10001,"text":""})");
  EXPECT_EQ(primary.post_json(feed_path(feed), R"({"text":""})").body, R"({"id":10002,"text":""})");
  RawClient client(primary.address());
  EXPECT_EQ(client.ask("POST " + feed_path(feed) + " HTTP/1.1\r\nHost: a\r\n\r\n").body,
            R"({"id":10003,"text":""})");
  EXPECT_THAT(article_ids(both(feed_path(feed))), ElementsAre(10000, 10001, 10002, 10003));
}

TEST_F(Publish, AnyText_ComesBackAsSent) {
  using namespace std::string_literals;
  std::string controls;
  for (int c = 1; c < 0x80; ++c) controls += static_cast<char>(c);
  for (const std::string& text :
       {"a\0b"s, "\0"s, controls, "line\r\nline\ttab"s, "\"quoted\" \\ / </script>"s,
        "\u00e9\u4e2d\U0001F600\u2028\u2029\ufeff\ufffe"s, "  spaces  "s, "null"s, "{}"s}) {
    ASSERT_THAT(primary.post(feed_path(feed), text), HasStatus(201));
    EXPECT_EQ(newest(feed), text);
    const std::string encoded = json::serialize(json::object{{"text", text}});
    ASSERT_THAT(primary.post_json(feed_path(feed), encoded), HasStatus(201)) << encoded;
    EXPECT_EQ(newest(feed), text);
  }
  EXPECT_THAT(primary.post_json(feed_path(feed), R"({"text":"a\u0000b\ud83d\ude00\/"})"),
              HasStatus(201));
  EXPECT_EQ(newest(feed), "a\0b\U0001F600/"s);
}

TEST_F(Publish, InvalidUtf8_Is400) {
  using namespace std::string_literals;
  const std::uint64_t before = position();
  for (const std::string& text :
       {"\xff"s, "a\xc3"s, "\xc0\x80"s, "\xe0\x80\x80"s, "\xed\xa0\x80"s, "\xf4\x90\x80\x80"s,
        "\x80"s, "\xf8\x88\x80\x80\x80"s, "\xf0\x80\x80\x80"s}) {
    EXPECT_THAT(primary.post(feed_path(feed), text), IsProblem(Code::kBadText));
    EXPECT_THAT(primary.post_json(feed_path(feed), "{\"text\":\"" + text + "\"}"),
                IsProblem(Code::kBadJson));
    EXPECT_THAT(primary.post_json("/v1/feeds", "{\"extraData\":{\"" + text + "\":1}}"),
                IsProblem(Code::kBadJson));
  }
  EXPECT_EQ(position(), before);
}

TEST_F(Publish, JsonBody_IsAnObjectWithText) {
  const std::uint64_t before = position();
  const auto send = [&](std::string_view body) { return primary.post_json(feed_path(feed), body); };
  EXPECT_THAT(send(""), IsProblem(Code::kMissingBody));
  EXPECT_THAT(send("{}"), IsProblem(Code::kMissingMember, "text"));
  EXPECT_THAT(send(R"({"text":null})"), IsProblem(Code::kBadMember, "text"));
  EXPECT_THAT(send(R"({"text":1})"), IsProblem(Code::kBadMember, "text"));
  EXPECT_THAT(send(R"({"text":["a"]})"), IsProblem(Code::kBadMember, "text"));
  EXPECT_THAT(send(R"({"text":"a","Text":"b"})"), IsProblem(Code::kUnknownMember, "Text"));
  EXPECT_THAT(send(R"({"text":"a","text":"a"})"), IsProblem(Code::kDuplicateMember, "text"));
  EXPECT_THAT(send(R"({"text":"a","\u0074ext":"a"})"), IsProblem(Code::kDuplicateMember, "text"));
  for (const char* body : {"[]", "\"a\"", "null", "1", "true"}) {
    const RawReply refused = send(body);
    EXPECT_EQ(refused.status, 400) << body;
  }
  EXPECT_EQ(position(), before);
}

TEST_F(Publish, Sizes_UpTo1MiBOfBodyAnd2MiBStored) {
  const std::string largest(1 << 20, 'a');
  const RawReply made = primary.post(feed_path(feed), largest);
  EXPECT_THAT(made, HasStatus(201));
  EXPECT_EQ(newest(feed), largest);
  EXPECT_THAT(primary.post(feed_path(feed), largest + "a"), IsProblem(Code::kBodyTooLarge));
  // Each of these bytes takes six when it is stored.
  const RawReply refused = primary.post(feed_path(feed), std::string(1 << 20, '\1'));
  EXPECT_THAT(refused, IsProblem(Code::kValueTooLarge));
  EXPECT_THAT(primary.post(feed_path(feed), std::string(340'000, '\1')), HasStatus(201));
  EXPECT_THAT(article_ids(both(feed_path(feed))), ElementsAre(10000, 10001));
}

TEST_F(Publish, Pages_EndAt8MiB) {
  const std::string text(1 << 20, 'a');
  for (int i = 0; i < 10; ++i) primary.publish(feed, text);
  RawReply page = both(feed_path(feed, "?startId=10000"));
  EXPECT_LE(page.body.size(), 9U << 20);
  std::vector<std::uint64_t> seen = article_ids(page);
  EXPECT_LT(seen.size(), 10U);
  const std::uint64_t next = parse(page).at("next").to_number<std::uint64_t>();
  EXPECT_EQ(next, seen.back() + 1);
  page = primary.get(feed_path(feed, path("?startId=", next)));
  for (const std::uint64_t id : article_ids(page)) seen.push_back(id);
  EXPECT_EQ(seen.size(), 10U);
  EXPECT_EQ(seen.back(), 10009U);
  // The newest 50 are cut at that size too, and `next` leads to the end.
  page = both(feed_path(feed));
  EXPECT_LE(page.body.size(), 9U << 20);
  EXPECT_EQ(parse(page).at("next").to_number<std::uint64_t>(), article_ids(page).back() + 1);
}

class Pages : public ApiTest {
 protected:
  void SetUp() override {
    for (int i = 0; i < 60; ++i) primary.publish(feed, "text " + std::to_string(i));
  }
  RawReply page(const std::string& query) { return both(feed_path(feed, query)); }
  static std::uint64_t next(const RawReply& reply) {
    return parse(reply).at("next").to_number<std::uint64_t>();
  }

  std::uint64_t feed = primary.new_feed();
};

TEST_F(Pages, WithoutStartId_AreTheNewestOldestFirst) {
  RawReply reply = page("");
  std::vector<std::uint64_t> expected(50);
  std::iota(expected.begin(), expected.end(), 10010);
  EXPECT_EQ(article_ids(reply), expected);
  EXPECT_EQ(next(reply), 10060U);
  reply = page("?limit=3");
  EXPECT_THAT(article_ids(reply), ElementsAre(10057, 10058, 10059));
  EXPECT_EQ(next(reply), 10060U);
  EXPECT_EQ(article_ids(page("?limit=1000")).size(), 60U);
  EXPECT_EQ(article_ids(page("?limit=60")).size(), 60U);
}

TEST_F(Pages, FromStartId_AreInclusiveAndNextGoesOn) {
  RawReply reply = page("?startId=10000");
  EXPECT_EQ(article_ids(reply).size(), 50U);
  EXPECT_EQ(article_ids(reply).front(), 10000U);
  EXPECT_EQ(next(reply), 10050U);
  reply = page("?startId=10050");
  EXPECT_EQ(article_ids(reply).size(), 10U);
  EXPECT_EQ(next(reply), 10060U);
  reply = page("?startId=10058&limit=2");
  EXPECT_THAT(article_ids(reply), ElementsAre(10058, 10059));
  EXPECT_EQ(next(reply), 10060U);
  reply = page("?startId=10058&limit=1");
  EXPECT_THAT(article_ids(reply), ElementsAre(10058));
  EXPECT_EQ(next(reply), 10059U);
  EXPECT_EQ(page("?startId=10059").body,
            path("{\"id\":", feed, R"(,"articles":[{"id":10059,"text":"text 59"}],"next":10060})"));
}

TEST_F(Pages, AtTheNextId_AreEmpty) {
  EXPECT_EQ(page("?startId=10060").body, path("{\"id\":", feed, R"(,"articles":[],"next":10060})"));
  const std::uint64_t empty = primary.new_feed();
  const std::string body = path("{\"id\":", empty, R"(,"articles":[],"next":10000})");
  EXPECT_EQ(both(feed_path(empty)).body, body);
  EXPECT_EQ(both(feed_path(empty, "?startId=10000")).body, body);
}

TEST_F(Pages, StartIdOutOfRange_Is400) {
  for (const char* low : {"0", "1", "9999"}) {
    const RawReply refused = page(std::string("?startId=") + low);
    EXPECT_THAT(refused, IsProblem(Code::kStartIdOutOfRange, "startId")) << low;
    EXPECT_GT(sequence(refused), 0U);
  }
  for (const char* high : {"10061", "9223372036854775807"}) {
    const RawReply refused = primary.get(feed_path(feed, std::string("?startId=") + high));
    EXPECT_THAT(refused, IsProblem(Code::kStartIdOutOfRange, "startId")) << high;
    EXPECT_THAT(refused, IsProblem(Code::kStartIdOutOfRange, "10060")) << "the valid range is told";
    EXPECT_GT(sequence(refused), 0U);
    const RawReply there = from_replica("GET", feed_path(feed, std::string("?startId=") + high));
    EXPECT_THAT(there, IsProblem(Code::kPastEndHere, "startId")) << high;
    EXPECT_EQ(there.header("Feeds-Position"), refused.header("Feeds-Position"));
  }
  const std::uint64_t empty = primary.new_feed();
  EXPECT_THAT(primary.get(feed_path(empty, "?startId=10001")), IsProblem(Code::kStartIdOutOfRange));
}

TEST_F(Pages, StartIdThatIsNoId_Is400NamingIt) {
  for (const char* bad :
       {"abc", "+10000", "%2B10000", "010000", "10000.0", "1e4", "-1", "", "%20", "10000%20",
        "99999999999999999999", "9223372036854775808", "null", "%00"}) {
    const RawReply refused = primary.get(feed_path(feed, std::string("?startId=") + bad));
    EXPECT_THAT(refused, IsProblem(Code::kBadParameter, "startId")) << bad;
    EXPECT_EQ(refused.header("Feeds-Position"), std::nullopt);
    EXPECT_THAT(replica.get(feed_path(feed, std::string("?startId=") + bad)),
                IsProblem(Code::kBadParameter, "startId"))
        << bad;
  }
  // Judged before the feed is looked for.
  EXPECT_THAT(primary.get("/v1/feeds/1?startId=abc"), IsProblem(Code::kBadParameter, "startId"));
}

TEST_F(Pages, Limit_IsFrom1To1000) {
  const std::uint64_t user = primary.new_user();
  for (const std::string& target :
       {feed_path(feed, "?limit="), feed_path(feed, "?startId=10000&limit="),
        std::string("/v1/feeds?limit="), std::string("/v1/users?limit="),
        std::string("/v1/counters?limit="), path("/v1/feeds/", 1, "?limit=")}) {
    for (const char* bad : {"0", "-5", "abc", "1e3", "", "99999999999999999999", "1001", "+5", "05",
                            "5.0", "%205", "9223372036854775807", "NaN"}) {
      const RawReply refused = primary.get(target + bad);
      EXPECT_THAT(refused, IsProblem(Code::kBadParameter, "limit")) << target << bad;
      EXPECT_EQ(refused.header("Feeds-Position"), std::nullopt) << target << bad;
      EXPECT_THAT(replica.get(target + bad), IsProblem(Code::kBadParameter, "limit"))
          << target << bad;
    }
  }
  EXPECT_THAT(primary.get("/v1/users?limit=1000"), HasStatus(200));
  EXPECT_GT(user, 0U);
}

TEST_F(Pages, After_IsAnId) {
  for (const char* list : {"/v1/feeds", "/v1/users"}) {
    for (const char* bad : {"abc", "-1", "", "01", "+1", "1.0", "99999999999999999999"}) {
      for (const char* limit : {"?after=", "?limit=2&after="}) {
        EXPECT_THAT(primary.get(std::string(list) + limit + bad),
                    IsProblem(Code::kBadParameter, "after"))
            << list << bad;
      }
    }
  }
}

TEST_F(Pages, UnknownParameters_AreIgnored) {
  EXPECT_EQ(primary.get(feed_path(feed, "?limit=2&x=1&LIMIT=0&=&&y")).body,
            primary.get(feed_path(feed, "?limit=2")).body);
  EXPECT_THAT(primary.post("/v1/feeds?dryRun=1&limit=0"), HasStatus(201));
  EXPECT_EQ(primary.get(feed_path(feed, "?")).body, primary.get(feed_path(feed)).body);
  // Names and values are decoded once.
  EXPECT_EQ(primary.get(feed_path(feed, "?l%69mit=%32")).body,
            primary.get(feed_path(feed, "?limit=2")).body);
}

}  // namespace
}  // namespace feeds::test
