// At one position every node gives the same bytes.
#include <gtest/gtest.h>

#include "tests/cluster/load.h"

namespace feeds::test {
namespace {

class Bodies : public testing::Test {
 protected:
  void SetUp() override {
    auto& primary = cluster_.primary();
    const auto filled =
        run_program({program("feedctl"), "populate", "--url", primary.url(), "--feeds", "12",
                     "--articles", "120", "--users", "7", "--text-bytes", "200"});
    ASSERT_EQ(filled.code, 0) << filled.err;
    cluster_.start_replica();
    cluster_.start_replica();
    // After the snapshots, so that replicas hold something by the tail too.
    const auto json = HttpClient::Headers{{"Content-Type", "application/json"}};
    ASSERT_EQ(primary
                  .post("/v1/feeds",
                        R"({"userId":"anna","extraData":{"n":1.0,"e":"\u00e9","n":2}})", json)
                  .status,
              201);
    ASSERT_EQ(
        primary.post("/v1/feeds/10012", R"({"text":"line\n\"quoted\" \u0000 \ud83d\ude00"})", json)
            .status,
        201);
    ASSERT_EQ(primary.post("/v1/feeds/10012", "").status, 201);
    ASSERT_EQ(primary.post("/v1/feeds/10003", std::string(900'000, 'x')).status, 201);
    ASSERT_EQ(primary.post("/v1/users/10000/subscribe?feedId=10012").status, 200);
    ASSERT_EQ(primary.post("/v1/users/10001/unsubscribe?feedId=10000").status, 200);
    ASSERT_EQ(primary.del("/v1/feeds/10007").status, 204);
    ASSERT_TRUE(cluster_.level());
  }
  TestCluster cluster_;
};

TEST_F(Bodies, OfEveryReadRoute_AreTheSameOnAllNodes) {
  const std::vector<std::pair<std::string, std::string>> reads = {
      {"GET", "/v1/feeds"},
      {"GET", "/v1/feeds/"},
      {"GET", "/v1/feeds?limit=5"},
      {"GET", "/v1/feeds?limit=5&after=10006"},
      {"GET", "/v1/feeds?limit=1000&after=10099"},
      {"GET", "/v1/feeds/10000"},
      {"GET", "/v1/feeds/10000?limit=3"},
      {"GET", "/v1/feeds/10000?startId=10000&limit=1000"},
      {"GET", "/v1/feeds/10000?startId=10119"},
      {"GET", "/v1/feeds/10000?startId=10120"},
      {"GET", "/v1/feeds/10003"},
      {"GET", "/v1/feeds/10007"},
      {"GET", "/v1/feeds/10012"},
      {"GET", "/v1/feeds/99999"},
      {"GET", "/v1/feeds/x"},
      {"GET", "/v1/feeds/10000?limit=0"},
      {"GET", "/v1/users"},
      {"GET", "/v1/users?limit=2"},
      {"GET", "/v1/users?limit=2&after=10003"},
      {"GET", "/v1/users/10000"},
      {"GET", "/v1/users/10001"},
      {"GET", "/v1/users/99999"},
      {"GET", "/v1/counters"},
      {"GET", "/v1/counters?limit=4"},
      {"GET", "/v1/counters?limit=4&after=/articles/10001"},
      {"GET", "/v1/nothing"},
      {"POST", "/v1/users/10000/consumeFeeds"},
      {"POST", "/v1/users/10006/consumeFeeds"},
      {"POST", "/v1/users/99999/consumeFeeds"},
  };
  for (const auto& [method, target] : reads) {
    auto one = cluster_.primary().client();
    const auto right = one->ask(method, target, "", {});
    ASSERT_NE(right.status, 0) << target;
    for (std::size_t i = 0; i < cluster_.size(); ++i) {
      auto other = cluster_.replica(i).client();
      const auto reply = other->ask(method, target, "", {});
      EXPECT_EQ(reply.status, right.status) << target;
      EXPECT_TRUE(reply.body == right.body) << target << "\n"
                                            << right.body.substr(0, 300) << "\n"
                                            << reply.body.substr(0, 300);
      for (const auto* header :
           {"feeds-position", "content-type", "link", "transfer-encoding", "content-length"}) {
        EXPECT_EQ(reply.header(header), right.header(header)) << target;
      }
    }
  }
}

TEST_F(Bodies, OfConsumeFeedsWithABody_AreTheSameOnAllNodes) {
  for (const auto* body :
       {"{}", R"({"10000":10050})", R"({"10011":10000,"10007":10000})", R"({"10000":10120})",
        R"({"99999":10000})", R"({"10000":1})", "[]", "{"}) {
    const auto right = cluster_.primary().post("/v1/users/10002/consumeFeeds", body,
                                               {{"Content-Type", "application/json"}});
    ASSERT_NE(right.status, 0) << body;
    for (std::size_t i = 0; i < cluster_.size(); ++i) {
      const auto reply = cluster_.replica(i).post("/v1/users/10002/consumeFeeds", body,
                                                  {{"Content-Type", "application/json"}});
      EXPECT_EQ(reply.status, right.status) << body;
      EXPECT_TRUE(reply.body == right.body) << body << right.body.substr(0, 300);
    }
  }
}

// While others write, a page and its position still belong together.
TEST_F(Bodies, UnderLoad_AreTheSameAtTheSamePosition) {
  Load load(cluster_.primary().http(), {10000, 10001}, 2);
  load.start();
  std::map<std::string, std::string> seen;  // position -> body
  std::size_t met = 0;
  for (int i = 0; i < 900; ++i) {
    auto& node = i % 3 == 0 ? cluster_.primary() : cluster_.replica(i % 3 - 1);
    const auto reply = node.get("/v1/feeds/10000");
    ASSERT_EQ(reply.status, 200);
    const auto [at, fresh] = seen.emplace(reply.position(), reply.body);
    if (fresh) continue;
    ++met;
    ASSERT_EQ(at->second, reply.body) << reply.position();
  }
  EXPECT_GT(met, 0u);
}

}  // namespace
}  // namespace feeds::test
