// Every method of activities, reactions, collections and grouping feeds: written to the primary,
// read on a replica at the position of the write.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/cluster/load.h"

namespace feeds::test {
namespace {

// What is seen once the write before it is there.
struct Read {
  std::string target;
  int status = 200;
  std::string has{};
  std::string lacks{};
};

struct Write {
  std::string method;
  std::string target;
  std::string body;
  int status;
  std::vector<Read> reads;
};

// Over what is copied into indexes.
const std::string kLong = "\"" + std::string(5000, 'x') + "\"";
const std::string kFood = "/v1/collections/food%2F%E2%98%83";

// Feeds 10000 and 10001, the grouping feed 10002; ids of activities are given out from 10000 on.
const std::vector<Write>& writes() {
  static const std::vector<Write> all = {
      {"POST", "/v1/feeds", "", 201, {{"/v1/feeds/10000/activities", 200, "[]"}}},
      {"POST", "/v1/feeds", "", 201, {{"/v1/feeds/10001/activities", 200, "[]"}}},
      {"POST",
       "/v1/groupingFeeds",
       R"({"userId":"ann","keyFormat":"{{.ActivityType}}/{{.ExtraData.k}}","extraData":{"n":1.0}})",
       201,
       {{"/v1/groupingFeeds/10002", 200, R"("extraData":{"n":1.0}})"},
        {"/v1/groupingFeeds/10002/activities", 200, R"({"activityGroups":[],"next":null})"},
        {"/v1/feeds", 200, "10001", "10002"},
        {"/v1/feeds/10002/activities", 404}}},
      {"POST",
       "/v1/collections",
       R"({"id":"food/☃","deletingType":"CASCADE"})",
       201,
       {{"/v1/collections", 200, "food/☃"}, {kFood, 200, "CASCADE"}}},
      {"POST",
       "/v1/collections",
       R"({"id":"books","deletingType":"SET_NIL"})",
       201,
       {{"/v1/collections?limit=1", 200, R"("next":"books")", "food"},
        {"/v1/collections?after=books", 200, "food", "books"}}},
      {"POST",
       kFood + "/objects",
       R"({"id":"pizza","data":{"n":1.0,"n":1e5,"s":"\u0041"}})",
       201,
       {{kFood + "/objects/pizza", 200, R"({"n":1.0,"n":1e5,"s":"\u0041"})"},
        {kFood + "/objects", 200, "pizza"}}},
      {"PUT",
       kFood + "/objects/pizza",
       R"({"data":[2]})",
       200,
       {{kFood + "/objects/pizza", 200, R"("data":[2])"}}},
      {"POST",
       "/v1/collections/books/objects",
       R"({"id":"1"})",
       201,
       {{"/v1/collections/books/objects", 200, R"({"id":"1","data":null})"}}},
      {"POST",
       "/v1/feeds/10000/activities",
       R"({"objectId":"pizza","collectionId":"food/☃","time":"2024-05-01T10:00:00.123+02:00",)"
       R"("userId":"a\u0000b","activityType":"like","redirectTo":[10001,"10002"],"extraData":{"k":1}})",
       201,
       {{"/v1/activities/10000", 200, R"("createdAt":"2024-05-01T08:00:00.123000000Z")"},
        {"/v1/feeds/10000/activities", 200, R"("id":"10000")"},
        {"/v1/feeds/10001/activities", 200, R"("id":"10000")"},
        {"/v1/groupingFeeds/10002/activities", 200, R"("groupKey":"like/1","activityCount":1)"},
        {"/v1/groupingFeeds/10002/groups/activities?groupKey=like%2F1", 200, R"("id":"10000")"},
        {"/v1/activities/byObject/pizza?collectionId=food%2F%E2%98%83", 200, R"("id":"10000")"},
        {"/v1/activities/byObject/pizza", 404}}},
      {"POST",
       "/v1/feeds/10002/activities",
       R"({"objectId":"1","collectionId":"books","activityType":"like","extraData":{"k":1,"long":)" +
           kLong + "}}",
       201,
       {{"/v1/groupingFeeds/10002/activities?activityLimit=1", 200, R"("activityCount":2)",
         "pizza"},
        {"/v1/activities?objectId=1&collectionId=books", 200, kLong}}},
      {"PUT",
       "/v1/feeds/10000/activities/10001",
       "",
       200,
       {{"/v1/feeds/10000/activities?limit=1", 200, R"("next":"10001")", "pizza"},
        {"/v1/feeds/10000/activities?offsetId=10001", 200, "pizza", "books"}}},
      {"DELETE",
       "/v1/feeds/10001/activities/10000",
       "",
       204,
       {{"/v1/feeds/10001/activities", 200, "[]"}, {"/v1/activities/10000", 200}}},
      {"PATCH",
       "/v1/activities/10001",
       R"({"extraData":{"k":2}})",
       200,
       {{"/v1/activities/10001", 200, R"({"k":2})", "xxx"},
        {"/v1/feeds/10000/activities", 200, R"({"k":2})", "xxx"},
        {"/v1/groupingFeeds/10002/activities", 200, R"("groupKey":"like/2","activityCount":1)"},
        {"/v1/groupingFeeds/10002/groups/activities?groupKey=like%2F1", 200, "pizza", "books"}}},
      {"POST",
       "/v1/activities/10000/reactions",
       R"({"userId":"bob","activityType":"comment","time":1})",
       201,
       {{"/v1/reactions/10002", 200, R"("objectId":"10000")"},
        {"/v1/activities/10000/reactions", 200, R"("id":"10002")"},
        {"/v1/activities?objectId=10000", 200, "[]"}}},
      {"POST",
       "/v1/activities/10002/reactions",
       "{}",
       201,
       {{"/v1/activities/10000/reactions?depth=2", 200, R"("reactions":[{"id":"10003")"},
        {"/v1/activities/10003/thread?limit=1", 200, R"("next":"10003")"},
        {"/v1/reactions/10000", 404}}},
      {"PUT",
       "/v1/feeds/10001/activities/10003",
       "",
       200,
       {{"/v1/feeds/10001/activities", 200, R"("id":"10003")"}}},
      {"PATCH",
       "/v1/reactions/10003",
       R"({"extraData":1e2})",
       200,
       {{"/v1/reactions/10003", 200, R"("extraData":1e2})"},
        {"/v1/feeds/10001/activities", 200, R"("extraData":1e2})"},
        {"/v1/activities/10000/thread", 200, R"("extraData":1e2})"}}},
      {"DELETE",
       "/v1/reactions/10002",
       "",
       204,
       {{"/v1/reactions/10002", 404},
        {"/v1/activities/10000/reactions", 200, "[]"},
        {"/v1/activities/10000/thread", 200, R"("linkedActivityId":"deleted")"},
        {"/v1/feeds/10001/activities", 200, R"("objectId":"10000")"}}},
      {"DELETE",
       "/v1/collections/books/objects/1",
       "",
       204,
       {{"/v1/collections/books/objects/1", 404},
        {"/v1/activities/10001", 200, R"("objectId":"","collectionId":"")"},
        {"/v1/feeds/10000/activities", 200, "10001", "books"},
        {"/v1/activities?objectId=1&collectionId=books", 200, "[]"}}},
      {"DELETE",
       kFood + "/objects/pizza",
       "",
       204,
       {{kFood + "/objects", 200, "[]"},
        {"/v1/activities/10000", 404},
        {"/v1/activities/10000/reactions", 404},
        {"/v1/feeds/10000/activities", 200, "10001", "pizza"},
        {"/v1/groupingFeeds/10002/groups/activities?groupKey=like%2F1", 200, "[]"},
        {"/v1/reactions/10003", 200, R"("objectId":"deleted")"},
        {"/v1/activities/10003/thread", 404}}},
      {"PATCH",
       "/v1/groupingFeeds/10002",
       R"({"extraData":null})",
       200,
       {{"/v1/groupingFeeds/10002", 200, R"("extraData":null)"}}},
      {"DELETE",
       "/v1/activities/10001",
       "",
       204,
       {{"/v1/activities/10001", 404},
        {"/v1/feeds/10000/activities", 200, "[]"},
        {"/v1/groupingFeeds/10002/activities", 200, "[]"}}},
      {"PUT",
       "/v1/feeds/10002/activities/10003",
       "",
       422,
       {{"/v1/groupingFeeds/10002/activities", 200, "[]"}}},
      {"PATCH", "/v1/reactions/10003", R"({"extraData":{"k":"z"}})", 200, {}},
      {"PUT",
       "/v1/feeds/10002/activities/10003",
       "",
       200,
       {{"/v1/groupingFeeds/10002/activities", 200, R"("groupKey":"/z")"}}},
      {"DELETE",
       "/v1/groupingFeeds/10002",
       "",
       204,
       {{"/v1/groupingFeeds/10002", 404},
        {"/v1/groupingFeeds/10002/activities", 404},
        {"/v1/groupingFeeds/10002/groups/activities?groupKey=", 404},
        {"/v1/reactions/10003", 200}}},
      {"DELETE",
       "/v1/feeds/10001",
       "",
       204,
       {{"/v1/feeds/10001/activities", 404}, {"/v1/reactions/10003", 200}}},
  };
  return all;
}

std::vector<std::string> segments(const std::string& path) {
  std::vector<std::string> found;
  std::istringstream parts(path.substr(0, path.find('?')));
  for (std::string part; std::getline(parts, part, '/');) found.push_back(part);
  return found;
}

bool fits(const std::string& target, const std::string& pattern) {
  const auto asked = segments(target);
  const auto wanted = segments(pattern);
  return std::equal(asked.begin(), asked.end(), wanted.begin(), wanted.end(),
                    [](const auto& a, const auto& b) { return b.starts_with('{') || a == b; });
}

class SocialReplica : public testing::Test {
 protected:
  void SetUp() override {
    cluster_.start_replica();
    ASSERT_TRUE(cluster_.level());
  }

