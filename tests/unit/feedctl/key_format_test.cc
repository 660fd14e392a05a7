#include "tools/feedctl/key_format.h"

#include <gtest/gtest.h>

namespace feeds::feedctl {
namespace {

std::string key(const std::string& format, const std::optional<std::string>& activity = {}) {
  const auto rendered = render_key(format, activity);
  return rendered ? *rendered : "failed: " + rendered.error().detail;
}

TEST(KeyFormat, ActivityOfTheApi_IsRead) {
  const std::string activity =
      R"({"id":"10007","objectId":"a/b","collectionId":"food","linkedActivityId":"10005",)"
      R"("createdAt":"2023-11-14T22:13:20.123456789Z","updatedAt":"1969-12-31T23:59:59.999999999Z",)"
      R"("userId":"o'neil <b>&co","activityType":"like+1","extraData":{"n":7,"t":["x"]}})";
  EXPECT_EQ(key("{{.UserId}}/{{.ActivityType}}", activity), "o'neil <b>&co/like+1");
  EXPECT_EQ(
      key("{{.Id}} {{.StringId}} {{.ObjectId}} {{.CollectionId}} {{.LinkedActivityId}}", activity),
      "10007 10007 a/b food 10005");
  EXPECT_EQ(key("{{.CreatedAt}} {{.UpdatedAt}}", activity), "1700000000123456789 -1");
  EXPECT_EQ(key("{{.ExtraData.n}}{{index .ExtraData.t 0}}", activity), "7x");
}

TEST(KeyFormat, IntegerTimes_AreTakenAsGiven) {
  EXPECT_EQ(key("{{.CreatedAt}} {{.UpdatedAt}}", R"({"createdAt":0,"updatedAt":-1})"), "0 -1");
  EXPECT_EQ(key("{{.CreatedAt}} {{.UpdatedAt}}", R"({"createdAt":4102444799999999999})"),
            "4102444799999999999 0");
  EXPECT_EQ(key("{{.CreatedAt}}", R"({"createdAt":-9223372036854775808})"), "-9223372036854775808");
  EXPECT_EQ(key("{{date \"2006-01-02\" .CreatedAt}}", R"({"createdAt":null})"), "1970-01-01");
}

TEST(KeyFormat, WithoutAnActivity_AllIsEmpty) {
  EXPECT_EQ(key("{{.ObjectId}}|{{.Id}}|{{.ExtraData}}|"), "|0|<no value>|");
  EXPECT_EQ(key(""), "");
}

TEST(KeyFormat, UnknownMembers_AreIgnored) {
  EXPECT_EQ(key("{{.Id}}", R"({"id":10000,"idNumber":10000,"reactions":[]})"), "10000");
}

TEST(KeyFormat, Errors_NameLineAndColumn) {
  EXPECT_TRUE(
      key("x\n {{.UserId").starts_with("failed: the format does not parse at line 2, column "))
      << key("x\n {{.UserId");
  EXPECT_TRUE(key("{{slice .ObjectId 0 3}}")
                  .starts_with("failed: the format fails on this activity at line 1, column "));
  EXPECT_EQ(render_key("{{.Nope", std::nullopt).error().code, Code::kBadKeyFormat);
  EXPECT_EQ(render_key("{{.Nope}}", std::nullopt).error().code, Code::kKeyFormatFailed);
}

TEST(KeyFormat, SenselessActivities_AreRefused) {
  for (const std::string activity :
       {"", "[]", "{", R"({"createdAt":"yesterday"})", R"({"createdAt":1.5})",
        R"({"updatedAt":1e3})", R"({"createdAt":9223372036854775808})", R"({"id":"x"})",
        R"({"userId":7})", R"({"id":1,"id":2})"}) {
    const auto rendered = render_key("{{.Id}}", activity);
    ASSERT_FALSE(rendered) << activity;
    EXPECT_NE(rendered.error().code, Code::kKeyFormatFailed);
  }
}

}  // namespace
}  // namespace feeds::feedctl
