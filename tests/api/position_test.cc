#include "common/base/limits.h"
#include "tests/api/fixture.h"
#include "tests/support/eventually.h"

namespace feeds::test {
namespace {

using namespace std::chrono_literals;

class Positions : public ApiTest {
 protected:
  static std::string at_least(const std::string& position, const std::string& wait = {}) {
    return "Feeds-Min-Position: " + position + "\r\n" +
           (wait.empty() ? "" : "Feeds-Wait-Ms: " + wait + "\r\n");
  }
  static std::string text(std::uint64_t sequence) { return path("1-", sequence); }

  std::vector<std::string> reads() {
    return {feed_path(feed), feed_path(feed, "?startId=10000"),
            "/v1/feeds",     "/v1/feeds?limit=1",
            "/v1/users",     user_path(user),
            "/v1/counters",  "/v1/counters?limit=1"};
  }

  std::uint64_t feed = primary.new_feed();
  std::uint64_t user = primary.new_user();
};

TEST_F(Positions, OfWrites_Rise_AndOfReads_AreTheirSnapshots) {
  std::uint64_t last = position();
  const std::vector<std::function<RawReply()>> writes = {
      [&] { return primary.post("/v1/feeds"); },
      [&] { return primary.post("/v1/users"); },
      [&] { return primary.post(feed_path(feed), "x"); },
      [&] { return primary.patch_json(feed_path(feed), R"({"extraData":1})"); },
      [&] { return primary.post(subscribe_path(user, feed)); },
      [&] { return primary.post(user_path(user, path("/unsubscribe?feedId=", feed))); },
      [&] { return primary.del(feed_path(primary.new_feed())); },
  };
  for (const auto& write : writes) {
    const RawReply reply = write();
    EXPECT_GT(sequence(reply), last);
    last = sequence(reply);
    for (const std::string& target : reads()) {
      EXPECT_EQ(sequence(primary.get(target)), last) << target;
    }
  }
  EXPECT_EQ(sequence(primary.post(user_path(user, "/consumeFeeds"))), last);
}

TEST_F(Positions, AreAbsentWhereTheStoreWasNotAsked) {
  for (Api* node : {&primary, &replica}) {
    for (const char* target :
         {"/healthz", "/readyz", "/metrics", "/v1/nothing", "/v1/feeds/abc", "/v1/feeds?limit=0"}) {
      EXPECT_EQ(node->get(target).header("Feeds-Position"), std::nullopt) << target;
    }
    EXPECT_EQ(node->request("OPTIONS", "/v1/feeds").header("Feeds-Position"), std::nullopt);
    EXPECT_EQ(node->request("PUT", "/v1/feeds").header("Feeds-Position"), std::nullopt);
  }
  EXPECT_EQ(primary.post_json("/v1/feeds", "{").header("Feeds-Position"), std::nullopt);
  EXPECT_EQ(replica.post("/v1/feeds").header("Feeds-Position"), std::nullopt);
}

// A command that fails or changes nothing tells the position at which it was judged.
TEST_F(Positions, OfRefusedWrites_AreWhereTheyWereJudged) {
  primary.subscribe(user, feed);
  const std::uint64_t now = position();
  for (const RawReply& reply :
       {primary.post(subscribe_path(user, feed)), primary.post(subscribe_path(user, 1)),
        primary.del(feed_path(1)), primary.post(feed_path(1), "x"),
        primary.patch_json(feed_path(1), R"({"extraData":1})"),
        primary.post(user_path(1, "/unsubscribe?feedId=1")),
        primary.post(user_path(user, "/unsubscribe?feedId=1"))}) {
    EXPECT_EQ(sequence(reply), now);
  }
  EXPECT_EQ(position(), now);
}

TEST_F(Positions, MinPosition_ThatIsReached_IsAnswered) {
  const std::string now = text(position());
  for (const std::string& target : reads()) {
    EXPECT_THAT(primary.get(target, at_least(now)), HasStatus(200)) << target;
    EXPECT_THAT(primary.get(target, at_least("1-0", "0")), HasStatus(200)) << target;
    EXPECT_THAT(replica.get(target, at_least(now, "30000")), HasStatus(200)) << target;
  }
  EXPECT_THAT(primary.post(user_path(user, "/consumeFeeds"), "", at_least(now)), HasStatus(200));
  EXPECT_THAT(replica.post(user_path(user, "/consumeFeeds"), "", at_least(now, "30000")),
              HasStatus(200));
}

TEST_F(Positions, PastThePrimarys_AreLost) {
  const std::string past = text(position() + 1'000'000);
  for (const std::string& target : reads()) {
    const RawReply refused = primary.get(target, at_least(past));
    EXPECT_THAT(refused, IsProblem(Code::kPositionLost)) << target;
    EXPECT_GT(sequence(refused), 0U);
  }
  EXPECT_THAT(primary.post(user_path(user, "/consumeFeeds"), "", at_least(past)),
              IsProblem(Code::kPositionLost));
  EXPECT_THAT(primary.get("/v1/users", at_least("1-9223372036854775807")),
              IsProblem(Code::kPositionLost));
}

TEST_F(Positions, PastAReplicas_AreBehindAfterTheWait) {
  const std::string past = text(position() + 1'000'000);
  for (const std::string& target : reads()) {
    const RawReply refused = replica.get(target, at_least(past, "0"));
    EXPECT_THAT(refused, IsProblem(Code::kReplicaBehind)) << target;
    EXPECT_GT(sequence(refused), 0U);
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(replica.get("/v1/users", at_least(past, "300")), IsProblem(Code::kReplicaBehind));
  EXPECT_GE(std::chrono::steady_clock::now() - start, 290ms);
  EXPECT_THAT(replica.post(user_path(user, "/consumeFeeds"), "", at_least(past, "1")),
              IsProblem(Code::kReplicaBehind));
  // The body has been read, so the connection goes on.
  EXPECT_THAT(replica.get("/healthz"), HasStatus(200));
}

TEST_F(Positions, WaitingRead_IsAnsweredWhenThePositionComes) {
  const std::uint64_t now = sequence(from_replica("GET", "/v1/users?limit=1"));
  RawClient waiting(replica.address());
  // An article more takes at least one entry.
  waiting.send(request_text("GET", feed_path(feed), {}, at_least(text(now + 1), "30000")));
  EXPECT_FALSE(waiting.readable_within(50ms));
  primary.publish(feed, "news");
  const RawReply reply = waiting.reply();
  EXPECT_THAT(reply, HasStatus(200));
  EXPECT_GT(sequence(reply), now);
  EXPECT_THAT(article_ids(reply), testing::ElementsAre(10000));
}

// The requests behind a waiting one are answered after it; a client that goes away is no trouble.
TEST_F(Positions, WaitingReads_KeepTheOrder_AndMayBeAbandoned) {
  const std::string past = text(position() + 1'000'000);
  RawClient client(replica.address());
  client.send(request_text("GET", "/v1/users", {}, at_least(past, "200")) +
              request_text("GET", "/healthz"));
  EXPECT_THAT(client.reply(), IsProblem(Code::kReplicaBehind));
  EXPECT_THAT(client.reply(), HasStatus(200));
  for (int i = 0; i < 50; ++i) {
    RawClient gone(replica.address());
    gone.send(request_text("GET", "/v1/users", {}, at_least(past, "500")));
    if (i % 2) gone.reset();
  }
  EXPECT_THAT(replica.get("/healthz"), HasStatus(200));
}

// All are due at once, and nobody takes the large replies.
TEST_F(Positions, WaitingReads_AreWithinTheBoundOfWhatIsHeld) {
  const std::string text_of_page(limits::kPageBytes / 9, 'x');
  for (int i = 0; i < 9; ++i) primary.publish(feed, text_of_page);
  const std::uint64_t now = sequence(from_replica("GET", "/v1/users?limit=1"));
  const std::size_t many = 2 * limits::kHeldBytes / limits::kPageBytes;
  std::vector<RawClient> waiting;
  for (std::size_t i = 0; i < many; ++i) {
    waiting.emplace_back(replica.address(), 4096)
        .send(request_text("GET", feed_path(feed), {}, at_least(text(now + 1), "30000")));
  }
  const std::string all_wait = "\nfeeds_waiting_reads " + std::to_string(many) + "\n";
  const auto metrics = [&] { return replica.get("/metrics").body; };
  ASSERT_TRUE(eventually([&] { return metrics().find(all_wait) != std::string::npos; }));
  primary.new_user();
  for (auto& client : waiting) ASSERT_TRUE(client.readable_within(kPatience));
  std::size_t served = 0;
  for (auto& client : waiting) {
    const RawReply head = client.reply(true);
    EXPECT_GT(sequence(head), now);
    EXPECT_TRUE(head.status == 200 || head.status == 503) << head.status;
    if (head.status == 200) ++served;
  }
  EXPECT_GT(served, 0U);
  EXPECT_LT(served, many * 3 / 4);
}

TEST_F(Positions, MalformedHeaders_Are400) {
  for (Api* node : {&primary, &replica}) {
    for (const char* bad : {"", "abc", "1", "1-", "-1", "1--1", "1-01", "01-1", "+1-1", "1-+1",
                            "1-1-1", "1 - 1", "1-1.0", "1_1", "1-99999999999999999999",
                            "99999999999999999999-1", "1-0x1", "\"1-1\"", "1-1,1-2"}) {
      for (const std::string& target :
           {feed_path(feed), std::string("/v1/feeds"), std::string("/v1/counters?limit=1")}) {
        EXPECT_THAT(node->get(target, at_least(bad)),
                    IsProblem(Code::kBadHeader, "Feeds-Min-Position"))
            << bad;
      }
    }
    for (const char* bad :
         {"-1", "30001", "abc", "1e3", "1.0", "+1", "01", "99999999999999999999", "1 0"}) {
      EXPECT_THAT(node->get("/v1/users", at_least("1-0", bad)),
                  IsProblem(Code::kBadHeader, "Feeds-Wait-Ms"))
          << bad;
    }
    EXPECT_THAT(node->get("/v1/users", "Feeds-Min-Position: 1-0\r\nFeeds-Wait-Ms: \r\n"),
                IsProblem(Code::kBadHeader, "Feeds-Wait-Ms"));
    EXPECT_THAT(node->post(user_path(user, "/consumeFeeds"), "", at_least("x")),
                IsProblem(Code::kBadHeader));
    for (const char* good : {"0", "1", "30000"}) {
      EXPECT_THAT(node->get("/v1/users?limit=1", at_least("1-0", good)), HasStatus(200)) << good;
    }
  }
}

// An epoch that has not begun is no reason to fail in other ways.
TEST_F(Positions, OfAnotherEpoch_AreNotAnsweredAsIfReached) {
  for (Api* node : {&primary, &replica}) {
    const RawReply refused = node->get("/v1/users?limit=1", at_least("2-1", "0"));
    EXPECT_TRUE(refused.status == 409 || refused.status == 503) << testing::PrintToString(refused);
  }
}

}  // namespace
}  // namespace feeds::test
