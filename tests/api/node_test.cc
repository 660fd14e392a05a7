#include <set>

#include "tests/api/fixture.h"
#include "tests/support/eventually.h"

namespace feeds::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class NodeRoutes : public ApiTest {
 protected:
  static std::set<std::string> members(const json::value& object) {
    std::set<std::string> result;
    for (const auto& member : object.as_object()) result.insert(std::string(member.key()));
    return result;
  }
  // The primary's view of its replica is as old as the last heartbeat.
  json::value cluster_with_tailing_peer() {
    json::value cluster;
    EXPECT_TRUE(eventually([&] {
      cluster = parse(primary.get("/v1/cluster"));
      const json::array& peers = cluster.at("peers").as_array();
      return peers.size() == 1 && peers[0].at("state") == json::value("tail") &&
             peers[0].at("lagMs") == json::value(0);
    })) << cluster;
    return cluster;
  }
};

TEST_F(NodeRoutes, Health_AndReadiness) {
  from_replica("GET", "/v1/users?limit=1");
  for (Api* node : {&primary, &replica}) {
    EXPECT_THAT(node->get("/healthz"), HasStatus(200));
    EXPECT_TRUE(eventually([&] { return node->get("/readyz").status == 200; }));
  }
}

TEST_F(NodeRoutes, Cluster_HasItsShape) {
  const std::set<std::string> expected = {"role",     "clusterId", "nodeId", "epoch",
                                          "position", "head",      "lagMs",  "advertise",
                                          "primary",  "state",     "peers"};
  const std::string now = path("1-", position());
  from_replica("GET", "/v1/users?limit=1");
  const json::value here = cluster_with_tailing_peer();
  EXPECT_EQ(members(here), expected);
  EXPECT_EQ(here.at("role"), json::value("primary"));
  EXPECT_EQ(here.at("epoch"), json::value(1));
  EXPECT_EQ(here.at("position"), json::value(now));
  EXPECT_EQ(here.at("head"), json::value(now));
  EXPECT_EQ(here.at("lagMs"), json::value(0));
  EXPECT_EQ(here.at("advertise"), json::value(primary.address()));
  EXPECT_EQ(here.at("primary"), json::value(primary.address()));
  EXPECT_EQ(here.at("state"), json::value("serving"));
  const json::value peer = here.at("peers").at(0);
  EXPECT_EQ(members(peer), (std::set<std::string>{"nodeId", "advertise", "connected", "position",
                                                  "lagMs", "lagSequences", "state"}));
  EXPECT_EQ(peer.at("advertise"), json::value(replica.address()));
  EXPECT_EQ(peer.at("connected"), json::value(true));
  EXPECT_EQ(peer.at("position"), json::value(now));
  EXPECT_EQ(peer.at("lagSequences"), json::value(0));
  const json::value there = parse(replica.get("/v1/cluster"));
  EXPECT_EQ(members(there), expected);
  EXPECT_EQ(there.at("role"), json::value("replica"));
  EXPECT_EQ(there.at("epoch"), json::value(1));
  EXPECT_EQ(there.at("clusterId"), here.at("clusterId"));
  EXPECT_EQ(there.at("nodeId"), peer.at("nodeId"));
  EXPECT_NE(there.at("nodeId"), here.at("nodeId"));
  EXPECT_EQ(there.at("position"), json::value(now));
  EXPECT_EQ(there.at("primary"), json::value(primary.address()));
  EXPECT_EQ(there.at("state"), json::value("tail"));
  EXPECT_TRUE(there.at("peers").as_array().empty());
}

TEST_F(NodeRoutes, Metrics_HaveTheirNames) {
  primary.publish(primary.new_feed(), "x");
  from_replica("GET", "/v1/users?limit=1");
  const auto names_of = [](Api& node) {
    const RawReply reply = node.get("/metrics");
    EXPECT_THAT(reply, HasStatus(200));
    EXPECT_THAT(reply.header("Content-Type").value_or(""), HasSubstr("text/plain"));
    std::set<std::string> result;
    std::istringstream lines(reply.body);
    for (std::string line; std::getline(lines, line);) {
      if (!line.empty() && line[0] != '#') result.insert(line.substr(0, line.find_first_of("{ ")));
    }
    return result;
  };
  const std::set<std::string> here = names_of(primary);
  for (const char* name :
       {"feeds_applied_sequence", "feeds_durable_sequence", "feeds_commit_groups_total",
        "feeds_commit_group_commands_bucket", "feeds_commit_group_commands_count",
        "feeds_commit_seconds_bucket", "feeds_http_requests_total",
        "feeds_http_request_seconds_bucket", "feeds_waiting_reads", "feeds_open_connections"}) {
    EXPECT_THAT(here, testing::Contains(name));
  }
  // Its lag is known once it was level with a head that it was told.
  EXPECT_TRUE(eventually([&] { return names_of(replica).contains("feeds_lag_seconds"); }));
  const std::set<std::string> there = names_of(replica);
  for (const char* name : {"feeds_applied_sequence", "feeds_lag_seconds", "feeds_lag_sequences",
                           "feeds_replication_connected", "feeds_resync_total",
                           "feeds_http_requests_total", "feeds_open_connections"}) {
    EXPECT_THAT(there, testing::Contains(name));
  }
  // A client cannot make series of its own.
  for (int i = 0; i < 20; ++i) primary.get("/v1/nothing/" + std::to_string(i));
  EXPECT_EQ(primary.get("/metrics").body.find("nothing"), std::string::npos);
  const RawReply odd = primary.request("ODDMETHOD", "/v1/feeds");
  EXPECT_EQ(odd.status, 405);
  EXPECT_EQ(primary.get("/metrics").body.find("ODDMETHOD"), std::string::npos);
}

