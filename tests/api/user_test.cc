#include "tests/api/bulk.h"
#include "tests/api/fixture.h"

namespace feeds::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Users : public ApiTest {
 protected:
  RawReply subscribe(std::uint64_t to) { return primary.post(subscribe_path(user, to)); }
  RawReply unsubscribe(const std::string& from) {
    return primary.post(user_path(user, "/unsubscribe?feedId=" + from));
  }
  RawReply unsubscribe(std::uint64_t from) { return unsubscribe(std::to_string(from)); }
  std::string user_with(const std::string& feeds) const {
    return path("{\"id\":", user, ",\"feeds\":{" + feeds + "}}");
  }
  static std::string entry(std::uint64_t feed, std::uint64_t id) {
    return path("\"", feed, "\":" + std::to_string(id));
  }

  std::uint64_t user = primary.new_user();
  std::uint64_t feed = primary.new_feed();
};

TEST_F(Users, Creation_TakesNoBodyOrAnEmptyObject) {
  const RawReply made = primary.post("/v1/users");
  EXPECT_THAT(made, HasStatus(201));
  EXPECT_EQ(made.body, path("{\"id\":", user + 1, ",\"feeds\":{}}"));
  EXPECT_EQ(made.header("Location"), user_path(user + 1));
  EXPECT_EQ(made.header("Content-Type"), "application/json");
  EXPECT_EQ(both(user_path(user + 1)).body, made.body);
  EXPECT_THAT(primary.post_json("/v1/users", "{ }"), HasStatus(201));
  EXPECT_THAT(primary.post_json("/v1/users", ""), HasStatus(201));
  EXPECT_THAT(primary.post_json("/v1/users", R"({"name":"x"})"),
              IsProblem(Code::kUnknownMember, "name"));
  EXPECT_THAT(primary.post_json("/v1/users", R"({"id":1})"), IsProblem(Code::kUnknownMember, "id"));
  EXPECT_EQ(primary.post_json("/v1/users", "[]").status, 400);
  EXPECT_EQ(primary.new_user(), user + 4) << "refused creations take no id";
}

TEST_F(Users, Unknown_Is404) {
  EXPECT_THAT(both("/v1/users/999999999"), IsProblem(Code::kNoSuchUser, "999999999"));
  EXPECT_THAT(primary.post("/v1/users/999999999/subscribe?feedId=" + std::to_string(feed)),
              IsProblem(Code::kNoSuchUser, "999999999"));
  EXPECT_THAT(primary.post("/v1/users/999999999/unsubscribe?feedId=1"),
              IsProblem(Code::kNoSuchUser, "999999999"));
  EXPECT_THAT(both("POST", "/v1/users/999999999/consumeFeeds"),
              IsProblem(Code::kNoSuchUser, "999999999"));
}

TEST_F(Users, Subscribe_RecordsTheNewestArticle_Once) {
  RawReply reply = subscribe(feed);
  EXPECT_THAT(reply, HasStatus(200));
  EXPECT_EQ(reply.body, user_with(entry(feed, 10000))) << "the first id, as the feed is empty";
  const std::uint64_t other = primary.new_feed();
  for (int i = 0; i < 3; ++i) primary.publish(other, "x");
  reply = subscribe(other);
  EXPECT_EQ(reply.body, user_with(entry(feed, 10000) + "," + entry(other, 10002)));
  primary.publish(other, "x");
  primary.publish(feed, "x");
  reply = subscribe(other);
  EXPECT_THAT(reply, HasStatus(200));
  EXPECT_EQ(reply.body, user_with(entry(feed, 10000) + "," + entry(other, 10002)));
  EXPECT_GT(sequence(reply), 0U);
  EXPECT_EQ(both(user_path(user)).body, reply.body);
  EXPECT_THAT(unsubscribe(other), HasStatus(200));
  EXPECT_EQ(subscribe(other).body, user_with(entry(feed, 10000) + "," + entry(other, 10003)));
}

TEST_F(Users, Unsubscribe_IsIdempotent) {
  subscribe(feed);
  EXPECT_EQ(unsubscribe(feed).body, user_with(""));
  const std::uint64_t before = position();
  for (const std::uint64_t id :
       {feed, std::uint64_t{1}, std::uint64_t{999'999'999}, std::uint64_t{INT64_MAX}}) {
    const RawReply again = unsubscribe(id);
    EXPECT_THAT(again, HasStatus(200)) << id;
    EXPECT_EQ(again.body, user_with(""));
    EXPECT_EQ(sequence(again), before) << "nothing was written";
  }
  EXPECT_EQ(both(user_path(user)).body, user_with(""));
}

