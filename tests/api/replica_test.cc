#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/api/fixture.h"

namespace feeds::test {
namespace {

using namespace std::chrono_literals;

class Replica : public ApiTest {
 protected:
  std::uint64_t feed = primary.new_feed();
  std::uint64_t user = primary.new_user();
};

TEST_F(Replica, Writes_AreRedirectedToThePrimary) {
  const std::vector<std::pair<std::string, std::string>> writes = {
      {"POST", "/v1/feeds"},
      {"PATCH", feed_path(feed)},
      {"DELETE", feed_path(feed)},
      {"POST", feed_path(feed)},
      {"POST", feed_path(feed, "/publishArticle")},
      {"POST", feed_path(feed, "/publishArticle?x=%2F&y")},
      {"POST", "/v1/users"},
      {"POST", subscribe_path(user, feed)},
      {"POST", user_path(user, "/unsubscribe?feedId=%31")},
      {"POST", "/v1/feeds/"},
      {"POST", "/v1/feeds/999999999/publishArticle"},
  };
  const std::uint64_t before = position();
  for (const auto& [method, target] : writes) {
    for (const char* type :
         {"", "Content-Type: image/png\r\n", "Feeds-Min-Position: nonsense\r\n"}) {
      const RawReply moved = replica.request(method, target, "body", type);
      EXPECT_EQ(moved.status, 307) << method << " " << target;
      EXPECT_EQ(moved.header("Location"), "http://" + primary.address() + target);
      EXPECT_EQ(moved.header("Feeds-Position"), std::nullopt);
    }
  }
  EXPECT_EQ(position(), before);
}

TEST_F(Replica, Redirection_OfAnAbsoluteTarget_IsToThePrimaryOnly) {
  const std::string feeds = "http://" + primary.address() + "/v1/feeds";
  EXPECT_EQ(replica.post("http://elsewhere/v1/feeds").header("Location"), feeds);
  EXPECT_EQ(replica.post("http://elsewhere:1/v1/feeds?x=%2F").header("Location"), feeds + "?x=%2F");
}

TEST_F(Replica, Redirection_DoesNotWaitForTheBody) {
  RawClient client(replica.address());
  client.send("POST " + feed_path(feed) +
              " HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nfirst bytes");
  const RawReply moved = client.reply();
  EXPECT_EQ(moved.status, 307);
  EXPECT_TRUE(moved.complete);
  RawClient chunked(replica.address());
  chunked.send("POST " + feed_path(feed) +
               " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_EQ(chunked.reply().status, 307);
  // One far over the bound, whose client sends all of it before it looks.
  RawClient large(replica.address());
  large.send("POST " + feed_path(feed) +
             " HTTP/1.1\r\nHost: a\r\nContent-Length: 20971520\r\n\r\n");
  const std::string mib(1 << 20, 'x');
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(large.send(mib)) << i;
  EXPECT_EQ(large.reply().status, 307);
}

TEST_F(Replica, Writes_ToUnknownRoutes_Are404And405First) {
  EXPECT_THAT(replica.post("/v1/nothing", "x"), IsProblem(Code::kNoSuchRoute));
  EXPECT_THAT(replica.request("PUT", "/v1/feeds", "x"), IsProblem(Code::kMethodNotAllowed));
}

TEST_F(Replica, Reads_AreThoseOfThePrimary) {
  primary.publish(feed, "caf\u00e9");
  primary.subscribe(user, feed);
  for (const std::string& target :
       {std::string("/v1/feeds"), std::string("/v1/feeds?limit=3"), feed_path(feed),
        feed_path(feed, "?startId=10000&limit=1"), feed_path(1), std::string("/v1/users"),
        std::string("/v1/users?limit=3"), user_path(user), user_path(1),
        std::string("/v1/counters"), std::string("/v1/counters?limit=4"),
        std::string("/v1/feeds?limit=0"), std::string("/v1/nothing")}) {
    both(target);
    both("HEAD", target);
  }
  both("POST", user_path(user, "/consumeFeeds"));
}

// A replica that has never met a primary has nothing to answer from, and nobody to send writers to.
class Lonely : public ::testing::Test {
 protected:
  // A port on which nobody listens: bound, so that nobody else gets it, and never told to listen.
  class DeafPort {
   public:
    DeafPort() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      socklen_t size = sizeof address;
      ::bind(fd_, reinterpret_cast<sockaddr*>(&address), size);
      ::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
      address_ = path("127.0.0.1:", ntohs(address.sin_port));
    }
    ~DeafPort() { ::close(fd_); }
    const std::string& address() const { return address_; }

   private:
    int fd_;
    std::string address_;
  };

  DeafPort port;
  std::unique_ptr<Node> node = Node::replica(port.address());
  Api api{node->http()};
};

TEST_F(Lonely, Reads_AreBehindWithoutAPosition) {
  for (const char* target :
       {"/v1/feeds", "/v1/feeds?limit=1", "/v1/feeds/10000", "/v1/feeds/10000?startId=1",
        "/v1/users", "/v1/users/10000", "/v1/counters"}) {
    for (const char* headers : {"", "Feeds-Min-Position: 1-0\r\nFeeds-Wait-Ms: 0\r\n",
                                "Feeds-Min-Position: 1-5\r\nFeeds-Wait-Ms: 10\r\n"}) {
      const RawReply refused = api.get(target, headers);
      EXPECT_THAT(refused, IsProblem(Code::kReplicaBehind)) << target;
      EXPECT_EQ(refused.header("Feeds-Position"), std::nullopt);
    }
    EXPECT_EQ(api.head(target).status, 503);
  }
  EXPECT_THAT(api.post("/v1/users/10000/consumeFeeds"), IsProblem(Code::kReplicaBehind));
  EXPECT_THAT(api.get("/v1/feeds?limit=0"), IsProblem(Code::kBadParameter, "limit"))
      << "syntax is judged first";
}

TEST_F(Lonely, Writes_HaveNoPrimary) {
  for (const auto& [method, target] : std::vector<std::pair<std::string, std::string>>{
           {"POST", "/v1/feeds"},
           {"POST", "/v1/users"},
           {"DELETE", "/v1/feeds/10000"},
           {"PATCH", "/v1/feeds/10000"},
           {"POST", "/v1/feeds/10000/publishArticle"},
           {"POST", "/v1/users/1/subscribe?feedId=1"}}) {
    EXPECT_THAT(api.request(method, target, "x"), IsProblem(Code::kNoPrimary))
        << method << " " << target;
  }
  EXPECT_THAT(api.post("/v1/nothing"), IsProblem(Code::kNoSuchRoute));
  EXPECT_THAT(api.request("PUT", "/v1/feeds"), IsProblem(Code::kMethodNotAllowed));
}

TEST_F(Lonely, IsAliveButNotReady) {
  EXPECT_THAT(api.get("/healthz"), HasStatus(200));
  EXPECT_THAT(api.get("/readyz"), IsProblem(Code::kNotReady));
  const json::value cluster = parse(api.get("/v1/cluster"));
  EXPECT_EQ(cluster.at("role"), json::value("replica"));
  EXPECT_EQ(cluster.at("state"), json::value("connecting"));
  for (const char* unknown : {"clusterId", "position", "head", "lagMs", "primary"}) {
    EXPECT_TRUE(cluster.at(unknown).is_null()) << unknown << " " << cluster;
  }
  EXPECT_EQ(api.get("/metrics").body.find("\nfeeds_lag_seconds"), std::string::npos)
      << "unknown is absent, never 0";
}

TEST(ReplicaWithoutPrimary, ServesWhatItHas_AndStillRedirects) {
  auto primary = Node::primary();
  const auto node = Node::replica(primary->replication());
  Api writer(primary->http());
  Api reader(node->http());
  const std::uint64_t feed = writer.new_feed();
  const RawReply made = writer.post(feed_path(feed), "x");
  const std::string min =
      "Feeds-Wait-Ms: 30000\r\nFeeds-Min-Position: " + *made.header("Feeds-Position") + "\r\n";
  EXPECT_THAT(article_ids(reader.get(feed_path(feed), min)), testing::ElementsAre(10000));
  const std::string address = primary->http();
  EXPECT_EQ(primary->stop(), 0);
  EXPECT_THAT(article_ids(reader.get(feed_path(feed), min)), testing::ElementsAre(10000));
  const RawReply moved = reader.post(feed_path(feed), "x");
  EXPECT_EQ(moved.status, 307);
  EXPECT_EQ(moved.header("Location"), "http://" + address + feed_path(feed));
}

}  // namespace
}  // namespace feeds::test
