#include "tests/api/fixture.h"
#include "tests/support/seed.h"

namespace feeds::test {
namespace {

// Requests that are nearly right, of every route, by chance.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : random_(seed) {}

  bool one_in(int n) { return below(n) == 0; }
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  template <class T>
  T of(const std::vector<T>& choices) {
    return choices[random_() % choices.size()];
  }

  // Of what was made lately: of what came first, little is left after a while.
  void note(const RawReply& reply) {
    if (reply.status != 201) return;
    const auto at = reply.body.find("\"id\":") + 5;
    const auto begin = reply.body.find_first_not_of("\"", at);
    const auto end = reply.body.find_first_not_of("0123456789", begin);
    if (end == begin) return;
    recent_.push_back(reply.body.substr(begin, end - begin));
    if (recent_.size() > 12) recent_.erase(recent_.begin());
  }

  std::string id() {
    if (!recent_.empty() && one_in(2)) return of(recent_);
    if (!one_in(3)) return std::to_string(10000 + below(12));
    return of<std::string>({"0",
                            "1",
                            "9999",
                            "18446744073709551615",
                            "18446744073709551616",
                            "-1",
                            "+10000",
                            "010000",
                            "1e4",
                            "",
                            "abc",
                            "%31",
                            "%zz",
                            "%2F",
                            "%00",
                            "10000.0",
                            "null",
                            "..",
                            ".",
                            "%ff",
                            "\"10000\""});
  }

  // Of a collection or an object, as a segment.
  std::string text_id() {
    return one_in(8) ? id() : of<std::string>({"a", "b", "a%2Fb", "%C3%A9"});
  }

  std::string route() {
    if (one_in(2)) {
      return of<std::string>(
          {"/v1/feeds", "/v1/feeds/@", "/v1/feeds/@", "/v1/feeds/@/publishArticle", "/v1/users",
           "/v1/users/@", "/v1/users/@/subscribe", "/v1/users/@/subscribe",
           "/v1/users/@/unsubscribe", "/v1/users/@/consumeFeeds", "/v1/users/@/consumeFeeds",
           "/v1/counters", "/healthz", "/readyz", "/v1/cluster", "/v1/digest", "/", "/v1/@"});
    }
    return of<std::string>({"/v1/feeds/@/activities",
                            "/v1/feeds/@/activities",
                            "/v1/feeds/@/activities",
                            "/v1/feeds/@/activities/@",
                            "/v1/activities",
                            "/v1/activities/@",
                            "/v1/activities/@",
                            "/v1/activities/byObject/#",
                            "/v1/activities/@/reactions",
                            "/v1/activities/@/reactions",
                            "/v1/activities/@/thread",
                            "/v1/reactions/@",
                            "/v1/reactions/@",
                            "/v1/collections",
                            "/v1/collections/#",
                            "/v1/collections/#/objects",
                            "/v1/collections/#/objects/#",
                            "/v1/groupingFeeds",
                            "/v1/groupingFeeds/@",
                            "/v1/groupingFeeds/@/activities",
                            "/v1/groupingFeeds/@/groups/activities"});
  }

  std::string target() {
    std::string path = route();
    for (std::size_t at = 0; (at = path.find_first_of("@#", at)) != std::string::npos;) {
      path.replace(at, 1, path[at] == '@' ? id() : text_id());
    }
    if (one_in(10)) path += "/";
    if (one_in(20))
      path.insert(static_cast<std::size_t>(below(static_cast<int>(path.size()) + 1)),
                  of<std::string>({"/", "%", "%41", ";", "//"}));
    std::string query;
    for (int i = below(3); i > 0; --i) {
      query += (query.empty() ? "?" : "&") +
               of<std::string>({"feedId=", "feedId=", "feedId=", "startId=", "limit=", "after=",
                                "position=1-", "space=", "from=", "x=", "offsetId=", "depth=",
                                "objectId=", "collectionId=", "groupKey=", "activityLimit="}) +
               of<std::string>({id(), id(), std::to_string(below(20)), "feeds", "/articles/" + id(),
                                "1000", "1001", "abcd"});
    }
    return path + query;
  }

