// Reactions by many at once: each counts once, on every node.
#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>

#include "tests/cluster/load.h"

namespace feeds::test {
namespace {

constexpr std::size_t kClients = 20;

// Runs `work` for each of many clients at once, each with a connection of its own.
void at_once(const std::string& address,
             const std::function<void(std::size_t client, HttpClient&)>& work) {
  std::barrier begin(static_cast<std::ptrdiff_t>(kClients));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kClients; ++i) {
    threads.emplace_back([&, i] {
      HttpClient client(address);
      client.get("/healthz");
      begin.arrive_and_wait();
      work(i, client);
    });
  }
  for (auto& thread : threads) thread.join();
}

std::vector<std::string> ids(const boost::json::value& list) {
  std::vector<std::string> found;
  for (const auto& item : list.as_array()) found.emplace_back(item.at("id").as_string());
  return found;
}

class ReactionCounts : public testing::Test {
 protected:
  void SetUp() override {
    auto& primary = cluster_.primary();
    cluster_.start_replica();
    const auto home = "/v1/feeds/" + std::to_string(make_feed(primary)) + "/activities";
    group_ = std::to_string(
        created_id(primary.post("/v1/groupingFeeds", R"({"keyFormat":"{{.LinkedActivityId}}"})")));
    post_ = std::to_string(created_id(primary.post(home, "{}")));
    ASSERT_TRUE(cluster_.level());
  }

  std::string reactions() const { return "/v1/activities/" + post_ + "/reactions"; }
  std::string groups() const {
    return "/v1/groupingFeeds/" + group_ + "/activities?activityLimit=1000";
  }
  std::string react() {
    return std::to_string(created_id(cluster_.primary().post(reactions(), "{}")));
  }
  // All of a list of reactions, newest first.
  std::vector<std::string> all(TestNode& node, const std::string& route) {
    std::vector<std::string> found;
    std::string next;
    do {
      const auto reply = node.get("/v1/activities/" + post_ + route + "?limit=7" +
                                  (next.empty() ? "" : "&offsetId=" + next));
      EXPECT_EQ(reply.status, 200) << reply.body;
      const auto page = boost::json::parse(reply.body);
      const auto more = ids(page.at("reactions"));
      found.insert(found.end(), more.begin(), more.end());
      next = page.at("next").is_null() ? "" : std::string(page.at("next").as_string());
    } while (!next.empty());
    return found;
  }
  // All of the group, newest first, by pages inside it; as many as it counts.
  std::vector<std::string> all_grouped(TestNode& node) {
    std::vector<std::string> found;
    std::string next;
    do {
      const auto reply =
          node.get("/v1/groupingFeeds/" + group_ + "/groups/activities?groupKey=" + post_ +
                   (next.empty() ? "" : "&offsetId=" + next));
      EXPECT_EQ(reply.status, 200) << reply.body;
      const auto page = boost::json::parse(reply.body);
      const auto more = ids(page.at("activities"));
      found.insert(found.end(), more.begin(), more.end());
      next = page.at("next").is_null() ? "" : std::string(page.at("next").as_string());
    } while (!next.empty());
    const auto page = boost::json::parse(node.get(groups()).body);
    EXPECT_EQ(page.at("activityGroups").at(0).at("activityCount").to_number<std::size_t>(),
              found.size());
    return found;
  }
  // That each node lists and counts `expected`, given oldest first.
  void expect_counted(std::vector<std::string> expected) {
    std::reverse(expected.begin(), expected.end());
    ASSERT_TRUE(cluster_.level());
    for (auto* node : {&cluster_.primary(), &cluster_.replica(0)}) {
      EXPECT_EQ(all(*node, "/reactions"), expected);
      EXPECT_EQ(all(*node, "/thread"), expected);
      const auto page = boost::json::parse(node->get(groups()).body);
      const auto& groups = page.at("activityGroups").as_array();
      ASSERT_EQ(groups.size(), expected.empty() ? 0U : 1U);
      if (expected.empty()) continue;
      EXPECT_EQ(groups[0].at("activityCount").to_number<std::size_t>(), expected.size());
      EXPECT_EQ(ids(groups[0].at("activities")), expected);
    }
    expect_sound();
  }
  void expect_sound() {
    const auto right = cluster_.primary().get("/v1/digest?check=1");
    EXPECT_NE(right.body.find("\"violations\":[]"), std::string::npos) << right.body;
    EXPECT_EQ(cluster_.replica(0).get("/v1/digest?check=1").body, right.body);
  }