  HttpReply write(const Write& step) {
    return cluster_.primary().client()->ask(step.method, step.target, step.body, {});
  }
  void write_all() {
    for (const auto& step : writes()) {
      const auto reply = write(step);
      ASSERT_EQ(reply.status, step.status) << step.method << " " << step.target << reply.body;
    }
  }
  // The reply of a replica, after comparing it with the primary's.
  HttpReply expect_same(TestNode& replica, const std::string& target, const std::string& position) {
    const auto right = cluster_.primary().get(target);
    const auto reply =
        replica.get(target, {{"Feeds-Min-Position", position}, {"Feeds-Wait-Ms", "20000"}});
    EXPECT_EQ(reply.status, right.status) << target;
    EXPECT_EQ(reply.body, right.body) << target;
    for (const auto* header : {"feeds-position", "content-type", "content-length"}) {
      EXPECT_EQ(reply.header(header), right.header(header)) << target;
    }
    return reply;
  }
  void expect_sound() {
    ASSERT_TRUE(cluster_.level());
    const auto right = cluster_.primary().get("/v1/digest?check=1");
    EXPECT_NE(right.body.find("\"violations\":[]"), std::string::npos) << right.body;
    for (std::size_t i = 0; i < cluster_.size(); ++i) {
      EXPECT_EQ(cluster_.replica(i).get("/v1/digest?check=1").body, right.body);
    }
    expect_equal(cluster_);
  }

