#include "tools/feedctl/client.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

#include "tests/unit/feedctl/fake_node.h"

namespace feeds::feedctl {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

Client client_of(const std::string& url, std::chrono::milliseconds timeout = 20s) {
  return Client(*parse_url(url), timeout);
}

TEST(ParseUrl, Addresses_AreTakenWithAndWithoutScheme) {
  EXPECT_EQ(parse_url("http://127.0.0.1:8080")->port, "8080");
  EXPECT_EQ(parse_url("http://127.0.0.1:8080/")->text, "http://127.0.0.1:8080");
  EXPECT_EQ(parse_url("localhost:1")->host, "localhost");
  EXPECT_EQ(parse_url("http://example.org")->port, "80");
  EXPECT_EQ(parse_url("http://[::1]:5")->host, "::1");
  EXPECT_EQ(parse_url("http://[::1]")->port, "80");
}

TEST(ParseUrl, OtherTexts_AreRefused) {
  for (const char* text : {"", "http://", "https://a:1", "a", "http://a:b", "http://a:0",
                           "http://a:1/v1", "http://a:1//"}) {
    EXPECT_FALSE(parse_url(text)) << text;
  }
}

TEST(Client, Requests_ShareAConnection) {
  FakeNode node([](const FakeRequest& r) {
    return FakeReply{200, r.method + " " + r.target + " " + r.body, {{"Feeds-Position", "1-2"}}};
  });
  Client client = client_of(node.url());
  const auto first = client.get("/a?b=c");
  ASSERT_TRUE(first) << first.error().detail;
  EXPECT_EQ(first->body, "GET /a?b=c ");
  EXPECT_EQ(first->header("feeds-position"), "1-2");
  EXPECT_EQ(first->header("absent"), std::nullopt);
  const auto second = client.post("/a", "text", "text/plain");
  ASSERT_TRUE(second) << second.error().detail;
  EXPECT_EQ(second->body, "POST /a text");
  EXPECT_EQ(node.connections(), 1u);
}

TEST(Client, GetOnAClosedConnection_IsSentAgain) {
  FakeNode node([](const FakeRequest&) { return FakeReply{.body = "x", .close = true}; });
  Client client = client_of(node.url());
  ASSERT_TRUE(client.get("/"));
  const auto again = client.get("/");
  ASSERT_TRUE(again) << again.error().detail;
  EXPECT_EQ(node.connections(), 2u);
}

TEST(Client, PostWithoutAReply_IsNotSentAgain) {
  std::atomic<int> posts{0};
  FakeNode node([&](const FakeRequest& r) {
    if (r.method == "POST") ++posts;
    return FakeReply{.drop = r.method == "POST"};
  });
  Client client = client_of(node.url());
  ASSERT_TRUE(client.get("/"));
  const auto reply = client.post("/");
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().detail, HasSubstr(node.url()));
  EXPECT_EQ(posts, 1);
}

TEST(Client, SilentNode_IsGivenUpInTime) {
  std::mutex mutex;
  std::condition_variable released;
  bool may_answer = false;
  FakeNode node([&](const FakeRequest&) {
    std::unique_lock lock(mutex);
    released.wait(lock, [&] { return may_answer; });
    return FakeReply{};
  });
  Client client = client_of(node.url(), 50ms);
  const auto reply = client.get("/");
  {
    std::lock_guard lock(mutex);
    may_answer = true;
  }
  released.notify_all();
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().detail, node.url() + ": no answer within 50ms");
}

TEST(Client, NobodyListening_IsNamed) {
  const std::string url = "http://127.0.0.1:1";
  const auto reply = client_of(url).get("/");
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().detail, url + ": Connection refused");
}

TEST(Problems, Code_IsReadFromTheBody) {
  FakeNode node([](const FakeRequest&) { return problem(409, "position_lost"); });
  const auto reply = client_of(node.url()).get("/");
  ASSERT_TRUE(reply);
  EXPECT_EQ(problem_code(*reply), "position_lost");
  EXPECT_EQ(describe_failure(*reply), "409 position_lost: about position_lost");
  EXPECT_EQ(describe_failure({502, "<html>", {}}), "502 <html>");
}

}  // namespace
}  // namespace feeds::feedctl
