#include "tools/feedctl/verify.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <iomanip>
#include <random>
#include <sstream>

#include "common/base/guarded.h"
#include "tests/unit/feedctl/fake_node.h"

namespace feeds::feedctl {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

using Rows = std::map<std::string, std::string>;

std::string hex_of(const std::string& bytes) {
  std::ostringstream out;
  for (const char c : bytes)
    out << std::hex << std::setw(2) << std::setfill('0') << (static_cast<unsigned>(c) & 0xff);
  return out.str();
}

std::string digest_of(Rows::const_iterator begin, Rows::const_iterator end) {
  std::string all;
  for (; begin != end; ++begin) all += begin->first + "=" + begin->second + ";";
  std::ostringstream out;
  out << std::hex << std::setw(32) << std::setfill('0') << std::hash<std::string>{}(all);
  return out.str();
}

// What a node of the test holds, and how it takes being asked for a position.
struct Held {
  std::string role = "replica";
  std::string cluster = "c";
  std::uint64_t sequence = 100;
  std::map<std::string, Rows> spaces{{"articles", {}}, {"users", {}}};
  std::uint64_t limit_max = 1'000'000'000;
  // Of the position asked for, before anything else; nullopt: as it stands.
  std::function<std::optional<FakeReply>(std::uint64_t asked)> judge = {};
  std::vector<std::uint64_t> asked = {};
  std::vector<std::string> violations = {};
  int checks_passed = 0;  // checks to answer with position_passed
};

FakeReply chunk_reply(const Held& held, const FakeRequest& request) {
  const Rows& rows = held.spaces.at(request.parameter("space"));
  const std::uint64_t limit = std::stoull(request.parameter("limit"));
  if (limit > held.limit_max) return problem(400, "bad_parameter");
  auto begin = rows.begin();
  while (begin != rows.end() && hex_of(begin->first) < request.parameter("from")) ++begin;
  auto end = begin;
  std::uint64_t count = 0;
  boost::json::value last;
  for (; end != rows.end() && count < limit; ++end, ++count) last = "/data/" + end->first;
  boost::json::object body{
      {"position", "1-" + std::to_string(held.sequence)},
      {"space", request.parameter("space")},
      {"rows", count},
      {"digest", digest_of(begin, end)},
      {"first", begin == end ? boost::json::value() : boost::json::value("/data/" + begin->first)},
      {"last", last},
      {"next", end == rows.end() ? boost::json::value() : boost::json::value(hex_of(end->first))}};
  return {200, boost::json::serialize(body)};
}

FakeReply check_reply(Held& held, const FakeRequest& request) {
  if (held.checks_passed > 0 && !request.parameter("position").empty()) {
    --held.checks_passed;
    return problem(404, "position_passed");
  }
  const boost::json::object body{
      {"position", "1-" + std::to_string(held.sequence)},
      {"spaces", boost::json::object()},
      {"violations", boost::json::array(held.violations.begin(), held.violations.end())}};
  return {200, boost::json::serialize(body)};
}

FakeReply digest_reply(Held& held, const FakeRequest& request) {
  if (request.target == "/v1/cluster") {
    const boost::json::object body{{"role", held.role},
                                   {"clusterId", held.cluster},
                                   {"position", "1-" + std::to_string(held.sequence)}};
    return {200, boost::json::serialize(body)};
  }
  if (request.parameter("check") == "1") return check_reply(held, request);
  const std::uint64_t asked = std::stoull(request.parameter("position").substr(2));
  if (!request.parameter("space").empty()) return chunk_reply(held, request);
  held.asked.push_back(asked);
  if (held.judge) {
    if (auto reply = held.judge(asked)) return *reply;
  }
  if (asked < held.sequence) return problem(404, "position_passed");
  if (asked > held.sequence) return problem(503, "position_not_reached");
  boost::json::object spaces;
  for (const auto& [name, rows] : held.spaces) {
    spaces[name] = {{"rows", rows.size()}, {"digest", digest_of(rows.begin(), rows.end())}};
  }
  const boost::json::object body{{"position", "1-" + std::to_string(held.sequence)},
                                 {"spaces", spaces}};
  return {200, boost::json::serialize(body)};
}

class Verify : public ::testing::Test {
 protected:
  void SetUp() override {
    left_.with([](Held& held) { held.role = "primary"; });
  }
  static FakeReply answer(Guarded<Held>& held, const FakeRequest& request) {
    return held.with([&](Held& h) { return digest_reply(h, request); });
  }
  void fill(std::size_t rows) {
    for (auto* held : {&left_, &right_}) {
      held->with([&](Held& h) {
        for (std::size_t i = 0; i < rows; ++i)
          h.spaces["articles"][key(i)] = "v" + std::to_string(i);
      });
    }
  }
  static std::string key(std::size_t i) {
    std::ostringstream out;
    out << "a" << std::setw(6) << std::setfill('0') << i;
    return out.str();
  }
  Result<Verdict> run(std::chrono::milliseconds patience = 20s) {
    auto clients = make_clients({left_node_.url(), right_node_.url()}, 20s);
    return verify(*clients, patience);
  }
  std::string difference() {
    const auto verdict = run();
    if (!verdict) return verdict.error().detail;
    return verdict->equal ? "equal" : verdict->text;
  }

