// Many writers, and readers that follow them on a replica.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/cluster/load.h"

namespace feeds::test {
namespace {

constexpr std::uint64_t kEach = 2000;
constexpr std::size_t kWriters = 8;
constexpr std::size_t kFeeds = 4;

// Follows `next` from the first id on until `until` articles were seen, and returns their ids.
std::vector<std::uint64_t> follow(const std::string& address, std::uint64_t feed,
                                  std::uint64_t until) {
  HttpClient client(address);
  std::vector<std::uint64_t> seen;
  std::uint64_t next = 10000;
  const auto target = "/v1/feeds/" + std::to_string(feed) + "?startId=";
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(300);
  while (seen.size() < until && std::chrono::steady_clock::now() < deadline) {
    const auto reply = client.get(target + std::to_string(next));
    if (reply.status != 200) {
      ADD_FAILURE() << reply.status << " " << reply.body;
      break;
    }
    const auto page = boost::json::parse(reply.body);
    for (const auto& article : page.at("articles").as_array()) {
      seen.push_back(article.at("id").to_number<std::uint64_t>());
    }
    next = page.at("next").to_number<std::uint64_t>();
  }
  return seen;
}

TEST(Concurrency, ReadersOnReplica_SeeEachIdOnceInOrder) {
  TestCluster cluster;
  auto& replica = cluster.start_replica();
  std::vector<std::uint64_t> feeds;
  for (std::size_t i = 0; i < kFeeds; ++i) feeds.push_back(make_feed(cluster.primary()));
  ASSERT_TRUE(cluster.level());

  Load load(cluster.primary().http(), feeds, kWriters);
  constexpr auto kOfFeed = kEach * kWriters / kFeeds;
  std::vector<std::vector<std::uint64_t>> seen(2 * kFeeds);
  std::vector<std::thread> readers;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    readers.emplace_back([&, i] { seen[i] = follow(replica.http(), feeds[i % kFeeds], kOfFeed); });
  }
  load.start(kEach);
  load.join();
  for (auto& reader : readers) reader.join();

  EXPECT_EQ(load.refusals().size(), 0u);
  std::vector<std::uint64_t> all(kOfFeed);
  std::iota(all.begin(), all.end(), 10000);
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_TRUE(seen[i] == all) << "reader " << i;
  load.expect_all_on(cluster.primary());
  expect_equal(cluster);
}

// Readers of an id never see a later one before it, whichever node they ask.
TEST(Concurrency, CountersAndFeeds_AgreeInOneReply) {
  TestCluster cluster;
  auto& replica = cluster.start_replica();
  const auto feed = make_feed(cluster.primary());
  ASSERT_TRUE(cluster.level());
  Load load(cluster.primary().http(), {feed}, 4);
  load.start();
  const auto target = "/v1/feeds/" + std::to_string(feed);
  for (int i = 0; i < 200; ++i) {
    auto& node = i % 2 == 0 ? cluster.primary() : replica;
    const auto page = boost::json::parse(node.get(target).body);
    const auto next = page.at("next").to_number<std::uint64_t>();
    const auto& articles = page.at("articles").as_array();
    ASSERT_EQ(articles.size(), std::min<std::uint64_t>(next - 10000, 50));
    for (std::size_t n = 0; n < articles.size(); ++n) {
      ASSERT_EQ(articles[n].at("id").to_number<std::uint64_t>(), next - articles.size() + n);
    }
  }
}

}  // namespace
}  // namespace feeds::test
