#include "tools/feedctl/watch.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "tests/unit/feedctl/fake_node.h"

namespace feeds::feedctl {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kPrimary =
    R"({"role":"primary","clusterId":"c","nodeId":"n0","epoch":1,"position":"1-20","head":"1-20","lagMs":0,)"
    R"("advertise":"127.0.0.1:8080","primary":"127.0.0.1:8080","state":"serving","peers":[)"
    R"({"nodeId":"n1","advertise":"127.0.0.1:8081","connected":true,"position":"1-15","lagMs":120,"lagSequences":5,"state":"tail"},)"
    R"({"nodeId":"n2","advertise":"127.0.0.1:8082","connected":false,"position":"1-3","lagMs":null,"lagSequences":null,"state":"disconnected"}]})";
constexpr const char* kReplica =
    R"({"role":"replica","clusterId":"c","nodeId":"n1","epoch":1,"position":"1-15","head":"1-20","lagMs":1500,)"
    R"("advertise":"127.0.0.1:8081","primary":null,"state":"tail","peers":[]})";

struct Output {
  int code;
  std::string text;
};

Output run(void (*add)(CLI::App&, Action&), std::vector<std::string> arguments) {
  CLI::App app;
  Action action;
  add(app, action);
  std::reverse(arguments.begin(), arguments.end());
  app.parse(arguments);
  ::testing::internal::CaptureStdout();
  const int code = action();
  return {code, ::testing::internal::GetCapturedStdout()};
}

FakeReply cluster_reply(const FakeRequest& request, const char* body) {
  return request.target == "/v1/cluster" ? FakeReply{200, body} : problem(404, "no_such_route");
}

class Watch : public ::testing::Test {
 protected:
  FakeNode primary_{[](const FakeRequest& request) { return cluster_reply(request, kPrimary); }};
  FakeNode replica_{[](const FakeRequest& request) { return cluster_reply(request, kReplica); }};
  const std::string gone_ = "http://127.0.0.1:1";  // nobody listens on that port
};

TEST(ParseCluster, NullAndAbsent_AreUnknown) {
  const auto node = parse_cluster(
      R"({"role":"replica","lagMs":null,"primary":null,"peers":[{"connected":false,"lagMs":null}]})");
  ASSERT_TRUE(node);
  EXPECT_EQ(node->role, "replica");
  EXPECT_EQ(node->lag_ms, std::nullopt);
  EXPECT_EQ(node->primary, std::nullopt);
  EXPECT_EQ(node->position, std::nullopt);
  ASSERT_EQ(node->peers.size(), 1u);
  EXPECT_EQ(node->peers[0].connected, false);
  EXPECT_EQ(node->peers[0].lag_ms, std::nullopt);
  EXPECT_FALSE(parse_cluster("[]"));
  EXPECT_FALSE(parse_cluster("<html>"));
}

TEST_F(Watch, Status_ShowsNodesAndPeers) {
  const auto [code, text] =
      run(add_status, {"status", "--url", primary_.url(), "--url", replica_.url()});
  EXPECT_EQ(code, 0);
  EXPECT_THAT(
      text, ::testing::ContainsRegex("primary +serving +1-20 +1-20 +0 ms +1 of 2 +127.0.0.1:8080"));
  EXPECT_THAT(text, ::testing::ContainsRegex("replica +tail +1-15 +1-20 +1.5 s +- +-"));
  EXPECT_THAT(text, ::testing::ContainsRegex("127.0.0.1:8081 +tail +1-15 +120 ms +5 +n1"));
  EXPECT_THAT(text, ::testing::ContainsRegex("127.0.0.1:8082 +disconnected +1-3 +- +- +n2"));
}

TEST_F(Watch, Lag_ShowsBothEyes) {
  const auto [code, text] = run(add_lag, {"lag", "--url", primary_.url(), replica_.url()});
  EXPECT_EQ(code, 0);
  EXPECT_THAT(text, ::testing::ContainsRegex("to 127.0.0.1:8081 +peer +tail +1-15 +120 ms +5"));
  EXPECT_THAT(text, ::testing::ContainsRegex("replica +tail +1-15 +1.5 s +5"));
  EXPECT_THAT(text, Not(HasSubstr("LATELY")));
}

TEST_F(Watch, UnreachableNode_IsShownAndFails) {
  for (const auto add : {add_status, add_lag}) {
    const auto [code, text] =
        run(add, {add == add_status ? "status" : "lag", "--url", replica_.url(), "--url", gone_});
    EXPECT_EQ(code, 1);
    EXPECT_THAT(text, HasSubstr("replica"));
    EXPECT_THAT(text, ::testing::ContainsRegex(gone_ + " +- +unreachable"));
    EXPECT_THAT(text, HasSubstr(gone_ + ": Connection refused\n"));
  }
}

TEST_F(Watch, Watching_ShowsAHistory) {
  const auto [code, text] = run(
      add_lag, {"lag", "--url", replica_.url(), "--watch", "--count", "3", "--interval", "1ms"});
  EXPECT_EQ(code, 0);
  EXPECT_THAT(text, HasSubstr("LATELY"));
  EXPECT_THAT(text, HasSubstr("███\n"));
}

TEST_F(Watch, JsonOfOneNode_IsItsObject) {
  const auto [code, text] = run(add_status, {"status", "--json", "--url", primary_.url()});
  EXPECT_EQ(code, 0);
  EXPECT_EQ(text, std::string(kPrimary) + "\n");
}

TEST_F(Watch, JsonOfSeveral_IsOneArray) {
  const auto [code, text] = run(
      add_lag, {"lag", "--json", "--url", primary_.url(), "--url", replica_.url(), "--url", gone_});
  EXPECT_EQ(code, 1);
  const boost::json::value value = boost::json::parse(text);
  ASSERT_TRUE(value.is_array());
  ASSERT_EQ(value.get_array().size(), 3u);
  EXPECT_EQ(value.at(0), boost::json::parse(kPrimary));
  EXPECT_EQ(value.at(1), boost::json::parse(kReplica));
  EXPECT_EQ(value.at(2).at("state"), "unreachable");
  EXPECT_EQ(value.at(2).at("url").get_string(), gone_);
  EXPECT_EQ(value.at(2).at("error"), "Connection refused");
}

TEST_F(Watch, NoAddress_IsAWrongCommandLine) {
  CLI::App app;
  Action action;
  add_status(app, action);
  EXPECT_THROW(app.parse("status", false), CLI::RequiredError);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run(add_status, {"status", "--url", "nonsense"}).code, 2);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("nonsense"));
}

}  // namespace
}  // namespace feeds::feedctl
