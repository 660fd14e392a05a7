// Random commands of articles, users and subscriptions against the real store and a plain model, with
// reopenings between, and a replica that applies the same log compared at the end.

#include <map>

#include "common/base/limits.h"
#include "common/feeds/counter.h"
#include "common/feeds/feed.h"
#include "common/feeds/user.h"
#include "primary/commands/feed.h"
#include "primary/commands/user.h"
#include "tests/support/committer_world.h"
#include "tests/support/replay.h"
#include "tests/support/seed.h"

namespace feeds {
namespace {

struct ModelFeed {
  std::string extra_data;
  std::vector<std::string> articles;
};

// What the service must show, kept in the plainest way.
struct Model {
  std::map<std::uint64_t, ModelFeed> feeds;
  std::map<std::uint64_t, std::map<std::uint64_t, std::uint64_t>> users;
  std::uint64_t next_feed = kFirstId;
  std::uint64_t next_user = kFirstId;

  std::string feed_json(std::uint64_t id, std::optional<std::uint64_t> start, std::uint64_t limit) const {
    const auto& feed = feeds.at(id);
    const auto end = kFirstId + feed.articles.size();
    const auto begin = start ? *start : end - std::min<std::uint64_t>(limit, feed.articles.size());
    const auto stop = std::min(end, begin + limit);
    std::string out = "{\"id\":" + std::to_string(id) + ",\"articles\":[";
    for (auto article = begin; article < stop; ++article) {
      if (article > begin) out += ',';
      out += "{\"id\":" + std::to_string(article) + ",\"text\":\"" + feed.articles[article - kFirstId] + "\"}";
    }
    out += "],\"next\":" + std::to_string(stop);
    if (!feed.extra_data.empty()) out += ",\"extraData\":" + feed.extra_data;
    return out + "}";
  }
  std::string user_json(std::uint64_t id) const {
    std::string out = "{\"id\":" + std::to_string(id) + ",\"feeds\":{";
    for (const auto& [feed, article] : users.at(id)) {
      if (out.back() != '{') out += ',';
      out += "\"" + std::to_string(feed) + "\":" + std::to_string(article);
    }
    return out + "}}";
  }
};

class ModelRun {
 public:
  explicit ModelRun(std::uint64_t seed) : random_(seed) {}

  void run(int steps) {
    for (int i = 0; i < steps && !::testing::Test::HasFatalFailure(); ++i) {
      step();
      if (pick(200) == 0) world_.reopen();
      if (pick(10) == 0) check_one();
    }
    check_all();
    check_replica();
  }

 private:
  std::uint64_t pick(std::uint64_t below) { return random_() % below; }
  FeedId some_feed() { return FeedId{kFirstId + pick(model_.next_feed - kFirstId + 2)}; }
  UserId some_user() { return UserId{kFirstId + pick(model_.next_user - kFirstId + 2)}; }

  void step() {
    switch (pick(12)) {
      case 0:
        return create_feed();
      case 1:
        return create_user();
      case 2:
        return pick(6) == 0 ? delete_feed() : update_feed();
      case 3:
      case 4:
        return subscribe();
      case 5:
        return unsubscribe();
      default:
        return publish();
    }
  }