  std::string headers() {
    std::string result;
    if (one_in(2)) {
      result += "Content-Type: " +
                of<std::string>({"application/json", "application/json", "text/plain",
                                 "text/plain; charset=utf-8", "text/html", "",
                                 "application/json; charset=latin1", "/", ";"}) +
                "\r\n";
    }
    if (one_in(8)) {
      result += "Feeds-Min-Position: " +
                of<std::string>({"1-0", "1-1", "1-5", "1-999999999", "2-1", "0-0", "x", "1-", ""}) +
                "\r\n";
      result += "Feeds-Wait-Ms: " + of<std::string>({"0", "1", "2", "-1", "x"}) + "\r\n";
    }
    if (one_in(30)) result += "Content-Encoding: gzip\r\n";
    if (one_in(30)) result += "Origin: https://a.example\r\n";
    if (one_in(30)) result += "Connection: close\r\n";
    if (one_in(30))
      result += "If-None-Match: *\r\nRange: bytes=0-1\r\nAccept: image/png\r\nCookie: \xff\r\n";
    return result;
  }

  std::string value(int depth = 0) {
    switch (below(depth > 4 ? 7 : 10)) {
      case 0:
        return "null";
      case 1:
        return of<std::string>({"true", "false", "tru"});
      case 2:
        return of<std::string>({"1", "1.0", "1e5", "-0", "01", "10000",
                                "123456789012345678901234567890", "1e", "10000.0"});
      case 3:
        return "\"" + id() + "\"";
      case 4:
        return of<std::string>({"\"a\\u0000b\"", "\"\\ud800\"", "\"\\ud83d\\ude00\"", "\"\xff\"",
                                "\"\u00e9\"", "\"", "\"\\q\""});
      case 5:
      case 6:
        return id();
      case 7:
        return "[" + value(depth + 1) + (one_in(2) ? "," + value(depth + 1) : "") + "]";
      default:
        return object(depth + 1);
    }
  }

  std::string object(int depth = 0) {
    std::string result = "{";
    for (int i = below(3); i > 0; --i) {
      if (result.size() > 1) result += ",";
      result += "\"" +
                of<std::string>(
                    {"extraData", "extraData", "text", "text", "userId", id(), id(), "x", ""}) +
                "\"" + of<std::string>({":", ":", " : "}) + value(depth);
    }
    return result + "}";
  }

  // What a route for `target` may take, or nearly.
  std::string body_for(const std::string& target) {
    if (one_in(3)) return body();
    const auto id_text = [this] {
      return "\"" + of<std::string>({"a", "b", "a/b", "é", "."}) + "\"";
    };
    const auto of_route = [&](std::string_view part) { return target.find(part) != target.npos; };
    if (of_route("/objects")) return "{\"id\":" + id_text() + ",\"data\":" + value() + "}";
    if (of_route("/collections")) {
      return "{\"id\":" + id_text() +
             ",\"deletingType\":" + of<std::string>({"\"CASCADE\"", "\"SET_NIL\"", "\"NONE\""}) +
             "}";
    }
    if (of_route("/groupingFeeds")) {
      return "{\"keyFormat\":" +
             of<std::string>({"\"\"", "\"{{.UserId}}\"", "\"{{slice .ObjectId 0 1}}\"",
                              "\"{{.ExtraData}}\"", "\"{{\"", "1"}) +
             "}";
    }
    if (of_route("ctivities") && !of_route("reactions")) {
      return "{\"objectId\":" + (one_in(8) ? value() : id_text()) +
             (one_in(2) ? ",\"collectionId\":" + id_text() : "") +
             (one_in(4) ? ",\"redirectTo\":[" + id() + "]" : "") +
             (one_in(2) ? ",\"extraData\":" + value() : "") + "}";
    }
    return one_in(2) ? "{\"extraData\":" + value() + "}" : body();
  }

  std::string body() {
    std::string result = one_in(3) ? "" : one_in(6) ? value() : object();
    if (!result.empty() && one_in(6)) {
      result[static_cast<std::size_t>(below(static_cast<int>(result.size())))] =
          static_cast<char>(below(256));
    }
    return result;
  }

  std::string method() {
    return of<std::string>({"GET", "GET", "GET", "POST", "POST", "POST", "POST", "PATCH", "PATCH",
                            "HEAD", "DELETE", "PUT", "PUT", "OPTIONS", "X"});
  }

