// Random commands of activities, reactions, collections and grouping feeds, mixed with those of articles,
// against the real store and a plain model: deletions are carried out in small steps, looked at half done,
// with reopenings between, and the log is replayed into another database at the end.

#include "tests/model/social_model.h"
#include "common/base/limits.h"
#include "common/feeds/activity_list.h"
#include "common/feeds/feed.h"
#include "common/feeds/grouping_feed.h"
#include "common/feeds/invariants.h"
#include "common/feeds/reaction.h"
#include "common/json/text.h"
#include "primary/commands/feed.h"
#include "primary/commands/grouping_feed.h"
#include "tests/support/activity_rows.h"
#include "tests/support/eventually.h"
#include "tests/support/replay.h"
#include "tests/support/seed.h"
#include "tests/support/step_gate.h"

namespace feeds {
namespace {

using test::SocialModel;

constexpr std::size_t kInlineRows = 8;
constexpr std::size_t kStepRows = 5;

// A page's items up to its "next", and that.
struct Page {
  std::string items;
  std::string next;
};

Page take_apart(const std::string& page, std::string_view name) {
  const std::string begin = "{\"" + std::string(name) + "\":[";
  constexpr std::string_view kNext = "],\"next\":";
  const auto end = page.rfind(kNext);
  EXPECT_TRUE(page.starts_with(begin) && end != std::string::npos) << page;
  auto next = page.substr(end + kNext.size());
  next.pop_back();
  return {page.substr(begin.size(), end - begin.size()), std::move(next)};
}

class SocialRun {
 public:
  explicit SocialRun(std::uint64_t seed)
      : random_(seed),
        gate_(kStepRows),
        world_({.deletion_step = gate_.step(), .inline_delete_rows = kInlineRows}) {}

  void run(int steps) {
    for (int i = 0; i < 4; ++i) create_feed();
    for (int i = 0; i < 3; ++i) create_grouping_feed();
    for (const auto* id : {"c", "d", "e/\xc3\xa9"}) create_collection(id);
    commit();
    for (int i = 0; i < steps && !::testing::Test::HasFatalFailure(); ++i) {
      for (std::uint64_t n = 1 + pick(8); n > 0; --n) command();
      commit();
      if (pick(60) == 0) world_.reopen();
      if (pick(6) == 0) gate_.let(1 + pick(6), [this] { return pending() == 0; });
      if (pick(5) == 0) check_some();
    }
    check_some();
    gate_.open();
    ASSERT_TRUE(clean());
    check_all();
    world_.reopen();
    check_all();
    test::expect_log_replays(world_);
  }

 private:
  std::uint64_t pick(std::uint64_t below) { return random_() % below; }
  template <class T>
  const T& one_of(const std::vector<T>& from) {
    return from[pick(from.size())];
  }
  FeedId some_feed() {
    const auto made = model_.next_feed - kFirstId + 1;
    return FeedId{kFirstId + pick(pick(3) == 0 ? made : std::min<std::uint64_t>(made, 8))};
  }
  // Rather a young one, so that threads grow and ids that exist are met.
  ActivityId some_activity() {
    const auto made = model_.next_activity - kFirstId + 2;
    const auto back = pick(4) == 0 ? pick(made) : pick(std::min<std::uint64_t>(made, 40));
    return ActivityId{model_.next_activity + 1 - back};
  }
  std::string some_user() { return one_of<std::string>({"", "ann", "bob/%", std::string("x\0y", 3)}); }
  std::string some_object() { return one_of<std::string>({"", "1", "2", std::string("a/b\0", 4)}); }
  std::string some_collection() { return one_of<std::string>({"", "c", "d", "e/\xc3\xa9", "none"}); }
  std::string some_extra() {
    if (pick(12) == 0) return '"' + std::string(limits::kCopyBytes + pick(100), 'x') + '"';
    return std::to_string(pick(4));
  }

  // Queues a command; `judge` is what the model makes of it once it was run.
  template <class Command>
  void queue(Command command, std::function<std::string(const Command&)> judge) {
    auto kept = std::make_shared<Command>(std::move(command));
    auto submission = std::make_unique<test::TestSubmission<Command>>(*kept);
    auto outcome = std::make_shared<std::future<commit::Outcome>>(submission->outcome());
    submissions_.push_back(std::move(submission));
    judges_.push_back([kept, outcome, judge] {
      const auto status = outcome->get().status;
      const std::string code = status ? "ok" : std::string(code_info(status.error().code).name);
      if (code == "overloaded") return;  // too many deletions are pending: nothing happened
      ASSERT_EQ(code, judge(*kept)) << (status ? "" : status.error().detail);
    });
  }
  void commit() {
    world_.committer().submit(std::exchange(submissions_, {}));
    for (const auto& judge : judges_) judge();
    judges_.clear();
  }

