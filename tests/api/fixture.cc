#include "tests/api/fixture.h"

#include "tests/support/eventually.h"

namespace feeds::test {
namespace {

struct World {
  std::unique_ptr<Node> primary = Node::primary();
  std::unique_ptr<Node> replica = Node::replica(primary->replication());
};

std::unique_ptr<World>& world() {
  static std::unique_ptr<World> result;
  return result;
}

class StopWorld : public ::testing::Environment {
 public:
  void TearDown() override {
    if (!world()) return;
    EXPECT_EQ(world()->replica->stop(), 0);
    EXPECT_EQ(world()->primary->stop(), 0);
    world().reset();
  }
};

[[maybe_unused]] const auto* const kStopWorld = ::testing::AddGlobalTestEnvironment(new StopWorld);

World& started() {
  if (!world()) world() = std::make_unique<World>();
  return *world();
}

}  // namespace

Node& ApiTest::primary_node() {
  return *started().primary;
}

Node& ApiTest::replica_node() {
  return *started().replica;
}

RawReply ApiTest::from_replica(std::string_view method, std::string_view target,
                               std::string_view body) {
  const auto position = primary.get("/v1/users?limit=1").header("Feeds-Position");
  EXPECT_TRUE(position);
  return replica.request(
      method, target, body,
      "Feeds-Wait-Ms: 30000\r\nFeeds-Min-Position: " + position.value_or("") + "\r\n");
}

RawReply ApiTest::both(std::string_view method, std::string_view target, std::string_view body) {
  RawReply here;
  RawReply there;
  // A deletion that is still being cleaned moves the position on between the two.
  EXPECT_TRUE(eventually([&] {
    here = primary.request(method, target, body);
    there = from_replica(method, target, body);
    return here.header("Feeds-Position") == there.header("Feeds-Position");
  })) << target;
  EXPECT_EQ(here.status, there.status) << target;
  EXPECT_EQ(here.body, there.body) << target;
  for (const char* name : {"Content-Type", "Link", "Feeds-Position", "Content-Length"}) {
    EXPECT_EQ(here.header(name), there.header(name)) << target << " " << name;
  }
  return here;
}

std::uint64_t ApiTest::position() {
  return sequence(primary.get("/v1/users?limit=1"));
}

}  // namespace feeds::test
