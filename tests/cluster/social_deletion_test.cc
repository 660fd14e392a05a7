// Large deletions of what activities are in, point at or answer to: complete to readers at once,
// cleaned up later, whatever is killed meanwhile.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/cluster/load.h"

namespace feeds::test {
namespace {

constexpr std::uint64_t kMany = 20'000;
constexpr std::uint64_t kBegun = 2'000;  // entries written, a few of those of a whole deletion

const std::string kPending = "/system/pending/";

// What a reader must be shown.
struct Look {
  std::string target;
  int status = 200;
  std::string has{};
  std::string lacks{};
};

struct Going {
  std::string target;       // DELETE it
  std::string rows;         // as the dump prints them: what goes, kMany of them
  std::string space;        // where these are
  std::uint64_t left;       // of its rows, in the end
  std::vector<Look> looks;  // true from the answer on
};

enum class Kind { kFeed, kGroupingFeed, kCascade, kSetNil, kReactions };

std::string name_of(Kind kind) {
  constexpr const char* kNames[] = {"Feed", "GroupingFeed", "Cascade", "SetNil", "Reactions"};
  return kNames[static_cast<int>(kind)];
}

std::uint64_t sequence(const std::string& position) {
  const auto dash = position.find('-');
  return dash == std::string::npos ? 0 : std::stoull(position.substr(dash + 1));
}

// Empty, or what is wrong with the reply.
std::string fault(const Look& look, const HttpReply& reply) {
  const auto& body = reply.body;
  if (reply.status == look.status && (look.has.empty() || body.find(look.has) != body.npos) &&
      (look.lacks.empty() || body.find(look.lacks) == body.npos)) {
    return {};
  }
  return look.target + " was answered " + std::to_string(reply.status) + ": " + body.substr(0, 500);
}

// A reader that looks again and again, also at a node that dies and comes back.
class Watch {
 public:
  Watch(const TestNode& node, std::vector<Look> looks, const std::string& position)
      : address_(node.http()),
        looks_(std::move(looks)),
        there_{{"Feeds-Min-Position", position}, {"Feeds-Wait-Ms", "30000"}},
        thread_([this] { run(); }) {}
  ~Watch() {
    stopping_ = true;
    thread_.join();
    EXPECT_EQ(fault_, "");
  }

  // Waits until it has looked at everything once more.
  [[nodiscard]] bool again() {
    const auto rounds = rounds_ + 2;
    return eventually([&] { return failed_ || rounds_ >= rounds; }) && !failed_;
  }

 private:
  void run() {
    HttpClient client(address_);
    while (!stopping_ && !failed_) {
      bool whole = true;
      for (const auto& look : looks_) {
        const auto reply = client.get(look.target, there_);
        // No node, or one that starts.
        const bool absent = reply.status == 0 || reply.status == 503;
        if (!absent && fault_.empty()) fault_ = fault(look, reply);
        whole = whole && !absent;
      }
      failed_ = !fault_.empty();
      if (whole) ++rounds_;
      std::this_thread::sleep_for(
          std::chrono::milliseconds(20));  // leaves the processors to others
    }
  }

  std::string address_;
  std::vector<Look> looks_;
  HttpClient::Headers there_;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> failed_{false};
  std::atomic<std::uint64_t> rounds_{0};
  std::string fault_;  // the thread's until it has ended
  std::thread thread_;
};

class SocialDeletion : public testing::TestWithParam<Kind> {
 protected:
  SocialDeletion() : proxy_(cluster_.primary().replication()) {}

  void SetUp() override {
    home_ = "/v1/feeds/" + std::to_string(make_feed(cluster_.primary()));
    busy_ = make_feed(cluster_.primary());
    going_ = make();
    cluster_.start_replica({}, proxy_.address());
    ASSERT_TRUE(cluster_.level());
  }

  // The id of what a POST made, as text.
  std::string made(const std::string& target, const std::string& body = {}) {
    const auto id = created_id(cluster_.primary().post(target, body));
    EXPECT_NE(id, 0U) << target << " " << body;
    return std::to_string(id);
  }
  void many(const std::string& target, const std::string& body) {
    post_many(cluster_.primary().http(), target, kMany - 1, 300, [&](auto) { return body; });
  }

  Going make() {
    switch (GetParam()) {
      case Kind::kFeed:
        return feed();
      case Kind::kGroupingFeed:
        return grouping_feed();
      case Kind::kCascade:
        return object("CASCADE");
      case Kind::kSetNil:
        return object("SET_NIL");
      case Kind::kReactions:
        return reactions();
    }
    return {};
  }

