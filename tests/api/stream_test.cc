#include <fstream>
#include <future>

#include "tests/api/bulk.h"
#include "tests/api/fixture.h"
#include "tests/support/eventually.h"

namespace feeds::test {
namespace {

constexpr std::uint64_t kFeeds = 60'000;

// Every simple feed in one reply: about 120 MB here, far more than a node may hold of it.
class Streams : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    node = Node::primary();
    const std::string body = "{\"extraData\":\"" + std::string(2000, 'x') + "\"}";
    const std::string create = request_text("POST", "/v1/feeds", body);
    send_many(
        node->http(), kFeeds, [&](std::size_t) { return create; }, 201);
  }
  static void TearDownTestSuite() {
    EXPECT_EQ(node->stop(), 0);
    node.reset();
  }

  // Of the ids in a list of feeds, as they stand.
  static std::vector<std::uint64_t> listed(const RawReply& reply) {
    std::vector<std::uint64_t> result;
    const std::string mark = "{\"id\":";
    for (std::size_t at = reply.body.find(mark); at != std::string::npos;
         at = reply.body.find(mark, at + 1)) {
      result.push_back(std::stoull(reply.body.substr(at + mark.size(), 20)));
    }
    return result;
  }
  static inline std::unique_ptr<Node> node;
  Api api{node->http()};
};

TEST_F(Streams, AreOneSnapshot_InBoundedMemory) {
  // The cache of blocks has a bound of its own; it is filled first.
  const std::vector<std::uint64_t> expected = listed(api.get("/v1/feeds"));
  EXPECT_EQ(expected.size(), kFeeds);
  const std::uint64_t before = node->memory_kib("VmRSS");
  node->forget_peak();
  std::vector<RawClient> readers;
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back(node->http(), 64 * 1024);
    ASSERT_TRUE(readers.back().send(request_text("GET", "/v1/feeds")));
    ASSERT_TRUE(readers.back().readable_within(kPatience));
  }
  const auto position = api.get("/v1/users?limit=1").header("Feeds-Position");
  // They have begun, and cannot have ended. What is made and deleted now, they do not see.
  api.new_feed();
  for (const std::uint64_t id :
       {expected.front(), expected[expected.size() / 2], expected.back()}) {
    EXPECT_THAT(api.del(feed_path(id)), HasStatus(204));
  }
  // Side by side: a stream that nobody takes for long is cut.
  std::vector<std::future<RawReply>> replies;
  for (RawClient& reader : readers) {
    replies.push_back(std::async(std::launch::async, [&reader] { return reader.reply(); }));
  }
  for (auto& future : replies) {
    const RawReply reply = future.get();
    ASSERT_THAT(reply.status, 200);
    EXPECT_TRUE(reply.complete);
    EXPECT_EQ(reply.header("Feeds-Position"), position);
    EXPECT_EQ(reply.body.back(), ']');
    EXPECT_TRUE(listed(reply) == expected) << "the feeds of the snapshot, each once, in order";
    EXPECT_GT(reply.body.size(), kFeeds * 2000);
  }
  const RawReply later = api.get("/v1/feeds");
  EXPECT_EQ(listed(later).size(), kFeeds - 2);
  EXPECT_LT(node->memory_kib("VmHWM"), before + 64 * 1024);
}

TEST_F(Streams, AbandonedOnes_AreForgotten) {
  for (int i = 0; i < 40; ++i) {
    RawClient reader(node->http(), 16 * 1024);
    ASSERT_TRUE(
        reader.send(request_text("GET", "/v1/feeds") + request_text("GET", "/v1/counters")));
    reader.drop_some();
    if (i % 2) reader.reset();
  }
  // Their connections end, though nothing more is asked of them.
  EXPECT_TRUE(eventually([&] {
    return api.get("/metrics").body.find("\nfeeds_open_connections 1\n") != std::string::npos;
  }));
  EXPECT_EQ(listed(api.get("/v1/feeds?limit=1000")).size(), 1000U);
}

TEST_F(Streams, Head_ScansNothing_AndPagesCoverAll) {
  const RawReply head = api.head("/v1/feeds");
  EXPECT_THAT(head, HasStatus(200));
  EXPECT_EQ(head.header("Transfer-Encoding"), "chunked");
  std::vector<std::uint64_t> walked;
  for (std::string target = "/v1/feeds?limit=1000"; !target.empty();) {
    const RawReply page = api.get(target);
    ASSERT_THAT(page.status, 200);
    const std::vector<std::uint64_t> part = listed(page);
    walked.insert(walked.end(), part.begin(), part.end());
    target = next_link(page);
  }
  EXPECT_TRUE(walked == listed(api.get("/v1/feeds")));
}

}  // namespace
}  // namespace feeds::test