  void create_feed() {
    commands::CreateFeed command;
    if (pick(2) == 0) command.extra_data = "{\"n\":" + std::to_string(pick(1000)) + "}";
    ASSERT_TRUE(world_.run(command).status.ok());
    ASSERT_EQ(command.feed.value, model_.next_feed++);
    model_.feeds[command.feed.value].extra_data = command.extra_data;
  }
  void create_user() {
    commands::CreateUser command;
    ASSERT_TRUE(world_.run(command).status.ok());
    ASSERT_EQ(command.user.value, model_.next_user++);
    model_.users[command.user.value];
  }
  void update_feed() {
    commands::UpdateFeed command{some_feed(), pick(3) == 0 ? "" : "[" + std::to_string(pick(99)) + "]"};
    const auto outcome = world_.run(command);
    ASSERT_EQ(outcome.status.ok(), model_.feeds.contains(command.feed.value));
    if (outcome.status) model_.feeds[command.feed.value].extra_data = command.extra_data;
  }
  void delete_feed() {
    commands::DeleteFeed command{some_feed()};
    const auto outcome = world_.run(command);
    ASSERT_EQ(outcome.status.ok(), model_.feeds.erase(command.feed.value) == 1);
  }
  void subscribe() {
    commands::Subscribe command{some_user(), some_feed()};
    const auto outcome = world_.run(command);
    const bool known = model_.users.contains(command.user.value) && model_.feeds.contains(command.feed.value);
    ASSERT_EQ(outcome.status.ok(), known);
    if (!known) return;
    const auto count = model_.feeds[command.feed.value].articles.size();
    model_.users[command.user.value].emplace(command.feed.value, kFirstId + (count > 0 ? count - 1 : 0));
  }
  void unsubscribe() {
    commands::Unsubscribe command{some_user(), some_feed()};
    const auto outcome = world_.run(command);
    ASSERT_EQ(outcome.status.ok(), model_.users.contains(command.user.value));
    if (outcome.status) model_.users[command.user.value].erase(command.feed.value);
  }
  void publish() {
    std::vector<commands::PublishArticle> commands;
    for (std::uint64_t i = 0, n = 1 + pick(pick(20) == 0 ? 1200 : 6); i < n; ++i) {
      commands.push_back({some_feed(), "t" + std::to_string(random_() % 100000)});
    }
    std::vector<commands::PublishArticle*> pointers;
    for (auto& command : commands) pointers.push_back(&command);
    const auto outcomes = world_.run_all(pointers);
    for (std::size_t i = 0; i < commands.size(); ++i) {
      const auto& command = commands[i];
      ASSERT_EQ(outcomes[i].status.ok(), model_.feeds.contains(command.feed.value));
      if (!outcomes[i].status) continue;
      auto& articles = model_.feeds[command.feed.value].articles;
      ASSERT_EQ(command.article.value, kFirstId + articles.size());
      articles.push_back(command.text);
    }
  }

  void check_one() {
    auto view = world_.view();
    const auto feed = some_feed();
    ArticlePage page;
    page.limit = 1 + pick(80);
    const bool exists = model_.feeds.contains(feed.value);
    const auto count = exists ? model_.feeds[feed.value].articles.size() : 0;
    std::optional<std::uint64_t> start;
    if (pick(2) == 0) {
      start = kFirstId + pick(count + 1);
      page.start = ArticleId{*start};
    }
    std::string out;
    const auto status = append_feed_page(view, feed, page, false, out);
    ASSERT_EQ(status.ok(), exists);
    if (exists) {
      ASSERT_EQ(out, model_.feed_json(feed.value, start, page.limit));
    }
    page.start = ArticleId{kFirstId + count + 1};
    out.clear();
    const auto beyond = append_feed_page(view, feed, page, false, out);
    ASSERT_EQ(beyond.error().code, exists ? Code::kStartIdOutOfRange : Code::kNoSuchFeed);
  }

  void check_all() {
    std::string out;
    auto users = list_users(world_.view(), std::nullopt);
    for (const auto& [id, subscriptions] : model_.users) {
      out.clear();
      ASSERT_TRUE(*users->next(out));
      ASSERT_EQ(out, model_.user_json(id));
      auto view = world_.view();
      std::string alone;
      ASSERT_TRUE(append_user(view, UserId{id}, alone).ok());
      ASSERT_EQ(alone, out);
      check_consume(id);
    }
    ASSERT_FALSE(*users->next(out));
    auto feeds = list_feeds(world_.view(), std::nullopt);
    for (const auto& [id, feed] : model_.feeds) {
      out.clear();
      ASSERT_TRUE(*feeds->next(out));
      ASSERT_TRUE(out.starts_with("{\"id\":" + std::to_string(id) + ",\"articles\":[]")) << out;
    }
    ASSERT_FALSE(*feeds->next(out));
  }

  void check_consume(std::uint64_t user) {
    auto items = consume_feeds(world_.view(), UserId{user}, {}, false);
    ASSERT_TRUE(items.ok());
    for (const auto& [feed, start] : model_.users[user]) {
      if (!model_.feeds.contains(feed)) continue;
      std::string out;
      ASSERT_TRUE(*(*items)->next(out));
      ASSERT_EQ(out, model_.feed_json(feed, start, limits::kPageLimit));
    }
    std::string rest;
    ASSERT_FALSE(*(*items)->next(rest));
  }

  void check_replica() {
    world_.reopen();
    test::expect_log_replays(world_);
  }

  std::mt19937_64 random_;
  test::CommitterWorld world_;
  Model model_;
};

TEST(Model, RandomCommands_AnswerAsThePlainModel) {
  const auto seed = test::seed();
  for (std::uint64_t i = 0; i < 4 && !::testing::Test::HasFatalFailure(); ++i) {
    ModelRun(seed + i).run(1500);
  }
}

}  // namespace
}  // namespace feeds
