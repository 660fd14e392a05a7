#include "primary/commit/committer.h"

#include <sys/resource.h>

#include <csignal>

#include "common/base/limits.h"
#include "common/feeds/counter.h"
#include "common/feeds/feed.h"
#include "common/feeds/user.h"
#include "common/keys/keyspace.h"
#include "primary/commands/feed.h"
#include "primary/commands/user.h"
#include "tests/support/committer_world.h"
#include "tests/support/eventually.h"

namespace feeds::commit {
namespace {

using namespace std::chrono_literals;
using commands::CreateFeed;
using commands::CreateUser;
using commands::DeleteFeed;
using commands::PublishArticle;
using test::CommitterWorld;
using test::eventually;

FeedId make_feed(CommitterWorld& world) {
  CreateFeed command;
  EXPECT_TRUE(world.run(command).status.ok());
  return command.feed;
}

std::string page(CommitterWorld& world, FeedId feed) {
  std::string out;
  auto view = world.view();
  const auto status = append_feed_page(view, feed, {}, false, out);
  return status ? out : std::string(code_info(status.error().code).name);
}

std::size_t rows(CommitterWorld& world, keys::Range range) {
  std::size_t count = 0;
  world.view().scan(range.first, range.end, [&](auto, auto) {
    ++count;
    return true;
  });
  return count;
}

// Fails, after having written and taken an id.
struct FailingCommand {
  Status run(Group& group) {
    group.counters().take(keys::CounterKind::kFeeds);
    group.counters().add_feed(FeedId{10000});
    group.put(keys::feed_key(FeedId{77777}), "no trace");
    return Error{Code::kNoSuchFeed, "on purpose"};
  }
};

TEST(Committer, IdsFollowCommitOrderWithoutGaps) {
  CommitterWorld world;
  const auto feed = make_feed(world);
  std::vector<PublishArticle> commands(100, PublishArticle{feed, "text"});
  std::vector<PublishArticle*> pointers;
  for (auto& command : commands) pointers.push_back(&command);
  Position before;
  for (const auto& outcome : world.run_all(pointers)) {
    ASSERT_TRUE(outcome.status.ok());
    EXPECT_LE(before, *outcome.position);
    before = *outcome.position;
  }
  for (std::size_t i = 0; i < commands.size(); ++i) EXPECT_EQ(commands[i].article.value, 10000 + i);
}

TEST(Committer, AFailingCommandLeavesNoTraceAndDoesNotDisturbItsGroup) {
  CommitterWorld world;
  std::vector<SubmissionPtr> group;
  CreateFeed first;
  FailingCommand failing;
  CreateFeed second;
  auto a = std::make_unique<test::TestSubmission<CreateFeed>>(first);
  auto b = std::make_unique<test::TestSubmission<FailingCommand>>(failing);
  auto c = std::make_unique<test::TestSubmission<CreateFeed>>(second);
  auto failed = b->outcome();
  auto last = c->outcome();
  group.push_back(std::move(a));
  group.push_back(std::move(b));
  group.push_back(std::move(c));
  world.committer().submit(std::move(group));
  EXPECT_TRUE(last.get().status.ok());
  const auto outcome = failed.get();
  EXPECT_EQ(outcome.status.error().code, Code::kNoSuchFeed);
  EXPECT_TRUE(outcome.position.has_value());
  EXPECT_EQ(first.feed.value, 10000U);
  EXPECT_EQ(second.feed.value, 10001U);
  EXPECT_EQ(page(world, FeedId{77777}), "no_such_feed");
}

TEST(Committer, ACommandSeesWhatCameBeforeItInItsGroup) {
  CommitterWorld world;
  std::vector<SubmissionPtr> group;
  CreateFeed create;
  PublishArticle publish{FeedId{10000}, "a"};
  DeleteFeed remove{FeedId{10000}};
  PublishArticle late{FeedId{10000}, "b"};
  auto last = std::make_unique<test::TestSubmission<PublishArticle>>(late);
  auto outcome = last->outcome();
  group.push_back(std::make_unique<test::TestSubmission<CreateFeed>>(create));
  group.push_back(std::make_unique<test::TestSubmission<PublishArticle>>(publish));
  group.push_back(std::make_unique<test::TestSubmission<DeleteFeed>>(remove));
  group.push_back(std::move(last));
  world.committer().submit(std::move(group));
  EXPECT_EQ(outcome.get().status.error().code, Code::kNoSuchFeed);
  EXPECT_EQ(publish.article.value, 10000U);
  EXPECT_EQ(rows(world, keys::range_of(keys::Space::kArticles)), 0U);
  EXPECT_EQ(rows(world, keys::range_of(keys::Space::kFeeds)), 0U);
}

TEST(Committer, AnIdIsNotReusedAfterItsFeedIsGoneAndTheNodeRestarted) {
  CommitterWorld world;
  DeleteFeed remove{make_feed(world)};
  ASSERT_TRUE(world.run(remove).status.ok());
  world.reopen();
  EXPECT_EQ(make_feed(world).value, 10001U);
}

TEST(Committer, NothingWritten_MakesNoCommit) {
  CommitterWorld world;
  make_feed(world);
  const auto before = world.gate().current();
  commands::Unsubscribe command{UserId{10000}, FeedId{10000}};
  const auto outcome = world.run(command);
  EXPECT_EQ(outcome.status.error().code, Code::kNoSuchUser);
  EXPECT_EQ(*outcome.position, before);
  EXPECT_EQ(world.gate().current(), before);
}

TEST(Committer, EachCommit_IsShownBeforeItCanBeSeen) {
  CommitterWorld world;
  std::vector<Position> shown;
  world.close();
  world.open([&](commit::Committer& committer) {
    committer.before_commit([&](const store::SealedBatch& sealed) {
      EXPECT_LT(world.gate().current(), sealed.record.position);
      shown.push_back(sealed.record.position);
    });
  });
  for (int i = 0; i < 5; ++i) {
    CreateUser user;
    const auto outcome = world.run(user);
    ASSERT_TRUE(outcome.status.ok());
    ASSERT_EQ(shown.size(), static_cast<std::size_t>(i + 1));
    EXPECT_EQ(outcome.position, shown.back());
  }
}

TEST(Committer, AFullQueue_RefusesAtOnce) {
  CommitterWorld world({.queue = 4});
  // Holds the committer until told, so that the queue fills.
  struct Blocker {
    std::shared_future<void> until;
    std::promise<void>* entered;
    Status run(Group&) {
      entered->set_value();
      until.wait();
      return done();
    }
  };
  std::promise<void> release;
  std::promise<void> entered;
  Blocker blocker{release.get_future().share(), &entered};
  std::vector<SubmissionPtr> one;
  one.push_back(std::make_unique<test::TestSubmission<Blocker>>(blocker));
  world.committer().submit(std::move(one));
  entered.get_future().wait();

  std::vector<CreateUser> users(6);
  std::vector<std::future<Outcome>> outcomes;
  std::vector<SubmissionPtr> many;
  for (auto& user : users) {
    auto submission = std::make_unique<test::TestSubmission<CreateUser>>(user);
    outcomes.push_back(submission->outcome());
    many.push_back(std::move(submission));
  }
  world.committer().submit(std::move(many));
  EXPECT_EQ(outcomes[4].get().status.error().code, Code::kOverloaded);
  EXPECT_EQ(outcomes[5].get().status.error().code, Code::kOverloaded);
  release.set_value();
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(outcomes[i].get().status.ok());
}

TEST(Committer, AFailedWrite_RefusesWritesReopensAndLosesNothing) {
  std::signal(SIGXFSZ, SIG_IGN);
  CommitterWorld world;
  const auto feed = make_feed(world);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit tight = before;
  tight.rlim_cur = 256 * 1024;
  setrlimit(RLIMIT_FSIZE, &tight);

  std::uint64_t answered = 0;
  Outcome outcome;
  for (int i = 0; i < 1000; ++i) {
    PublishArticle command{feed, std::string(4000, 'x')};
    outcome = world.run(command);
    if (!outcome.status) break;
    ++answered;
  }
  ASSERT_FALSE(outcome.status.ok());
  EXPECT_EQ(outcome.status.error().code, Code::kWriteFailed);
  EXPECT_FALSE(outcome.position.has_value());
  PublishArticle refused{feed, "refused"};
  EXPECT_EQ(world.run(refused).status.error().code, Code::kReopening);
  // Reads go on: the probe of the disk fails, so the old handle stays open.
  EXPECT_NE(page(world, feed).find("\"next\":" + std::to_string(10000 + answered)), std::string::npos);

  setrlimit(RLIMIT_FSIZE, &before);
  PublishArticle next{feed, "after"};
  ASSERT_TRUE(eventually([&] { return world.run(next).status.ok(); }));
  EXPECT_EQ(next.article.value, 10000 + answered);
  world.reopen();
  EXPECT_NE(page(world, feed).find("\"next\":" + std::to_string(10001 + answered)), std::string::npos);
}

TEST(Deletions, AFeedOfManyArticles_IsGoneAtOnceAndCleanedBehindOtherCommands) {
  CommitterWorld world;
  const auto feed = make_feed(world);
  const auto other = make_feed(world);
  std::vector<PublishArticle> commands(5000, PublishArticle{feed, "text"});
  std::vector<PublishArticle*> pointers;
  for (auto& command : commands) pointers.push_back(&command);
  for (const auto& outcome : world.run_all(pointers)) ASSERT_TRUE(outcome.status.ok());

  DeleteFeed remove{feed};
  ASSERT_TRUE(world.run(remove).status.ok());
  EXPECT_EQ(page(world, feed), "no_such_feed");
  PublishArticle publish{other, "meanwhile"};
  EXPECT_TRUE(world.run(publish).status.ok());
  ASSERT_TRUE(eventually([&] {
    return rows(world, keys::range_of(keys::Space::kPending)) == 0 &&
           rows(world, keys::articles_of(feed)) == 0;
  }));
  EXPECT_EQ(rows(world, keys::articles_of(other)), 1U);
}

TEST(Deletions, ARestartGoesOn) {
  CommitterWorld world;
  const auto feed = make_feed(world);
  std::vector<PublishArticle> commands(8000, PublishArticle{feed, "text"});
  std::vector<PublishArticle*> pointers;
  for (auto& command : commands) pointers.push_back(&command);
  for (const auto& outcome : world.run_all(pointers)) ASSERT_TRUE(outcome.status.ok());
  DeleteFeed remove{feed};
  ASSERT_TRUE(world.run(remove).status.ok());
  world.reopen();
  ASSERT_TRUE(eventually([&] { return rows(world, keys::range_of(keys::Space::kPending)) == 0; }));
  EXPECT_EQ(rows(world, keys::articles_of(feed)), 0U);
}

TEST(Commands, CountersStartWhereToldIfNeverUsed) {
  CommitterWorld world;
  commands::StartCounters start{{{keys::CounterKind::kFeeds, std::uint64_t{1} << 40}}};
  ASSERT_TRUE(world.run(start).status.ok());
  EXPECT_EQ(make_feed(world).value, std::uint64_t{1} << 40);
  commands::StartCounters again{{{keys::CounterKind::kFeeds, 20000}}};
  ASSERT_TRUE(world.run(again).status.ok());
  EXPECT_EQ(make_feed(world).value, (std::uint64_t{1} << 40) + 1);
}

TEST(Commands, ArticlesOverTheStoredLimit_AreRefused) {
  CommitterWorld world;
  const auto feed = make_feed(world);
  PublishArticle escaped{feed, std::string(limits::kRequestBodyBytes, '\x01')};
  EXPECT_EQ(world.run(escaped).status.error().code, Code::kValueTooLarge);
  PublishArticle plain{feed, std::string(limits::kRequestBodyBytes, 'x')};
  EXPECT_TRUE(world.run(plain).status.ok());
  EXPECT_EQ(plain.article.value, 10000U);
}

}  // namespace
}  // namespace feeds::commit