 private:
  std::mt19937_64 random_;
  std::vector<std::string> recent_;
};

std::uint64_t position_of(Api& api) {
  return sequence(api.get("/v1/users?limit=1"));
}

TEST(ApiFuzz, Refused_ChangesNothing_AndIsAKnownProblem) {
  const std::uint64_t start = seed();
  const auto node = Node::primary();
  Api api(node->http());
  Chance chance(start);
  for (int i = 0; i < 3; ++i) {
    api.new_feed();
    api.new_user();
  }
  std::map<int, int> statuses;
  std::uint64_t position = position_of(api);
  for (int i = 0; i < 12000 && !::testing::Test::HasFailure(); ++i) {
    const std::string method = chance.method();
    const std::string target = chance.target();
    const std::string body = chance.body_for(target);
    const std::string headers = chance.headers();
    const RawReply reply = api.request(method, target, body, headers);
    SCOPED_TRACE(request_text(method, target, body, headers));
    ++statuses[reply.status];
    chance.note(reply);
    const std::uint64_t now = position_of(api);
    EXPECT_GE(now, position);
    if (reply.status >= 300 || method == "GET" || method == "HEAD" || method == "OPTIONS") {
      EXPECT_EQ(now, position);
    }
    position = now;
  }
  for (const int status : {200, 201, 204, 400, 404, 405, 409, 415})
    EXPECT_GT(statuses[status], 0) << status;
  // By a fresh node: this one may have pinned all the positions it can.
  const auto follower = Node::replica(node->replication());
  Api there(follower->http());
  there.get("/v1/users?limit=1",
            path("Feeds-Wait-Ms: 30000\r\nFeeds-Min-Position: 1-", position, "\r\n"));
  EXPECT_EQ(parse(there.get("/v1/digest?check=1")).at("violations"), json::array());
  EXPECT_EQ(node->stop(), 0);
}

TEST(ApiFuzz, SideBySide_LeavesReplicaAndPrimaryEqual) {
  const std::uint64_t start = seed();
  const auto node = Node::primary();
  const auto follower = Node::replica(node->replication());
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      Api api(t == 5 ? follower->http() : node->http());
      Chance chance(start + t);
      for (int i = 0; i < 1500 && !::testing::Test::HasFailure(); ++i) {
        const std::string method = chance.method();
        const std::string target = chance.target();
        // Each position asked for is pinned for a minute, and few can be: leave them for the end.
        if (target.find("digest") != std::string::npos) continue;
        const std::string body = chance.body_for(target);
        chance.note(api.request(method, target, body, chance.headers()));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  Api here(node->http());
  Api there(follower->http());
  const std::string position = path("1-", position_of(here));
  const std::string min = "Feeds-Wait-Ms: 30000\r\nFeeds-Min-Position: " + position + "\r\n";
  for (const char* target : {"/v1/feeds", "/v1/users", "/v1/counters", "/v1/collections"}) {
    EXPECT_EQ(here.get(target).body, there.get(target, min).body);
  }
  EXPECT_EQ(here.get("/v1/digest?position=" + position).body,
            there.get("/v1/digest?position=" + position).body);
  for (Api* node_api : {&here, &there}) {
    EXPECT_EQ(parse(node_api->get("/v1/digest?check=1")).at("violations"), json::array());
  }
}

// What many do to the same few things at once comes out as if one after the other.
TEST(Contention, OnTheSameThings_KeepsEveryRule) {
  const auto node = Node::primary();
  Api api(node->http());
  const std::uint64_t user = api.new_user();
  constexpr int kRounds = 60;
  constexpr int kThreads = 6;
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t feed = api.new_feed();
    std::atomic<int> deletions = 0;
    std::atomic<int> published = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        Api own(node->http());
        for (int i = 0; i < 4; ++i) {
          published += own.post(feed_path(feed), "x").status == 201;
          own.post(subscribe_path(user, feed));
          if ((t + i) % 2) own.post(user_path(user, path("/unsubscribe?feedId=", feed)));
          own.post(user_path(user, "/consumeFeeds"));
        }
        deletions += own.del(feed_path(feed)).status == 204;
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(deletions, 1);
    EXPECT_GE(published, 4);
    EXPECT_THAT(api.get(feed_path(feed)), IsProblem(Code::kNoSuchFeed));
  }
  EXPECT_EQ(api.post(user_path(user, "/consumeFeeds")).body, "[]");
  EXPECT_EQ(api.get("/v1/feeds").body, "[]");
  EXPECT_EQ(parse(api.get("/v1/counters")).at(1).at("value"), json::value(10000 + kRounds));
}

}  // namespace
}  // namespace feeds::test
