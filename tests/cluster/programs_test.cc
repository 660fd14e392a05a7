// What the programs refuse, and how they end.
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>

#include "tests/cluster/load.h"

namespace feeds::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

Finished start_with(const std::string& name, const TempDir& dir, const std::string& config) {
  const auto file = dir.path() / "config.yml";
  std::ofstream(file) << config;
  std::vector<std::string> command = {program(name), "--data",   dir.path() / "data", "--http",
                                      "127.0.0.1:0", "--config", file.string()};
  if (name == "feeds-replica") {
    command.insert(command.end(), {"--primary", "127.0.0.1:1"});
  } else {
    command.insert(command.end(), {"--replication", "127.0.0.1:0"});
  }
  return run_program(command);
}

TEST(Configuration, UnknownKeys_AreRefusedByName) {
  for (const std::string name : {"feeds-primary", "feeds-replica"}) {
    for (const auto& [config, key] : std::vector<std::pair<std::string, std::string>>{
             {"http:\n  thread: 2\n", "http.thread"},
             {"htpp:\n  threads: 2\n", "htpp"},
             {"replication:\n  retain_wal: 1GiB\n  max_lagg: 1s\n", "replication.max_lagg"},
             {"logging:\n  loggers: {}\n", "logging.loggers"}}) {
      TempDir dir;
      const auto ended = start_with(name, dir, config);
      EXPECT_EQ(ended.code, 2) << name << ": " << config << ended.err;
      EXPECT_THAT(ended.err, HasSubstr(key)) << name;
      EXPECT_FALSE(std::filesystem::exists(dir.path() / "data")) << name;
    }
  }
}

TEST(Configuration, BadValues_AreRefusedByName) {
  for (const auto& [config, key] : std::vector<std::pair<std::string, std::string>>{
           {"http:\n  threads: many\n", "http.threads"},
           {"replication:\n  peer_timeout: 10\n", "replication.peer_timeout"},
           {"replication:\n  heartbeat: 1s\n  peer_timeout: 1s\n", "peer_timeout"},
           {"db:\n  counters: {/feeds: 0}\n", "/feeds"},
           {"db:\n  counters: {/feeds: 9007199254740993}\n", "/feeds"},
           {"db:\n  counters: {/articles: 5}\n", "/articles"},
           {"http:\n  listen: 0.0.0.0:0\n  listen: 127.0.0.1:0\n", "listen"}}) {
    TempDir dir;
    const auto ended = start_with("feeds-primary", dir, config);
    EXPECT_EQ(ended.code, 2) << config << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(key)) << config;
  }
}

TEST(Configuration, WildcardAddress_NeedsOneToAdvertise) {
  TempDir dir;
  const auto ended = run_program({program("feeds-primary"), "--data", dir.path() / "data", "--http",
                                  "0.0.0.0:0", "--replication", "127.0.0.1:0"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("--advertise"));
}

TEST(DataDirectory, OfTheOtherRole_IsRefusedNamingBoth) {
  TestCluster cluster;
  auto& replica = cluster.start_replica();
  ASSERT_TRUE(cluster.level());
  ASSERT_EQ(cluster.primary().stop(), 0);
  ASSERT_EQ(replica.stop(), 0);
  const auto as_replica = run_program({program("feeds-replica"), "--data", cluster.primary().data(),
                                       "--http", "127.0.0.1:0", "--primary", "127.0.0.1:1"});
  EXPECT_EQ(as_replica.code, 2);
  EXPECT_THAT(as_replica.err, AllOf(HasSubstr("primary"), HasSubstr("replica")));
  const auto as_primary = run_program({program("feeds-primary"), "--data", replica.data(), "--http",
                                       "127.0.0.1:0", "--replication", "127.0.0.1:0"});
  EXPECT_EQ(as_primary.code, 2);
  EXPECT_THAT(as_primary.err, AllOf(HasSubstr("primary"), HasSubstr("replica")));
  // Nothing happened to either.
  ASSERT_TRUE(cluster.primary().start());
  ASSERT_TRUE(replica.start());
  expect_equal(cluster, 0);
}

TEST(DataDirectory, InUse_IsRefused) {
  TestCluster cluster;
  const auto second = run_program({program("feeds-primary"), "--data", cluster.primary().data(),
                                   "--http", "127.0.0.1:0", "--replication", "127.0.0.1:0"});
  EXPECT_EQ(second.code, 2);
  EXPECT_EQ(cluster.primary().post("/v1/feeds").status, 201);
}

TEST(Stop, Sigterm_EndsWithinSecondsBesideIdleConnectionsAndStreams) {
  TestCluster cluster;
  auto& primary = cluster.primary();
  auto& replica = cluster.start_replica();
  const auto feed = make_feed(primary);
  // A stream of some 30 MB, that nobody reads.
  std::string names = "{";
  for (int i = 0; i < 40; ++i) {
    const auto one = make_feed(primary);
    publish_many(primary.http(), one, 50, 16'000);
    names += (i > 0 ? ",\"" : "\"") + std::to_string(one) + "\":10000";
  }
  names += "}";
  const auto user = "/v1/users/" + std::to_string(created_id(primary.post("/v1/users")));
  ASSERT_TRUE(cluster.level());
  for (auto* node : {&replica, &primary}) {
    std::vector<std::unique_ptr<HttpClient>> idle;
    for (int i = 0; i < 20; ++i) {
      idle.push_back(node->client());
      ASSERT_EQ(idle.back()->get("/v1/feeds/" + std::to_string(feed)).status, 200);
    }
    auto stream = node->client();
    ASSERT_TRUE(stream->send("POST", user + "/consumeFeeds", names));
    // A primary has nothing to wait for.
    const bool waits = node == &replica;
    auto waiting = node->client();
    if (waits) {
      ASSERT_TRUE(waiting->send("GET", "/v1/feeds", "",
                                {{"Feeds-Min-Position", "1-99999999"}, {"Feeds-Wait-Ms", "30000"}}));
      ASSERT_TRUE(eventually([&] { return node->metric("feeds_waiting_reads") == 1; }));
    }
    const auto began = std::chrono::steady_clock::now();
    EXPECT_EQ(node->stop(), 0);
    EXPECT_LT(std::chrono::steady_clock::now() - began, 15s);
    // The cut stream is not a whole reply; a read that waits is answered.
    EXPECT_EQ(stream->receive().status, 0);
    if (waits) {
      EXPECT_EQ(waiting->receive().status, 503);
    }
  }
  ASSERT_TRUE(primary.start());
  ASSERT_TRUE(replica.start());
  expect_equal(cluster, 0);
}

TEST(Stop, SigtermUnderLoad_AnswersWhatItTook) {
  TestCluster cluster;
  auto& primary = cluster.primary();
  cluster.start_replica();
  Load load(primary.http(), {make_feed(primary), make_feed(primary)}, 8);
  load.start();
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(load.wait_for(100));
    ASSERT_EQ(primary.stop(), 0);
    ASSERT_TRUE(primary.start());
  }
  ASSERT_TRUE(load.wait_for(20));
  load.stop();
  load.expect_all_on(primary);
  expect_equal(cluster);
}

}  // namespace
}  // namespace feeds::test