  Going feed() {
    const auto id = made("/v1/feeds");
    const auto target = "/v1/feeds/" + id;
    const auto body = R"({"userId":"u","redirectTo":[)" + home_.substr(10) + "]}";
    const auto first = made(target + "/activities", body);
    many(target + "/activities", R"({"userId":"u"})");
    return {
        target,
        "/data/feed_activities/" + id + "/",
        "feed_activities",
        1,
        {{target, 404},
         {target + "/activities", 404},
         {"/v1/feeds", 200, home_.substr(10), "\"id\":" + id},
         {"/v1/activities/" + first, 200, first},
         {home_ + "/activities?offsetId=" + std::to_string(std::stoull(first) + 1), 200, first}}};
  }

  Going grouping_feed() {
    const auto id = made("/v1/groupingFeeds", R"({"keyFormat":"{{.UserId}}"})");
    const auto target = "/v1/groupingFeeds/" + id;
    const auto body = R"({"userId":"u","redirectTo":[)" + id + "]}";
    const auto first = made(home_ + "/activities", body);
    many("/v1/feeds/" + id + "/activities", R"({"userId":"u"})");
    return {target,
            "/data/grouping_feed_activities/" + id + "/",
            "grouping_feed_activities",
            0,
            {{target, 404},
             {target + "/activities", 404},
             {target + "/groups/activities?groupKey=u", 404},
             {"/v1/activities/" + first, 200, first},
             {home_ + "/activities", 200, "\"u\""}}};
  }

  // Activities about one object in a simple and a grouping feed, one of them with a reaction, and
  // one about another collection's object of the same id.
  Going object(const std::string& type) {
    made_text("/v1/collections", R"({"id":"food","deletingType":")" + type + "\"}");
    made_text("/v1/collections/food/objects", R"({"id":"pizza"})");
    const auto group = made("/v1/groupingFeeds", R"({"keyFormat":"{{.UserId}}"})");
    const auto about = [&](const std::string& collection) {
      return R"({"userId":"u","objectId":"pizza","collectionId":")" + collection +
             R"(","redirectTo":[)" + group + "]}";
    };
    const auto add = home_ + "/activities";
    const auto other = made(add, about("books"));
    const auto first = made(add, about("food"));
    const auto reply = made("/v1/activities/" + first + "/reactions", "{}");
    many(add, about("food"));
    const bool cascade = type == "CASCADE";
    const std::string refers = R"("objectId":"pizza","collectionId":"food")";
    const std::string inside = "/v1/groupingFeeds/" + group + "/groups/activities?groupKey=u";
    const std::string oldest = "&offsetId=" + std::to_string(std::stoull(first) + 1);
    const auto one = "/v1/activities/" + first;
    return {"/v1/collections/food/objects/pizza",
            "/data/object_id_activities/food/pizza/",
            "object_id_activities",
            1,
            {{"/v1/collections/food/objects/pizza", 404},
             {"/v1/activities?objectId=pizza&collectionId=food&limit=100", 200, "[]"},
             {"/v1/activities?objectId=pizza&collectionId=books", 200, other},
             cascade ? Look{one, 404} : Look{one, 200, R"("objectId":"","collectionId":"")"},
             {add + "?limit=100", 200, cascade ? "" : "\"u\"", refers},
             {add + "?limit=2" + oldest, 200, other, refers},
             {inside + "&limit=100", 200, cascade ? "" : "\"u\"", refers},
             {inside + oldest, 200, other, refers},
             {"/v1/reactions/" + reply, 200, cascade ? R"("objectId":"deleted")" : first}}};
  }

  Going reactions() {
    const auto post = made(home_ + "/activities", R"({"userId":"u"})");
    const auto target = "/v1/activities/" + post;
    const auto first = made(target + "/reactions", "{}");
    const auto nested = made("/v1/activities/" + first + "/reactions", "{}");
    post_many(cluster_.primary().http(), target + "/reactions", kMany - 2, 300,
              [](auto) { return "{}"; });
    const auto thread = "\"objectId\":\"" + post;
    const auto newest = std::to_string(std::stoull(nested) + kMany - 2);
    const std::string marked = R"("objectId":"deleted","collectionId":"","linkedActivityId":")";
    return {target,
            "/data/thread_reactions/" + post + "/",
            "thread_reactions",
            0,
            {{target, 404},
             {target + "/reactions", 404},
             {target + "/thread", 404},
             {home_ + "/activities", 200, "[]"},
             {"/v1/reactions/" + first, 200, marked + "deleted"},
             {"/v1/reactions/" + newest, 200, marked + "deleted"},
             {"/v1/reactions/" + nested, 200, marked + first},
             {"/v1/activities/" + first + "/thread", 404},
             {"/v1/activities/" + first + "/reactions?depth=2", 200, marked + first, thread}}};
  }

  void made_text(const std::string& target, const std::string& body) {
    EXPECT_EQ(cluster_.primary().post(target, body).status, 201) << body;
  }

  // Lines of a node's dump that start with a prefix.
  static std::uint64_t rows(const TestNode& node, const std::string& prefix) {
    const auto dumped = run_program({program("feedctl"), "dump", "--data", node.data().string()});
    EXPECT_EQ(dumped.code, 0) << dumped.err;
    std::istringstream lines(dumped.out);
    std::uint64_t count = 0;
    for (std::string line; std::getline(lines, line);) count += line.starts_with(prefix);
    return count;
  }
  // Of a node that is not running: the deletion is recorded, and some of its rows are gone.
  void expect_amid(const TestNode& node) {
    EXPECT_EQ(rows(node, kPending), 1U);
    const auto left = rows(node, going_.rows);
    EXPECT_GT(left, 0U);
    EXPECT_LT(left, kMany);
  }
  [[nodiscard]] bool begun(TestNode& node, const std::string& deleted) {
    return eventually([&] { return sequence(node.position()) >= sequence(deleted) + kBegun; },
                      kPatience, std::chrono::milliseconds(1));
  }

  void expect_cleaned(double snapshots) {
    ASSERT_TRUE(eventually([&] { return rows(cluster_.primary(), kPending) == 0; }, kPatience,
                           std::chrono::milliseconds(200)));
    expect_equal(cluster_, snapshots);
    const auto right = cluster_.primary().get("/v1/digest?check=1");
    ASSERT_EQ(right.status, 200) << right.body;
    const auto digest = boost::json::parse(right.body);
    EXPECT_EQ(digest.at("violations"), boost::json::array());
    EXPECT_EQ(digest.at("spaces").at("pending").at("rows"), 0);
    EXPECT_EQ(digest.at("spaces").at(going_.space).at("rows"), going_.left);
    EXPECT_EQ(cluster_.replica(0).get("/v1/digest?check=1").body, right.body);
  }

  TestCluster cluster_;
  Proxy proxy_;
  std::string home_;
  std::uint64_t busy_ = 0;
  Going going_;
};