TEST_F(Users, DeletedFeed_StaysUntilUnsubscribed) {
  subscribe(feed);
  EXPECT_THAT(primary.del(feed_path(feed)), HasStatus(204));
  EXPECT_EQ(both(user_path(user)).body, user_with(entry(feed, 10000)));
  EXPECT_EQ(unsubscribe(feed).body, user_with(""));
  EXPECT_THAT(subscribe(feed), IsProblem(Code::kNoSuchFeed, std::to_string(feed)));
}

TEST_F(Users, FeedId_IsRequiredAndCanonical) {
  const std::string id = std::to_string(feed);
  const std::uint64_t before = position();
  for (const char* action : {"/subscribe", "/unsubscribe"}) {
    EXPECT_THAT(primary.post(user_path(user, action)),
                IsProblem(Code::kMissingParameter, "feedId"));
    EXPECT_THAT(primary.post(user_path(user, std::string(action) + "?feedid=" + id)),
                IsProblem(Code::kMissingParameter, "feedId"));
    for (const std::string& bad :
         {std::string(), "+" + id, "%2B" + id, "0" + id, id + ".0", std::string("abc"),
          std::string("-1"), std::string("99999999999999999999"), id + "%20"}) {
      EXPECT_THAT(primary.post(user_path(user, std::string(action) + "?feedId=" + bad)),
                  IsProblem(Code::kBadParameter, "feedId"))
          << bad;
    }
    // Syntax is judged before existence.
    EXPECT_THAT(primary.post(std::string("/v1/users/1") + action + "?feedId=abc"),
                IsProblem(Code::kBadParameter, "feedId"));
  }
  EXPECT_THAT(primary.post(user_path(user, "/subscribe?feedId=999999999")),
              IsProblem(Code::kNoSuchFeed, "999999999"));
  EXPECT_EQ(position(), before);
}

TEST_F(Users, FeedsOfAUser_AreInNumericOrder) {
  const auto node = Node::primary({"--db-counters", "/feeds=9998"});
  Api api(node->http());
  for (int i = 0; i < 4; ++i) api.new_feed();
  const std::uint64_t reader = api.new_user();
  for (const std::uint64_t id : {10001, 9999, 10000, 9998}) api.subscribe(reader, id);
  EXPECT_EQ(api.get(user_path(reader)).body,
            R"({"id":10000,"feeds":{"9998":10000,"9999":10000,"10000":10000,"10001":10000}})");
}

TEST(Subscriptions, Over10000_Are409) {
  const auto node = Node::primary();
  Api api(node->http());
  constexpr std::uint64_t kMost = 10'000;
  send_many(
      node->http(), kMost + 1, [](std::size_t) { return request_text("POST", "/v1/feeds"); }, 201);
  const std::uint64_t user = api.new_user();
  // Of a user with many subscriptions each reply is long: so each is asked for one at a time at the
  // end only.
  send_many(
      node->http(), kMost - 1,
      [&](std::size_t i) { return request_text("POST", subscribe_path(user, 10000 + i)); }, 200);
  api.subscribe(user, 10000 + kMost - 1);
  const std::uint64_t before = sequence(api.get("/v1/users?limit=1"));
  const RawReply refused = api.post(subscribe_path(user, 10000 + kMost));
  EXPECT_THAT(refused, IsProblem(Code::kTooManySubscriptions, "10000"));
  EXPECT_EQ(sequence(refused), before);
  // One that is there already is no more.
  EXPECT_THAT(api.post(subscribe_path(user, 10000)), HasStatus(200));
  EXPECT_EQ(parse(api.get(user_path(user))).at("feeds").as_object().size(), kMost);
  EXPECT_THAT(parse(api.post(user_path(user, "/consumeFeeds"))).as_array(), testing::SizeIs(kMost));
  EXPECT_THAT(api.post(user_path(user, "/unsubscribe?feedId=10000")), HasStatus(200));
  EXPECT_THAT(api.post(subscribe_path(user, 10000 + kMost)), HasStatus(200));
}

}  // namespace
}  // namespace feeds::test
