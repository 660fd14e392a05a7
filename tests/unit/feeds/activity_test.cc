#include "common/feeds/activity.h"

#include "tests/support/seed.h"

namespace feeds {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

Activity full_activity() {
  Activity activity;
  activity.id = ActivityId{10007};
  activity.object_id = "a/b:\"c\\";
  activity.collection_id = std::string("food\0x", 6);
  activity.linked_activity_id = "10005";
  activity.created_at_ns = 1'700'000'000'123'456'789;
  activity.updated_at_ns = -1;
  activity.user_id = "Ünï\n☃";
  activity.activity_type = "like";
  activity.extra_data = R"({"a":[1.0,1e5,"\u0041"],"a":"}\""})";
  return activity;
}

void expect_same(const Activity& a, const Activity& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.object_id, b.object_id);
  EXPECT_EQ(a.collection_id, b.collection_id);
  EXPECT_EQ(a.linked_activity_id, b.linked_activity_id);
  EXPECT_EQ(a.created_at_ns, b.created_at_ns);
  EXPECT_EQ(a.updated_at_ns, b.updated_at_ns);
  EXPECT_EQ(a.user_id, b.user_id);
  EXPECT_EQ(a.activity_type, b.activity_type);
  EXPECT_EQ(a.extra_data, b.extra_data);
}

TEST(ActivityValue, GoldenBytes) {
  Activity activity;
  activity.id = ActivityId{10000};
  EXPECT_EQ(
      to_json(activity),
      R"({"id":"10000","objectId":"","collectionId":"","linkedActivityId":"",)"
      R"("createdAt":"1970-01-01T00:00:00.000000000Z","updatedAt":"1970-01-01T00:00:00.000000000Z",)"
      R"("userId":"","activityType":"","extraData":null})");
}

TEST(ActivityValue, EveryMember_RoundTrips) {
  const auto activity = full_activity();
  const auto value = to_json(activity);
  const auto parsed = parse_activity_value(value);
  ASSERT_TRUE(parsed) << parsed.error().detail;
  expect_same(*parsed, activity);
  EXPECT_EQ(to_json(*parsed), value);
  EXPECT_EQ(id_of_activity_value(value), ActivityId{10007});
}

TEST(ActivityValue, RandomTexts_RoundTrip) {
  std::mt19937_64 random(test::seed());
  const auto text = [&] {
    constexpr std::string_view kPieces[] = {"\"", "\\",   "\n", "x",    "é",
                                            "😀",  "\x7f", "/",  "\\\"", "\x1f"};
    std::string out;
    for (auto n = random() % 6; n > 0; --n) out += kPieces[random() % std::size(kPieces)];
    if (random() % 4 == 0) out += '\0';
    return out;
  };
  for (int i = 0; i < 2000; ++i) {
    Activity activity;
    activity.id = ActivityId{random() >> (1 + random() % 60)};
    activity.object_id = text();
    activity.collection_id = text();
    activity.linked_activity_id = text();
    activity.user_id = text();
    activity.activity_type = text();
    activity.created_at_ns = static_cast<std::int64_t>(random());
    activity.updated_at_ns = static_cast<std::int64_t>(random()) >> (random() % 64);
    const auto parsed = parse_activity_value(to_json(activity));
    ASSERT_TRUE(parsed) << parsed.error().detail;
    expect_same(*parsed, activity);
  }
}

TEST(ActivityValue, DamagedValues_AreErrors) {
  const auto value = to_json(full_activity());
  for (std::size_t size = 0; size < value.size(); ++size) {
    // Only the inside of extraData is not looked into, so a cut there may go unseen if it ends in a
    // brace.
    if (size > 0 && value[size - 1] == '}') continue;
    EXPECT_FALSE(parse_activity_value(std::string_view(value).substr(0, size))) << size;
  }
  EXPECT_FALSE(parse_activity_value("null"));
  EXPECT_FALSE(id_of_activity_value("{\"id\":10000}"));
  EXPECT_FALSE(id_of_activity_value("{\"id\":\"x\"}"));
}

TEST(ActivityValue, Copies_AreKeptUpToTheBound) {
  const std::string longest(limits::kCopyBytes, 'x');
  EXPECT_EQ(copy_of(longest), longest);
  EXPECT_EQ(copy_of(longest + 'x'), "");
}