  Guarded<Held> left_, right_;
  FakeNode left_node_{[this](const FakeRequest& request) { return answer(left_, request); }};
  FakeNode right_node_{[this](const FakeRequest& request) { return answer(right_, request); }};
};

TEST_F(Verify, SameRows_AreEqual) {
  fill(100);
  const auto verdict = run();
  ASSERT_TRUE(verdict) << verdict.error().detail;
  EXPECT_TRUE(verdict->equal);
  EXPECT_THAT(verdict->text, HasSubstr("equal at 1-100: 2 nodes"));
  EXPECT_THAT(verdict->text, ::testing::ContainsRegex("articles +100 "));
}

TEST_F(Verify, Violations_AreToldOfEachNode) {
  fill(10);
  right_.with(
      [](Held& held) { held.violations = {"/data/groups/10000/a: says 2 entries, has 1"}; });
  const auto verdict = run();
  ASSERT_TRUE(verdict) << verdict.error().detail;
  EXPECT_FALSE(verdict->equal);
  EXPECT_THAT(verdict->text,
              HasSubstr("equal at 1-100, but not sound\n" + right_node_.url() +
                        ": 1 violations\n  /data/groups/10000/a: says 2 entries, has 1\n"));
}

TEST_F(Verify, PinEndedBeforeTheCheck_IsCheckedWhereTheNodeIs) {
  fill(10);
  left_.with([](Held& held) { held.checks_passed = 1; });
  EXPECT_EQ(difference(), "equal");
}

TEST(VerifyData, NoDatabase_CannotBeRead) {
  EXPECT_FALSE(verify_data("/nonexistent"));
}

TEST_F(Verify, ChangedValue_IsFound) {
  fill(5000);
  for (const std::size_t i : {std::size_t{0}, std::size_t{2500}, std::size_t{4999}}) {
    right_.with([&](Held& held) { held.spaces["articles"][key(i)] += "x"; });
    EXPECT_THAT(difference(), HasSubstr("first difference: the value of /data/" + key(i)));
    right_.with([&](Held& held) { held.spaces["articles"][key(i)] = "v" + std::to_string(i); });
  }
}

TEST_F(Verify, MissingRow_IsFound) {
  fill(3000);
  right_.with([&](Held& held) { held.spaces["articles"].erase(key(1234)); });
  const std::string text = difference();
  EXPECT_THAT(text, HasSubstr("different at 1-100"));
  EXPECT_THAT(text, HasSubstr("articles: 3000 rows at " + left_node_.url() + ", 2999 rows at " +
                              right_node_.url()));
  EXPECT_THAT(text, HasSubstr(left_node_.url() + " has /data/" + key(1234)));
  EXPECT_THAT(text, HasSubstr(right_node_.url() + " has /data/" + key(1235)));
}

TEST_F(Verify, RowPastTheEnd_IsFound) {
  fill(10);
  right_.with([&](Held& held) { held.spaces["articles"][key(10)] = "more"; });
  EXPECT_THAT(difference(), HasSubstr(left_node_.url() + " has nothing further"));
  right_.with([&](Held& held) { held.spaces["articles"].clear(); });
  EXPECT_THAT(difference(), HasSubstr(right_node_.url() + " has nothing further"));
}

TEST_F(Verify, NodeThatBoundsItsChunks_IsNarrowedAllTheSame) {
  fill(2500);
  right_.with([&](Held& held) {
    held.limit_max = 1000;
    held.spaces["articles"].erase(key(2222));
  });
  EXPECT_THAT(difference(), HasSubstr("has /data/" + key(2222)));
}

TEST_F(Verify, RandomDifferences_ShowTheFirstOne) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 10; ++round) {
    left_.with([](Held& held) { held.spaces["articles"].clear(); });
    right_.with([](Held& held) { held.spaces["articles"].clear(); });
    fill(300);
    std::size_t first = 300;
    for (int change = 0; change < 4; ++change) {
      const std::size_t i = random() % 300;
      first = std::min(first, i);
      Guarded<Held>& side = random() % 2 == 0 ? left_ : right_;
      side.with([&](Held& held) { held.spaces["articles"].erase(key(i)); });
    }
    const bool on_both = left_.copy().spaces["articles"] == right_.copy().spaces["articles"];
    if (on_both) continue;
    // A row erased on both sides is no difference.
    while (left_.copy().spaces["articles"].contains(key(first)) ==
           right_.copy().spaces["articles"].contains(key(first)))
      ++first;
    EXPECT_THAT(difference(), HasSubstr("has /data/" + key(first)));
  }
}

