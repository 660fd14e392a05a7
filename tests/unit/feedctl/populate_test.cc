#include "tools/feedctl/populate.h"

#include <gtest/gtest.h>

#include "common/base/guarded.h"
#include "tests/unit/feedctl/fake_node.h"
#include "tools/feedctl/populate_social.h"

namespace feeds::feedctl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// What a primary would hold after the requests.
struct Cluster {
  std::uint64_t next_feed = 10000, next_user = 10000;
  std::map<std::string, std::vector<std::string>> articles;       // by feed
  std::map<std::string, std::vector<std::string>> subscriptions;  // by user
  std::map<std::string, std::vector<std::string>> activities;     // bodies, by feed
  std::map<std::string, std::vector<std::string>> reactions;      // ids, by parent
  std::vector<std::string> objects;
  std::uint64_t next_activity = 10000;
  int refusals = 0;  // still to be given
};

std::string segment(const std::string& target, std::size_t index) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < index; ++i) at = target.find('/', at) + 1;
  return target.substr(at, target.find_first_of("/?", at) - at);
}

FakeReply answer(Cluster& cluster, const FakeRequest& request) {
  if (request.method != "POST") return problem(405, "method_not_allowed");
  if (cluster.refusals > 0) {
    --cluster.refusals;
    return problem(503, "overloaded", {{"Retry-After", "0"}});
  }
  if (request.target == "/v1/feeds")
    return {201, "{\"id\":" + std::to_string(cluster.next_feed++) + ",\"articles\":[]}"};
  if (request.target == "/v1/users")
    return {201, "{\"id\":" + std::to_string(cluster.next_user++) + ",\"feeds\":{}}"};
  if (request.target == "/v1/collections") return {201, R"({"id":"c1","deletingType":"CASCADE"})"};
  if (request.target == "/v1/groupingFeeds")
    return {201, "{\"id\":" + std::to_string(cluster.next_feed++) + "}"};
  if (request.target == "/v1/collections/c1/objects") {
    cluster.objects.push_back(request.body);
    return {201, "{}"};
  }
  if (request.target.ends_with("/activities") || request.target.ends_with("/reactions")) {
    const auto id = std::to_string(cluster.next_activity++);
    auto& list = request.target.ends_with("/reactions") ? cluster.reactions : cluster.activities;
    list[segment(request.target, 3)].push_back(
        request.target.ends_with("/reactions") ? id : request.body);
    return {201, "{\"id\":\"" + id + "\"}"};
  }
  if (request.target.ends_with("/publishArticle")) {
    cluster.articles[segment(request.target, 3)].push_back(request.body);
    return {201, "{\"id\":1,\"text\":\"\"}"};
  }
  cluster.subscriptions[segment(request.target, 3)].push_back(request.parameter("feedId"));
  return {200, "{}"};
}

class Populate : public ::testing::Test {
 protected:
  FakeReply handle(const FakeRequest& request) {
    return cluster_.with([&](Cluster& cluster) { return answer(cluster, request); });
  }

  Guarded<Cluster> cluster_;
  FakeNode primary_{[this](const FakeRequest& request) { return handle(request); }};
};

TEST(ArticleText, Padding_FillsUpToTheLength) {
  EXPECT_EQ(article_text(3, 12, 0), "f:3a:12");
  EXPECT_EQ(article_text(3, 12, 7), "f:3a:12");
  EXPECT_EQ(article_text(3, 12, 150).size(), 150u);
  EXPECT_TRUE(article_text(3, 12, 150).starts_with("f:3a:12 the quick"));
}

TEST_F(Populate, Feeds_HoldTheirArticlesInOrder) {
  const auto line =
      populate({.url = primary_.url(), .feeds = 7, .articles = 20, .users = 2}, stderr);
  ASSERT_TRUE(line) << line.error().detail;
  EXPECT_THAT(*line, HasSubstr("7 feeds with 20 articles each and 2 users"));
  const Cluster cluster = cluster_.copy();
  ASSERT_EQ(cluster.articles.size(), 7u);
  for (std::uint64_t feed = 0; feed < 7; ++feed) {
    const auto& texts = cluster.articles.at(std::to_string(10000 + feed));
    ASSERT_EQ(texts.size(), 20u);
    for (std::uint64_t i = 0; i < 20; ++i) EXPECT_EQ(texts[i], article_text(feed, i, 0));
  }
  ASSERT_EQ(cluster.subscriptions.size(), 2u);
  for (const auto& [user, feeds] : cluster.subscriptions) {
    EXPECT_THAT(feeds, ElementsAre("10000", "10001", "10002", "10003", "10004"));
  }
}