TEST_P(SocialDeletion, PrimaryKilledAmidCleaning_GoesOn) {
  auto& primary = cluster_.primary();
  // Where others write, cleaning takes small steps, and so is met halfway.
  Load load(primary.http(), {busy_}, 1);
  load.start();
  ASSERT_TRUE(load.wait_for(1));
  const auto deleted = primary.del(going_.target);
  ASSERT_EQ(deleted.status, 204);
  Watch here(primary, going_.looks, deleted.position());
  Watch there(cluster_.replica(0), going_.looks, deleted.position());
  EXPECT_EQ(primary.del(going_.target).status, 404);
  ASSERT_TRUE(begun(primary, deleted.position()));
  primary.kill();
  expect_amid(primary);
  load.stop();
  // From here on nobody writes: it goes on by itself.
  ASSERT_TRUE(primary.start());
  ASSERT_TRUE(here.again());
  ASSERT_TRUE(there.again());
  expect_cleaned(1);
  load.expect_all_on(primary);
  ASSERT_TRUE(here.again());
  ASSERT_TRUE(there.again());
}

TEST_P(SocialDeletion, ReplicaKilledAmidCleaning_GoesOn) {
  auto& primary = cluster_.primary();
  auto& replica = cluster_.replica(0);
  proxy_.throttle(500'000);
  const auto deleted = primary.del(going_.target);
  ASSERT_EQ(deleted.status, 204);
  Watch here(primary, going_.looks, deleted.position());
  Watch there(replica, going_.looks, deleted.position());
  ASSERT_TRUE(begun(replica, deleted.position()));
  replica.kill();
  expect_amid(replica);
  ASSERT_TRUE(replica.start());
  ASSERT_TRUE(there.again());
  proxy_.resume();
  expect_cleaned(0);
  ASSERT_TRUE(here.again());
  ASSERT_TRUE(there.again());
}

INSTANTIATE_TEST_SUITE_P(Kinds, SocialDeletion,
                         testing::Values(Kind::kFeed, Kind::kGroupingFeed, Kind::kCascade,
                                         Kind::kSetNil, Kind::kReactions),
                         [](const auto& of) { return name_of(of.param); });

}  // namespace
}  // namespace feeds::test
