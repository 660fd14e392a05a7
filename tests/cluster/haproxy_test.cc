// The load balancer's very configuration, in front of three real nodes.
#include <gtest/gtest.h>

#include "tests/cluster/load.h"

namespace feeds::test {
namespace {

using namespace std::chrono_literals;

class Haproxy : public testing::Test {
 protected:
  void SetUp() override {
    cluster_.start_replica();
    cluster_.start_replica();
    feed_ = make_feed(cluster_.primary());
    user_ = created_id(cluster_.primary().post("/v1/users"));
    ASSERT_TRUE(cluster_.level());
    for (std::size_t i = 0; i < 2; ++i) {
      ASSERT_TRUE(eventually([&] { return cluster_.replica(i).get("/readyz").status == 200; }));
    }
    address_ = free_address();
    proxy_ = std::make_unique<Process>(
        Process::Options{{FEEDS_HAPROXY, "-f", FEEDS_HAPROXY_CONFIG, "-db"},
                         cluster_.path() / "haproxy.log",
                         {"FEEDS_BIND=" + address_, "FEEDS_PRIMARY=" + cluster_.primary().http(),
                          "FEEDS_REPLICA1=" + cluster_.replica(0).http(),
                          "FEEDS_REPLICA2=" + cluster_.replica(1).http()}});
    client_ = std::make_unique<HttpClient>(address_);
    ASSERT_TRUE(eventually([&] { return client_->get("/healthz").status == 200; }))
        << proxy_->output();
    // Nodes are taken as up from the start; wait until each was looked at.
    ASSERT_TRUE(eventually([&] { return checks(0) > 1 && checks(1) > 1; }));
  }

  std::string target() const { return "/v1/feeds/" + std::to_string(feed_); }
  double count(TestNode& node, const std::string& route, int code) {
    return node
        .metric("feeds_http_requests_total{route=\"" + route + "\",code=\"" + std::to_string(code) +
                "\"}")
        .value_or(0);
  }
  double checks(std::size_t replica) { return count(cluster_.replica(replica), "/readyz", 200); }
  double pages(TestNode& node) { return count(node, "/v1/feeds/{feedId}", 200); }
  double consumed(TestNode& node) { return count(node, "/v1/users/{userId}/consumeFeeds", 200); }

  TestCluster cluster_;
  std::uint64_t feed_ = 0;
  std::uint64_t user_ = 0;
  std::string address_;
  std::unique_ptr<Process> proxy_;
  std::unique_ptr<HttpClient> client_;
};

TEST_F(Haproxy, WritesReachThePrimary_ReadsAreSpreadOverReplicas) {
  for (int i = 0; i < 40; ++i) {
    const auto written = client_->post(target(), "text " + std::to_string(i));
    ASSERT_EQ(written.status, 201) << written.body;
    const auto read = client_->get(
        target(), {{"Feeds-Min-Position", written.position()}, {"Feeds-Wait-Ms", "20000"}});
    ASSERT_EQ(read.status, 200) << read.body;
    ASSERT_NE(read.body.find("text " + std::to_string(i) + "\""), std::string::npos);
    // Three reads a round, so that a strict alternation brings each kind to each replica.
    ASSERT_EQ(client_->get(target()).status, 200);
    ASSERT_EQ(client_->post("/v1/users/" + std::to_string(user_) + "/consumeFeeds").status, 200);
  }
  EXPECT_EQ(pages(cluster_.primary()), 0);
  EXPECT_EQ(consumed(cluster_.primary()), 0);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_GE(pages(cluster_.replica(i)), 10) << "replica " << i;
    EXPECT_GE(consumed(cluster_.replica(i)), 10) << "replica " << i;
    EXPECT_EQ(count(cluster_.replica(i), "/v1/feeds/{feedId}", 307), 0);
  }
  EXPECT_EQ(client_->ask("DELETE", target(), "", {}).status, 204);
  EXPECT_EQ(client_->ask("HEAD", "/v1/feeds", "", {}).status, 200);
}

TEST_F(Haproxy, DeadReplica_GetsNoReads) {
  cluster_.replica(0).kill();
  // From the first moment on nobody sees it: a read that cannot connect is sent to another.
  const auto before = pages(cluster_.replica(1));
  for (int i = 0; i < 50; ++i) ASSERT_EQ(client_->get(target()).status, 200);
  EXPECT_EQ(pages(cluster_.replica(1)), before + 50);

  // Back, it is used again.
  ASSERT_TRUE(cluster_.replica(0).start());
  ASSERT_TRUE(eventually(
      [&] { return client_->get(target()).status == 200 && pages(cluster_.replica(0)) > 0; }));
}

TEST_F(Haproxy, ReplicaThatIsNotReady_GetsNoReadsUntilItIs) {
  // Cut off from the primary: alive, but behind. Its lag passes the limit after some seconds.
  auto& replica = cluster_.replica(0);
  ASSERT_EQ(replica.stop(), 0);
  Proxy link(cluster_.primary().replication());
  replica.set_source(link.address());
  replica.settings()["replication.max_lag"] = "500ms";
  ASSERT_TRUE(replica.start());
  ASSERT_TRUE(
      eventually([&] { return client_->get(target()).status == 200 && pages(replica) > 0; }));
  link.cut(true);
  ASSERT_TRUE(eventually([&] { return count(replica, "/readyz", 503) >= 3; }));
  const auto before = pages(replica);
  for (int i = 0; i < 30; ++i) ASSERT_EQ(client_->get(target()).status, 200);
  EXPECT_EQ(pages(replica), before);
  EXPECT_EQ(replica.get("/healthz").status, 200);
  link.resume();
  ASSERT_TRUE(
      eventually([&] { return client_->get(target()).status == 200 && pages(replica) > before; }));
}

TEST_F(Haproxy, WithoutReplicas_ThePrimaryServesReads) {
  cluster_.replica(0).kill();
  cluster_.replica(1).kill();
  ASSERT_TRUE(eventually([&] { return client_->get(target()).status == 200; }));
  EXPECT_GT(pages(cluster_.primary()), 0);
}

TEST_F(Haproxy, WithoutThePrimary_ReadsGoOnAndWritesSayWhy) {
  cluster_.primary().kill();
  EXPECT_EQ(client_->get(target()).status, 200);
  const auto write = client_->post(target(), "x");
  EXPECT_EQ(write.status, 503);
  EXPECT_EQ(write.code(), "no_primary");
  EXPECT_NE(write.header("retry-after"), "");
  ASSERT_TRUE(cluster_.primary().start());
  EXPECT_TRUE(eventually([&] { return client_->post(target(), "y").status == 201; }));
}

}  // namespace
}  // namespace feeds::test