TEST_F(Populate, SecondRun_SubscribesToTheFeedsItMade) {
  ASSERT_TRUE(populate({.url = primary_.url(), .feeds = 2, .articles = 1, .users = 0}, stderr));
  ASSERT_TRUE(populate({.url = primary_.url(), .feeds = 2, .articles = 1, .users = 1}, stderr));
  const Cluster cluster = cluster_.copy();
  EXPECT_EQ(cluster.articles.size(), 4u);
  ASSERT_EQ(cluster.subscriptions.size(), 1u);
  EXPECT_THAT(cluster.subscriptions.begin()->second, ElementsAre("10002", "10003"));
}

TEST_F(Populate, Overloaded_IsTriedAgain) {
  cluster_.with([](Cluster& cluster) { cluster.refusals = 3; });
  const auto line =
      populate({.url = primary_.url(), .feeds = 1, .articles = 2, .users = 0}, stderr);
  ASSERT_TRUE(line) << line.error().detail;
  EXPECT_EQ(cluster_.copy().articles.at("10000").size(), 2u);
}

TEST_F(Populate, Replica_LeadsToThePrimary) {
  FakeNode replica([this](const FakeRequest& request) {
    return FakeReply{307, "", {{"Location", primary_.url() + request.target}}};
  });
  const auto line = populate({.url = replica.url(), .feeds = 1, .articles = 2, .users = 1}, stderr);
  ASSERT_TRUE(line) << line.error().detail;
  EXPECT_EQ(cluster_.copy().articles.at("10000").size(), 2u);
  EXPECT_EQ(cluster_.copy().subscriptions.size(), 1u);
}

TEST_F(Populate, Social_MakesThreadsObjectsAndGroups) {
  const auto line = populate({.url = primary_.url(),
                              .feeds = 2,
                              .articles = 0,
                              .users = 0,
                              .social = true,
                              .activities = 8},
                             stderr);
  ASSERT_TRUE(line) << line.error().detail;
  EXPECT_THAT(*line, HasSubstr("8 activities a feed about the objects of collection c1"));
  const Cluster cluster = cluster_.copy();
  EXPECT_EQ(cluster.objects.size(), kSocialObjects);
  ASSERT_EQ(cluster.activities.size(), 2u);
  for (const auto& [feed, bodies] : cluster.activities) {
    ASSERT_EQ(bodies.size(), 8u);
    EXPECT_THAT(bodies[0], HasSubstr(R"("redirectTo":[10002])"));
    EXPECT_THAT(bodies[0], HasSubstr(R"("collectionId":"c1")"));
  }
  std::size_t reactions = 0;
  for (const auto& [parent, ids] : cluster.reactions) reactions += ids.size();
  EXPECT_EQ(reactions, 2 * kSocialComments * (1 + 2 * kSocialReplies));
}

TEST(PopulateFailure, FirstRefusal_IsTold) {
  FakeNode full([](const FakeRequest& request) {
    if (request.target == "/v1/feeds") return FakeReply{201, "{\"id\":10000}"};
    return problem(507, "disk_full");
  });
  const auto line = populate({.url = full.url()}, stderr);
  ASSERT_FALSE(line);
  EXPECT_EQ(
      line.error().detail,
      full.url() +
          ": POST /v1/feeds/10000/publishArticle was answered 507 disk_full: about disk_full");
}

TEST(PopulateFailure, OutcomeUnknown_IsNotTriedAgain) {
  std::atomic<int> requests{0};
  FakeNode node([&](const FakeRequest&) {
    ++requests;
    return problem(503, "outcome_unknown");
  });
  ASSERT_FALSE(populate({.url = node.url(), .feeds = 1}, stderr));
  EXPECT_EQ(requests, 1);
}

}  // namespace
}  // namespace feeds::feedctl
