// feedctl against real nodes.
#include <gtest/gtest.h>

#include "tests/cluster/load.h"

namespace feeds::test {
namespace {

namespace bj = boost::json;
using testing::HasSubstr;

Finished feedctl(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), program("feedctl"));
  return run_program(arguments);
}

std::vector<std::string> texts(TestNode& node, std::uint64_t feed) {
  std::vector<std::string> result;
  auto client = node.client();
  for (const auto& [id, text] : all_articles(*client, feed)) result.push_back(text);
  return result;
}

TEST(CommandLine, UnknownCommand_IsNamed) {
  const auto done = feedctl({"nothing", "--url", "x"});
  EXPECT_EQ(done.code, 2);
  EXPECT_THAT(done.err, HasSubstr("\"nothing\""));
  EXPECT_EQ(feedctl({}).code, 2);
}

TEST(Populate, ByDefault_MakesTheSampleOfTheDesign) {
  TestCluster cluster;
  const auto done = feedctl({"populate", "--url", cluster.primary().url()});
  ASSERT_EQ(done.code, 0) << done.err;
  const auto feeds = bj::parse(cluster.primary().get("/v1/feeds").body).as_array();
  const auto users = bj::parse(cluster.primary().get("/v1/users").body).as_array();
  ASSERT_EQ(feeds.size(), 10u);
  ASSERT_EQ(users.size(), 10u);
  for (std::size_t i = 0; i < feeds.size(); ++i) {
    const auto articles = texts(cluster.primary(), 10000 + i);
    ASSERT_EQ(articles.size(), 256u);
    for (std::size_t j = 0; j < articles.size(); ++j) {
      ASSERT_EQ(articles[j], "f:" + std::to_string(i) + "a:" + std::to_string(j));
    }
  }
  for (const auto& user : users) EXPECT_EQ(user.at("feeds").as_object().size(), 5u);
}