  void command() {
    const auto dice = pick(100);
    if (dice < 25) return add();
    if (dice < 45) return react();
    if (dice < 55) return add_existing();
    if (dice < 60) return remove();
    if (dice < 72) return update();
    if (dice < 80) {
      return queue<commands::DeleteActivity>({.activity = some_activity(), .reaction = pick(3) == 0},
                                             [this](auto& done) { return model_.erase(done); });
    }
    if (dice < 86) {
      return queue<commands::CreateObject>({.collection = some_collection(), .object = some_object() + "!"},
                                           [this](auto& done) { return model_.create_object(done); });
    }
    if (dice < 90) return delete_object();
    if (dice < 92) return create_feed();
    if (dice < 94) return create_grouping_feed();
    if (dice < 95) return delete_feed();
    if (dice < 96) {
      return queue<commands::DeleteGroupingFeed>(
          {some_feed()}, [this](auto& done) { return model_.delete_grouping_feed(done.feed); });
    }
    if (dice < 97) return create_collection(some_collection() + "+");
    publish();
  }

  void add() {
    commands::AddActivity command{.object_id = some_object() + (pick(2) == 0 ? "!" : ""),
                                  .collection_id = some_collection(),
                                  .user_id = some_user(),
                                  .activity_type = "t",
                                  .extra_data = some_extra()};
    for (std::uint64_t n = 1 + pick(3); n > 0; --n) command.feeds.push_back(some_feed());
    queue<commands::AddActivity>(std::move(command), [this](auto& done) { return model_.add(done); });
  }
  void react() {
    queue<commands::CreateReaction>(
        {.parent = some_activity(), .user_id = some_user(), .extra_data = some_extra()},
        [this](auto& done) { return model_.react(done); });
  }
  void add_existing() {
    queue<commands::AddExistingActivity>({some_feed(), some_activity()}, [this](auto& done) {
      auto code = model_.add_existing(done);
      if (code == "ok") {
        EXPECT_EQ(done.value, to_json(model_.activities.at(done.activity.value)));
      }
      return code;
    });
  }
  // Rather out of a feed that it is in.
  void remove() {
    const auto activity = some_activity();
    auto feed = some_feed();
    for (const auto& [id, entries] : model_.feeds) {
      if (pick(3) == 0 && entries.contains(activity.value)) feed.value = id;
    }
    for (const auto& [id, grouping] : model_.grouping_feeds) {
      if (pick(2) == 0 && grouping.entries.contains(activity.value)) feed.value = id;
    }
    queue<commands::RemoveActivity>({feed, activity},
                                    [this](auto& done) { return model_.remove(done); });
  }
  void update() {
    queue<commands::UpdateActivity>(
        {.activity = some_activity(), .extra_data = some_extra(), .reaction = pick(3) == 0},
        [this](auto& done) {
          auto code = model_.update(done);
          if (code == "ok") {
            EXPECT_EQ(done.value, to_json(model_.activities.at(done.activity.value)));
          }
          return code;
        });
  }
  void delete_object() {
    queue<commands::DeleteObject>({some_collection(), some_object() + "!"},
                                  [this](auto& done) { return model_.delete_object(done); });
  }
  void create_feed() {
    queue<commands::CreateFeed>({}, [this](auto& done) {
      EXPECT_EQ(done.feed.value, model_.next_feed++);
      model_.feeds[done.feed.value];
      articles_[done.feed.value] = 0;
      return "ok";
    });
  }
  void create_grouping_feed() {
    const auto& format = one_of(SocialModel::formats());
    queue<commands::CreateGroupingFeed>({.key_format = format.text}, [this, &format](auto& done) {
      EXPECT_EQ(done.feed.value, model_.next_feed++);
      model_.grouping_feeds[done.feed.value].format = &format;
      return "ok";
    });
  }
  void delete_feed() {
    queue<commands::DeleteFeed>({some_feed()}, [this](auto& done) {
      articles_.erase(done.feed.value);
      return model_.feeds.erase(done.feed.value) == 1 ? "ok" : "no_such_feed";
    });
  }
  void create_collection(const std::string& id) {
    const auto type = pick(2) == 0 ? commands::DeletingType::kCascade : commands::DeletingType::kSetNil;
    queue<commands::CreateCollection>({.collection = id, .deleting_type = type}, [this](auto& done) {
      return model_.create_collection(done);
    });
  }
  void publish() {
    queue<commands::PublishArticle>({some_feed(), "text"}, [this](auto& done) {
      const auto feed = articles_.find(done.feed.value);
      if (feed == articles_.end()) return "no_such_feed";
      EXPECT_EQ(done.article.value, kFirstId + feed->second++);
      return "ok";
    });
  }