TEST(Activity, ThreadAndParent_AreOfReactionsOnly) {
  Activity share;
  share.object_id = "10000";
  EXPECT_FALSE(share.reaction());
  EXPECT_FALSE(share.top());
  EXPECT_FALSE(share.parent());
  Activity reply;
  reply.object_id = "10000";
  reply.linked_activity_id = "10004";
  EXPECT_EQ(reply.top(), ActivityId{10000});
  EXPECT_EQ(reply.parent(), ActivityId{10004});
  reply.object_id = kDeletedMark;
  reply.linked_activity_id = kDeletedMark;
  EXPECT_TRUE(reply.reaction());
  EXPECT_FALSE(reply.top());
  EXPECT_FALSE(reply.parent());
}

TEST(Time, WholeRange_IsExact) {
  EXPECT_EQ(format_time(0), "1970-01-01T00:00:00.000000000Z");
  EXPECT_EQ(format_time(-1), "1969-12-31T23:59:59.999999999Z");
  EXPECT_EQ(format_time(951782400000000001), "2000-02-29T00:00:00.000000001Z");
  EXPECT_EQ(format_time(kMin), "1677-09-21T00:12:43.145224192Z");
  EXPECT_EQ(format_time(kMax), "2262-04-11T23:47:16.854775807Z");
  std::mt19937_64 random(test::seed());
  for (int i = 0; i < 20000; ++i) {
    const auto ns = static_cast<std::int64_t>(random());
    ASSERT_EQ(parse_time(format_time(ns)), ns) << ns;
  }
  for (const auto ns : {kMin, kMin + 1, kMax, kMax - 1, std::int64_t{0}, std::int64_t{-1}}) {
    EXPECT_EQ(parse_time(format_time(ns)), ns);
  }
}

TEST(Time, AnyOffsetAndPrecision_IsTaken) {
  const std::int64_t instant = 1'714'557'600'123'000'000;  // 2024-05-01T10:00:00.123Z
  for (const auto* text :
       {"2024-05-01T10:00:00.123Z", "2024-05-01T10:00:00.123000Z", "2024-05-01T10:00:00.123+00:00",
        "2024-05-01T12:30:00.123000000+02:30", "2024-04-30T23:00:00.123-11:00",
        "2024-05-01t10:00:00.123z", "2024-05-01T10:00:00.123-00:00"}) {
    EXPECT_EQ(parse_time(text), instant) << text;
  }
  EXPECT_EQ(parse_time("1970-01-01T00:00:00.1Z"), 100'000'000);
  EXPECT_EQ(parse_time("1677-09-21T01:12:43.145224192+01:00"), kMin);
  EXPECT_EQ(parse_time("2262-04-12T00:47:16.854775807+01:00"), kMax);
}

TEST(Time, EverythingElse_IsNoTime) {
  for (const auto* text : {"",
                           "2024",
                           "2024-05-01",
                           "2024-05-01T10:00:00",
                           "2024-05-01 10:00:00Z",
                           "2024-05-01T10:00Z",
                           "2024-13-01T10:00:00Z",
                           "2024-00-01T10:00:00Z",
                           "2023-02-29T10:00:00Z",
                           "2024-05-00T10:00:00Z",
                           "2024-05-01T24:00:00Z",
                           "2024-05-01T10:60:00Z",
                           "2016-12-31T23:59:60Z",
                           "2024-05-01T10:00:00.Z",
                           "2024-05-01T10:00:00.1234567890Z",
                           "2024-05-01T10:00:00,5Z",
                           "2024-05-01T10:00:00+1:00",
                           "2024-05-01T10:00:00+24:00",
                           "2024-05-01T10:00:00+01:60",
                           "2024-05-01T10:00:00+0100",
                           "2024-05-01T10:00:00ZZ",
                           "2024-05-01T10:00:00Z ",
                           " 2024-05-01T10:00:00Z",
                           "+2024-05-01T10:00:00Z",
                           "1677-09-21T00:12:43.145224191Z",
                           "1677-09-21T00:12:43Z",
                           "1600-01-01T00:00:00Z",
                           "2262-04-11T23:47:16.854775808Z",
                           "2262-04-11T23:47:17Z",
                           "9999-12-31T23:59:59Z",
                           "0000-01-01T00:00:00Z",
                           "2024-5-01T10:00:00Z",
                           "20240501T100000Z",
                           "２０２４-05-01T10:00:00Z"}) {
    EXPECT_EQ(parse_time(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace feeds