TEST(Populate, WithOptions_MakesWhatWasAsked) {
  TestCluster cluster;
  const auto url = cluster.primary().url();
  const auto done = feedctl({"populate", "--url", url, "--feeds", "3", "--articles", "7", "--users",
                             "2", "--text-bytes", "100"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(bj::parse(cluster.primary().get("/v1/feeds").body).as_array().size(), 3u);
  const auto articles = texts(cluster.primary(), 10002);
  ASSERT_EQ(articles.size(), 7u);
  for (const auto& text : articles) EXPECT_EQ(text.size(), 100u);
  EXPECT_THAT(articles[6], testing::StartsWith("f:2a:6"));
  const auto users = bj::parse(cluster.primary().get("/v1/users").body).as_array();
  ASSERT_EQ(users.size(), 2u);
  EXPECT_EQ(users[0].at("feeds").as_object().size(), 3u);

  ASSERT_EQ(feedctl({"populate", "--url", url, "--feeds", "0", "--users", "0"}).code, 0);
  ASSERT_EQ(
      feedctl({"populate", "--url", url, "--feeds", "1", "--articles", "0", "--users", "0"}).code,
      0);
  EXPECT_EQ(bj::parse(cluster.primary().get("/v1/feeds").body).as_array().size(), 4u);
  EXPECT_EQ(bj::parse(cluster.primary().get("/v1/users").body).as_array().size(), 2u);
  EXPECT_EQ(feedctl({"populate", "--url", url, "--feeds", "-1"}).code, 2);
  EXPECT_EQ(feedctl({"populate"}).code, 2);
  EXPECT_NE(feedctl({"populate", "--url", "http://" + free_address()}).code, 0);
}

TEST(Populate, ThroughAReplica_ReachesThePrimary) {
  TestCluster cluster;
  auto& replica = cluster.start_replica();
  ASSERT_TRUE(cluster.level());
  const auto done =
      feedctl({"populate", "--url", replica.url(), "--feeds", "2", "--articles", "5"});
  ASSERT_EQ(done.code, 0) << done.err;
  expect_equal(cluster);
  EXPECT_EQ(bj::parse(replica.get("/v1/feeds").body).as_array().size(), 2u);
}

void expect_members(const bj::object& object, std::vector<std::string> names) {
  std::vector<std::string> there;
  for (const auto& member : object) there.emplace_back(member.key());
  EXPECT_THAT(there, testing::UnorderedElementsAreArray(names));
}

TEST(Status, AsJson_HasTheMembersOfTheClusterRoute) {
  TestCluster cluster;
  auto& primary = cluster.primary();
  auto& replica = cluster.start_replica();
  make_feed(primary);
  ASSERT_TRUE(cluster.level());
  ASSERT_TRUE(eventually([&] { return replica.lag() == 0; }));
  ASSERT_TRUE(eventually([&] { return primary.peer(replica.status("nodeId")).at("lagMs") == 0; }));
  for (const auto* command : {"status", "lag"}) {
    const auto shown = feedctl({command, "--json", "--url", primary.url(), "--url", replica.url()});
    ASSERT_EQ(shown.code, 0) << shown.err;
    const auto nodes = bj::parse(shown.out).as_array();
    ASSERT_EQ(nodes.size(), 2u);
    for (const auto& node : nodes) {
      expect_members(node.as_object(), {"role", "clusterId", "nodeId", "epoch", "position", "head",
                                        "lagMs", "advertise", "primary", "state", "peers"});
      EXPECT_EQ(node.at("epoch"), 1);
      EXPECT_EQ(node.at("lagMs"), 0);
      EXPECT_EQ(node.at("position"), node.at("head"));
      EXPECT_EQ(node.at("primary").as_string(), primary.http());
    }
    EXPECT_EQ(nodes[0].at("role").as_string(), "primary");
    EXPECT_EQ(nodes[0].at("state").as_string(), "serving");
    EXPECT_EQ(nodes[1].at("role").as_string(), "replica");
    EXPECT_EQ(nodes[1].at("state").as_string(), "tail");
    EXPECT_TRUE(nodes[1].at("peers").as_array().empty());
    ASSERT_EQ(nodes[0].at("peers").as_array().size(), 1u);
    const auto& peer = nodes[0].at("peers").as_array()[0].as_object();
    expect_members(
        peer, {"nodeId", "advertise", "connected", "position", "lagMs", "lagSequences", "state"});
    EXPECT_EQ(peer.at("nodeId"), nodes[1].at("nodeId"));
    EXPECT_EQ(peer.at("lagSequences"), 0);
    const auto table = feedctl({command, "--url", primary.url(), "--url", replica.url()});
    EXPECT_EQ(table.code, 0);
    EXPECT_THAT(table.out, testing::AllOf(HasSubstr(primary.position()), HasSubstr("tail"),
                                          HasSubstr("serving")));
  }
}

TEST(Status, UnknownLag_IsNullAndADash) {
  TestCluster cluster;
  auto& lonely = cluster.add_replica({}, free_address());
  ASSERT_TRUE(lonely.start());
  const auto shown = feedctl({"status", "--json", "--url", lonely.url()});
  ASSERT_EQ(shown.code, 0) << shown.err;
  const auto value = bj::parse(shown.out);
  const auto& node = value.is_array() ? value.as_array().at(0) : value;
  for (const auto* member : {"lagMs", "position", "head", "primary", "clusterId"}) {
    EXPECT_TRUE(node.at(member).is_null()) << member;
  }
  EXPECT_EQ(node.at("state").as_string(), "connecting");
  EXPECT_THAT(feedctl({"lag", "--url", lonely.url()}).out, HasSubstr(" -"));
  EXPECT_EQ(feedctl({"status", "--url", "http://" + free_address()}).code, 1);
}

TEST(Verify, ExitCodes_TellEqualDifferentAndCouldNot) {
  TestCluster cluster;
  auto& primary = cluster.primary();
  auto& replica = cluster.start_replica();
  make_feed(primary);
  ASSERT_TRUE(cluster.level());
  EXPECT_EQ(cluster.verify().code, 0);

  // Two of one cluster, at one position, with different rows: a copy that went on by itself.
  ASSERT_EQ(primary.stop(), 0);
  TestNode copy(cluster.path() / "copy", "");
  std::filesystem::copy(
      primary.data(), copy.data(),
      std::filesystem::copy_options::recursive | std::filesystem::copy_options::copy_symlinks);
  ASSERT_TRUE(primary.start());
  ASSERT_TRUE(copy.start());
  const auto ours = primary.post("/v1/feeds/10000", "ours");
  const auto theirs = copy.post("/v1/feeds/10000", "theirs");
  ASSERT_EQ(ours.position(), theirs.position());
  const auto different = feedctl({"verify", "--url", primary.url(), "--url", copy.url()});
  EXPECT_EQ(different.code, 1) << different.out << different.err;
  EXPECT_THAT(different.out, HasSubstr("/data/articles/10000/10000"));

  TestCluster others;
  EXPECT_EQ(feedctl({"verify", "--url", primary.url(), "--url", others.primary().url()}).code, 2);
  EXPECT_EQ(feedctl({"verify", "--url", primary.url(), "--url", "http://" + free_address()}).code,
            2);
  EXPECT_EQ(feedctl({"verify", "--url", primary.url()}).code, 2);
  EXPECT_EQ(feedctl({"verify", "--url", "nonsense"}).code, 2);
  replica.kill();
  EXPECT_EQ(feedctl({"verify", "--url", primary.url(), "--url", replica.url()}).code, 2);
}

TEST(Verify, UnderLoad_ComparesAtOnePosition) {
  TestCluster cluster;
  cluster.start_replica();
  cluster.start_replica();
  Load load(cluster.primary().http(), {make_feed(cluster.primary())}, 4);
  ASSERT_TRUE(cluster.level());
  load.start();
  ASSERT_TRUE(load.wait_for(50));
  for (int i = 0; i < 3; ++i) {
    const auto verified = cluster.verify();
    ASSERT_EQ(verified.code, 0) << verified.out << verified.err;
  }
}

TEST(Dump, BesideARunningNode_PrintsCountersAndKeys) {
  TestCluster cluster;
  auto& replica = cluster.start_replica();
  ASSERT_EQ(feedctl({"populate", "--url", cluster.primary().url(), "--feeds", "2", "--articles",
                     "3", "--users", "1"})
                .code,
            0);
  ASSERT_TRUE(cluster.level());
  std::vector<std::string> dumps;
  for (auto* node : {&cluster.primary(), &replica}) {
    const auto dumped = feedctl({"dump", "--data", node->data().string()});
    ASSERT_EQ(dumped.code, 0) << dumped.err;
    for (const auto* line :
         {"/system/counters/feeds => 10002\n", "/system/counters/users => 10001\n",
          "/system/counters/articles/10000 => 10003\n", "/data/feeds/10001 => ",
          "/data/users/10000 => ", "/data/articles/10001/10002 => "}) {
      EXPECT_THAT(dumped.out, HasSubstr(line));
    }
    dumps.push_back(dumped.out);
  }
  EXPECT_EQ(dumps[0], dumps[1]);
  // It left the node alone.
  EXPECT_NE(make_feed(cluster.primary()), 0u);
  expect_equal(cluster);
  EXPECT_EQ(feedctl({"dump", "--data", "/nonexistent"}).code, 2);
}

}  // namespace
}  // namespace feeds::test