  TestCluster cluster_;
};

TEST_F(SocialReplica, EveryWrite_IsReadAtItsPositionAsOnThePrimary) {
  for (const auto& step : writes()) {
    const auto what = step.method + " " + step.target;
    const auto written = write(step);
    ASSERT_EQ(written.status, step.status) << what << written.body;
    for (const auto& read : step.reads) {
      const auto reply = expect_same(cluster_.replica(0), read.target, written.position());
      EXPECT_EQ(reply.position(), written.position()) << what;
      EXPECT_EQ(reply.status, read.status) << what << " then " << read.target;
      EXPECT_NE(reply.body.find(read.has), std::string::npos)
          << what << " then " << read.target << reply.body;
      if (read.lacks.empty()) continue;
      EXPECT_EQ(reply.body.find(read.lacks), std::string::npos)
          << what << " then " << read.target << reply.body;
    }
  }
  expect_sound();
}

TEST_F(SocialReplica, SnapshotHoldsTheSame) {
  write_all();
  const auto position = cluster_.primary().position();
  auto& late = cluster_.start_replica();
  for (const auto& step : writes()) {
    for (const auto& read : step.reads) expect_same(late, read.target, position);
  }
  expect_sound();
}

TEST_F(SocialReplica, WritesSentToIt_AreSentToThePrimary) {
  auto& replica = cluster_.replica(0);
  const auto before = replica.position();
  for (const auto& step : writes()) {
    const auto reply = replica.client()->ask(step.method, step.target, step.body, {});
    EXPECT_EQ(reply.status, 307) << step.method << " " << step.target;
    EXPECT_EQ(reply.header("location"), cluster_.primary().url() + step.target);
  }
  EXPECT_EQ(replica.position(), before);
  EXPECT_EQ(cluster_.primary().position(), before);
}

// The tests above leave out no method that is documented.
TEST_F(SocialReplica, EveryMethod_IsTried) {
  const auto document = boost::json::parse(cluster_.primary().get("/openapi.json").body);
  const auto tried = [](const std::string& method, const std::string& pattern) {
    return std::any_of(writes().begin(), writes().end(), [&](const Write& step) {
      if (step.method == method && step.status < 300 && fits(step.target, pattern)) return true;
      return method == "GET" &&
             std::any_of(step.reads.begin(), step.reads.end(), [&](const Read& read) {
               return read.status == 200 && fits(read.target, pattern);
             });
    });
  };
  std::size_t methods = 0;
  for (const auto& [path, item] : document.at("paths").as_object()) {
    const std::string pattern(path);
    if (pattern.find("ctivities") == pattern.npos && pattern.find("eactions") == pattern.npos &&
        pattern.find("collections") == pattern.npos && pattern.find("grouping") == pattern.npos) {
      continue;
    }
    for (const auto& [name, operation] : item.as_object()) {
      std::string method(name);
      for (auto& letter : method) letter = static_cast<char>(std::toupper(letter));
      EXPECT_TRUE(tried(method, pattern)) << method << " " << pattern;
      ++methods;
    }
  }
  EXPECT_EQ(methods, 29U);
}

}  // namespace
}  // namespace feeds::test