  TestCluster cluster_;
  std::string group_;
  std::string post_;
};

TEST_F(ReactionCounts, OfTwentyThatDeleteOne_OneSucceeds) {
  auto& primary = cluster_.primary();
  auto& replica = cluster_.replica(0);
  const auto kept = react();
  ASSERT_EQ(
      primary.client()->ask("PUT", "/v1/feeds/" + group_ + "/activities/" + kept, "", {}).status,
      200);
  for (int round = 0; round < 10; ++round) {
    // A reaction is deleted the same way by either route.
    const auto id = react();
    std::vector<HttpReply> replies(kClients);
    at_once(primary.http(), [&](std::size_t i, HttpClient& client) {
      replies[i] = client.del((i % 2 == 0 ? "/v1/reactions/" : "/v1/activities/") + id);
    });
    std::map<std::string, int> outcomes;
    for (const auto& reply : replies) {
      ++outcomes[std::to_string(reply.status) + reply.code()];
      // At the position of every answer it is gone, the refusals included.
      const auto gone =
          replica.get("/v1/reactions/" + id,
                      {{"Feeds-Min-Position", reply.position()}, {"Feeds-Wait-Ms", "20000"}});
      ASSERT_EQ(gone.status, 404) << gone.body;
    }
    ASSERT_EQ(outcomes, (std::map<std::string, int>{{"204", 1}, {"404no_such_activity", 19}}));
  }
  expect_counted({kept});
}

TEST_F(ReactionCounts, OfManyClients_AreRightInEveryReplyOfEveryNode) {
  constexpr int kEach = 20;
  std::mutex mutex;
  std::vector<std::string> kept;
  std::atomic<bool> done{false};
  std::vector<std::thread> readers;
  std::atomic<std::uint64_t> looks{0};
  for (const auto& address : {cluster_.primary().http(), cluster_.replica(0).http()}) {
    readers.emplace_back([&, address] {
      HttpClient client(address);
      while (!done) {
        const auto page = boost::json::parse(client.get(groups()).body);
        for (const auto& group : page.at("activityGroups").as_array()) {
          EXPECT_EQ(group.at("activityCount").to_number<std::size_t>(),
                    group.at("activities").as_array().size());
        }
        ++looks;
      }
    });
  }
  at_once(cluster_.primary().http(), [&](std::size_t, HttpClient& client) {
    for (int n = 0; n < kEach; ++n) {
      const auto id = std::to_string(created_id(client.post(reactions(), "{}")));
      const auto put = client.ask("PUT", "/v1/feeds/" + group_ + "/activities/" + id, "", {});
      EXPECT_EQ(put.status, 200) << put.body;
      if (n % 3 == 0) {
        EXPECT_EQ(client.del("/v1/reactions/" + id).status, 204);
      } else {
        std::lock_guard lock(mutex);
        kept.push_back(id);
      }
    }
  });
  done = true;
  for (auto& reader : readers) reader.join();
  EXPECT_GT(looks, 2U);
  std::sort(kept.begin(), kept.end());
  expect_counted(kept);
}

// Ids are given out in the order of commits, so a reader never meets one before an earlier one.
TEST_F(ReactionCounts, PagesWhileManyWrite_HaveNoHole) {
  std::atomic<bool> done{false};
  std::vector<std::thread> readers;
  for (auto* node : {&cluster_.primary(), &cluster_.replica(0)}) {
    readers.emplace_back([&, address = node->http()] {
      HttpClient client(address);
      while (!done) {
        const auto page = boost::json::parse(client.get(reactions()).body);
        auto expected = page.at("reactions").as_array().empty()
                            ? 0
                            : std::stoull(ids(page.at("reactions")).front());
        for (const auto& id : ids(page.at("reactions"))) {
          EXPECT_EQ(id, std::to_string(expected--));
        }
        EXPECT_EQ(page.at("next").is_null(), expected <= std::stoull(post_));
      }
    });
  }
  std::vector<std::string> made(kClients * 20);
  at_once(cluster_.primary().http(), [&](std::size_t i, HttpClient& client) {
    for (std::size_t n = 0; n < 20; ++n) {
      made[i * 20 + n] = std::to_string(created_id(client.post(reactions(), "{}")));
    }
  });
  done = true;
  for (auto& reader : readers) reader.join();
  std::sort(made.begin(), made.end());
  EXPECT_EQ(made.back(), std::to_string(std::stoull(post_) + made.size()));
  std::reverse(made.begin(), made.end());
  EXPECT_EQ(all(cluster_.primary(), "/reactions"), made);
}

TEST_F(ReactionCounts, AmidKills_AreWhatWasAnswered) {
  enum class State { kMade, kGrouped, kDeleted, kUnknown };
  std::mutex mutex;
  std::map<std::string, State> states;
  std::atomic<std::uint64_t> answered{0};
  std::atomic<bool> done{false};
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([&, address = cluster_.primary().http()] {
      HttpClient client(address);
      for (int n = 0; !done; ++n) {
        const auto made = created_id(client.post(reactions(), "{}"));
        if (made == 0) {
          std::this_thread::sleep_for(std::chrono::milliseconds(5));
          continue;
        }
        const auto id = std::to_string(made);
        auto state = State::kMade;
        const auto put = client.ask("PUT", "/v1/feeds/" + group_ + "/activities/" + id, "", {});
        if (put.status == 200) state = State::kGrouped;
        if (n % 2 == 0) {
          state =
              client.del("/v1/reactions/" + id).status == 204 ? State::kDeleted : State::kUnknown;
        }
        std::lock_guard lock(mutex);
        states[id] = state;
        ++answered;
      }
    });
  }
  for (int kills = 0; kills < 3; ++kills) {
    const auto enough = answered + 40;
    EXPECT_TRUE(eventually([&] { return answered >= enough; }));
    cluster_.primary().kill();
    if (!cluster_.primary().start()) break;
  }
  done = true;
  for (auto& writer : writers) writer.join();

  ASSERT_TRUE(cluster_.level());
  const auto listed = all(cluster_.primary(), "/reactions");
  EXPECT_EQ(all(cluster_.replica(0), "/reactions"), listed);
  EXPECT_EQ(all(cluster_.primary(), "/thread"), listed);
  const auto grouped = all_grouped(cluster_.primary());
  EXPECT_EQ(all_grouped(cluster_.replica(0)), grouped);
  for (const auto& [id, state] : states) {
    const bool there = std::find(listed.begin(), listed.end(), id) != listed.end();
    const bool in_group = std::find(grouped.begin(), grouped.end(), id) != grouped.end();
    EXPECT_TRUE(there || !in_group) << id;
    EXPECT_TRUE(state == State::kUnknown || there == (state != State::kDeleted)) << id;
    EXPECT_TRUE(state != State::kGrouped || in_group) << id;
  }
  expect_sound();
}

}  // namespace
}  // namespace feeds::test