TEST_F(Verify, NodeAlreadyPast_IsAskedForAPositionAhead) {
  // The replica has seen a commit that the primary's answer did not hold yet.
  std::atomic<bool> is_first{true};
  right_.with([&](Held& held) {
    held.judge = [&](std::uint64_t) -> std::optional<FakeReply> {
      if (is_first.exchange(false)) return problem(404, "position_passed");
      return std::nullopt;
    };
  });
  // Both reach what is asked for ahead.
  for (auto* side : {&left_, &right_}) {
    side->with([](Held& held) {
      auto before = held.judge;
      held.judge = [&held, before](std::uint64_t asked) -> std::optional<FakeReply> {
        if (before) {
          if (auto reply = before(asked)) return reply;
        }
        held.sequence = asked;
        return std::nullopt;
      };
    });
  }
  const auto verdict = run();
  ASSERT_TRUE(verdict) << verdict.error().detail;
  EXPECT_TRUE(verdict->equal);
  EXPECT_THAT(right_.copy().asked, ::testing::ElementsAre(100, 101));
}

TEST_F(Verify, AheadNotReached_AsksForThePresentAgain) {
  std::atomic<int> calls{0};
  right_.with([&](Held& held) {
    held.judge = [&](std::uint64_t) -> std::optional<FakeReply> {
      if (calls++ == 0) return problem(404, "position_passed");
      return std::nullopt;
    };
  });
  const auto verdict = run();
  ASSERT_TRUE(verdict) << verdict.error().detail;
  EXPECT_TRUE(verdict->equal);
  EXPECT_THAT(right_.copy().asked, ::testing::ElementsAre(100, 101, 100));
}

TEST_F(Verify, LaggingNode_CannotBeCompared) {
  right_.with([](Held& held) { held.sequence = 50; });
  const auto verdict = run(50ms);
  ASSERT_FALSE(verdict);
  EXPECT_THAT(verdict.error().detail, HasSubstr("could not be caught at one position"));
}

TEST_F(Verify, OtherCluster_CannotBeCompared) {
  right_.with([](Held& held) { held.cluster = "d"; });
  const auto verdict = run();
  ASSERT_FALSE(verdict);
  EXPECT_THAT(verdict.error().detail, HasSubstr("2 clusters: c, d"));
}

TEST(VerifyFailure, NodeThatIsGone_CannotBeCompared) {
  const std::string gone = "http://127.0.0.1:1";
  auto clients = make_clients({gone, gone}, 20s);
  const auto verdict = verify(*clients, 1s);
  ASSERT_FALSE(verdict);
  EXPECT_THAT(verdict.error().detail, HasSubstr(gone));
}

}  // namespace
}  // namespace feeds::feedctl