class Digest : public ApiTest {
 protected:
  static std::string at(std::uint64_t sequence, const std::string& more = {}) {
    return path("/v1/digest?position=1-", sequence, more);
  }
};

TEST_F(Digest, IsEqualOnBothNodes_AtOnePosition) {
  primary.publish(primary.new_feed(), "x");
  const std::uint64_t now = position();
  from_replica("GET", "/v1/users?limit=1");
  const RawReply here = primary.get(at(now));
  const RawReply there = replica.get(at(now));
  ASSERT_THAT(here, HasStatus(200));
  EXPECT_EQ(here.body, there.body);
  const json::value digest = parse(here);
  EXPECT_EQ(digest.at("position"), json::value(path("1-", now)));
  EXPECT_EQ(here.header("Feeds-Position"), path("1-", now));
  EXPECT_GT(digest.at("spaces").as_object().size(), 3U);
  for (const auto& [name, content] : digest.at("spaces").as_object()) {
    EXPECT_TRUE(content.at("rows").is_number()) << name;
    EXPECT_FALSE(content.at("digest").as_string().empty()) << name;
    // The rows of a space, a few at a time, are as many as were counted.
    std::uint64_t rows = 0;
    std::string from;
    for (int steps = 0; steps < 100'000; ++steps) {
      const std::string target = at(now, "&space=" + std::string(name) + "&limit=100" +
                                             (from.empty() ? "" : "&from=" + from));
      const RawReply chunk = primary.get(target);
      ASSERT_THAT(chunk, HasStatus(200)) << target;
      const json::value part = parse(chunk);
      rows += part.at("rows").to_number<std::uint64_t>();
      if (part.at("next").is_null()) break;
      from = std::string(part.at("next").as_string());
    }
    EXPECT_EQ(rows, content.at("rows").to_number<std::uint64_t>()) << name;
  }
  primary.new_feed();
  EXPECT_EQ(primary.get(at(now)).body, here.body) << "a pin holds";
  EXPECT_NE(primary.get(at(position())).body, here.body);
}

TEST_F(Digest, Passed_Is404_NotReached_Is503) {
  primary.new_feed();
  EXPECT_THAT(primary.get(at(1)), IsProblem(Code::kPositionPassed));
  EXPECT_THAT(replica.get(at(1)), IsProblem(Code::kPositionPassed));
  EXPECT_THAT(primary.get(at(position() + 1'000'000)), IsProblem(Code::kPositionNotReached));
  EXPECT_THAT(replica.get(at(position() + 1'000'000)), IsProblem(Code::kPositionNotReached));
}

TEST_F(Digest, Parameters_AreChecked) {
  const std::uint64_t now = position();
  for (const char* bad : {"", "abc", "1", "1-", "1-01", "1--1", "1-99999999999999999999"}) {
    EXPECT_THAT(primary.get(std::string("/v1/digest?position=") + bad),
                IsProblem(Code::kBadParameter, "position"))
        << bad;
  }
  EXPECT_THAT(primary.get(at(now, "&space=nothing")), IsProblem(Code::kBadParameter, "space"));
  for (const char* bad : {"0", "-1", "abc", "", "99999999999999999999"}) {
    EXPECT_THAT(primary.get(at(now, std::string("&space=feeds&limit=") + bad)),
                IsProblem(Code::kBadParameter, "limit"))
        << bad;
  }
  for (const char* bad : {"xyz", "0", "0g"}) {
    EXPECT_THAT(primary.get(at(now, std::string("&space=feeds&from=") + bad)),
                IsProblem(Code::kBadParameter, "from"))
        << bad;
  }
}

// On a node of its own: pins last.
TEST(DigestPins, AreBounded) {
  const auto node = Node::primary();
  Api api(node->http());
  std::map<int, int> statuses;
  for (int i = 0; i < 30; ++i) {
    api.new_feed();
    ++statuses[api.get("/v1/digest").status];
  }
  EXPECT_GE(statuses[200], 8);
  EXPECT_EQ(statuses[200] + statuses[503], 30);
}

}  // namespace
}  // namespace feeds::test