  // --- what reads show

  using Read = std::function<Status(store::View&, const PendingDeletions&,
                                    const ActivityPageRequest&, std::string&)>;

  // Walks a list page by page, and compares it with `expected`; nullopt: it is not there.
  void check_list(std::string_view name, const Read& read,
                  const std::optional<std::vector<const Activity*>>& expected) {
    auto view = world_.view();
    store::ViewReader reader(view);
    const auto pending = *PendingDeletions::load(reader);
    ActivityPageRequest request;
    request.limit = 1 + pick(30);
    std::size_t at = 0;
    while (true) {
      std::string out;
      const auto status = read(view, pending, request, out);
      ASSERT_EQ(status.ok(), expected.has_value()) << (status ? out : status.error().detail);
      if (!expected) return;
      const auto page = take_apart(out, name);
      std::string items;
      const auto end = std::min(expected->size(), at + request.limit);
      for (; at < end; ++at) {
        if (!items.empty()) items += ',';
        items += to_json(*(*expected)[at]);
      }
      ASSERT_EQ(page.items, items);
      if (pending.empty()) {
        ASSERT_EQ(page.next == "null", at == expected->size());
      }
      if (page.next == "null") break;
      request.before = ActivityId{std::stoull(page.next.substr(1))};
    }
    ASSERT_EQ(at, expected->size());
  }

  void check_some() {
    for (int i = 0; i < 10; ++i) check_activity(some_activity());
    for (int i = 0; i < 4; ++i) {
      check_feed(some_feed());
      check_reactions(some_activity());
    }
    check_object({some_collection(), some_object() + (pick(2) == 0 ? "!" : "")});
    check_invariants();
  }
  void check_all() {
    for (auto id = kFirstId; id < model_.next_activity + 1; ++id) check_activity(ActivityId{id});
    for (auto id = kFirstId; id < model_.next_feed + 1; ++id) check_feed(FeedId{id});
    for (int i = 0; i < 50; ++i) check_reactions(some_activity());
    auto view = world_.view();
    ASSERT_THAT(test::wrong_activity_rows(view), ::testing::IsEmpty());
    check_invariants();
  }

  void check_activity(ActivityId id) {
    auto view = world_.view();
    store::ViewReader reader(view);
    const auto pending = *PendingDeletions::load(reader);
    std::string out;
    const auto status = append_activity(view, pending, id, out);
    const auto expected = model_.activities.find(id.value);
    ASSERT_EQ(status.ok(), expected != model_.activities.end()) << id.value;
    if (status) {
      ASSERT_EQ(out, to_json(expected->second));
    }
  }

  void check_feed(FeedId feed) {
    std::optional<std::vector<const Activity*>> expected;
    if (const auto found = model_.feeds.find(feed.value); found != model_.feeds.end()) {
      expected = model_.newest([&](const Activity& a) { return found->second.contains(a.id.value); });
    }
    check_list(
        "activities",
        [feed](auto& view, auto& pending, auto& request, auto& out) {
          return append_feed_activities(view, pending, feed, request, out);
        },
        expected);
    const auto grouping = model_.grouping_feeds.find(feed.value);
    if (grouping != model_.grouping_feeds.end()) check_groups(feed, grouping->second);
  }

  void check_groups(FeedId feed, const SocialModel::GroupingFeed& grouping) {
    std::map<std::string, std::vector<const Activity*>> groups;
    for (auto entry = grouping.entries.rbegin(); entry != grouping.entries.rend(); ++entry) {
      groups[entry->second].push_back(&model_.activities.at(entry->first));
    }
    groups["no such group"];
    for (const auto& [key, expected] : groups) {
      check_list(
          "activities",
          [feed, &group = key](auto& view, auto& pending, auto& request, auto& out) {
            return append_group_activities(view, pending, feed, group, request, out);
          },
          expected);
    }
    groups.erase("no such group");
    check_groups_page(feed, groups);
  }

  // Order and counts of groups are right only while nothing is pending.
  void check_groups_page(FeedId feed, const std::map<std::string, std::vector<const Activity*>>& groups) {
    auto view = world_.view();
    store::ViewReader reader(view);
    const auto pending = *PendingDeletions::load(reader);
    if (!pending.empty()) return;
    std::map<std::uint64_t, std::string> order;
    for (const auto& [key, activities] : groups) order.emplace(activities[0]->id.value, key);
    std::string expected = "{\"activityGroups\":[";
    for (auto entry = order.rbegin(); entry != order.rend(); ++entry) {
      const auto& activities = groups.at(entry->second);
      if (expected.back() != '[') expected += ',';
      expected += "{\"groupKey\":";
      json::append_string(expected, entry->second);
      expected += ",\"activityCount\":" + std::to_string(activities.size()) + ",\"activities\":[";
      for (std::size_t i = 0; i < std::min<std::size_t>(3, activities.size()); ++i) {
        if (i > 0) expected += ',';
        expected += to_json(*activities[i]);
      }
      expected += "]}";
    }
    expected += "],\"next\":null}";
    std::string out;
    ASSERT_TRUE(append_groups(view, pending, feed, {.limit = 1000, .activity_limit = 3, .from = {}}, out).ok());
    ASSERT_EQ(out, expected);
  }

  void check_reactions(ActivityId id) {
    const auto found = model_.activities.find(id.value);
    const bool there = found != model_.activities.end();
    const auto text = std::to_string(id.value);
    std::optional<std::vector<const Activity*>> direct;
    std::optional<std::vector<const Activity*>> thread;
    if (there) {
      direct = model_.newest([&](const Activity& a) { return a.linked_activity_id == text; });
      const auto top = found->second.reaction() ? found->second.object_id : text;
      if (top != kDeletedMark) {
        thread = model_.newest([&](const Activity& a) { return a.reaction() && a.object_id == top; });
      }
    }
    check_list(
        "reactions",
        [id](auto& view, auto& pending, auto& request, auto& out) {
          return append_reactions(view, pending, {.activity = id, .page = request}, out);
        },
        direct);
    check_list(
        "reactions",
        [id](auto& view, auto& pending, auto& request, auto& out) {
          return append_thread(view, pending, id, request, out);
        },
        thread);
  }

  void check_object(const ObjectReference& object) {
    if (object.object_id.empty()) return;
    const auto expected = model_.newest([&](const Activity& a) {
      return !a.reaction() && a.object_id == object.object_id && a.collection_id == object.collection_id;
    });
    check_list(
        "activities",
        [&object](auto& view, auto& pending, auto& request, auto& out) {
          return append_object_activities(view, pending, object, request, out);
        },
        expected);
  }

  void check_invariants() {
    auto view = world_.view();
    const auto violations = find_violations(view, 10);
    ASSERT_TRUE(violations.ok());
    ASSERT_THAT(violations->found, ::testing::IsEmpty());
  }

  std::size_t pending() {
    std::size_t count = 0;
    const auto range = keys::range_of(keys::Space::kPending);
    world_.view().scan(range.first, range.end, [&](auto, auto) {
      ++count;
      return true;
    });
    return count;
  }
  bool clean() {
    return test::eventually([this] { return pending() == 0; }, test::kPatience,
                            std::chrono::milliseconds(1));
  }

  std::mt19937_64 random_;
  test::StepGate gate_;
  test::CommitterWorld world_;
  SocialModel model_;
  std::map<std::uint64_t, std::uint64_t> articles_;  // how many a simple feed has
  std::vector<commit::SubmissionPtr> submissions_;
  std::vector<std::function<void()>> judges_;
};

TEST(SocialModel, RandomCommands_AnswerAsThePlainModel_WhateverIsPending) {
  const auto seed = test::seed();
  for (std::uint64_t i = 0; i < 2 && !::testing::Test::HasFatalFailure(); ++i) {
    SocialRun(seed + i).run(250);
  }
}

}  // namespace
}  // namespace feeds
