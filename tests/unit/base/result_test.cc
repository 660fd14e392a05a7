#include "common/base/result.h"

#include <set>

#include "common/base/log.h"

namespace feeds {
namespace {

TEST(Result, CarriesValueOrError) {
  Result<std::string> good(std::string("value"));
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(*good, "value");
  Result<std::string> bad(Error{Code::kBadJson, "why"});
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, Code::kBadJson);
  EXPECT_EQ(bad.error().detail, "why");
  EXPECT_TRUE(done().ok());
}

TEST(Codes, EachHasItsNameStatusAndTitle) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(Code::kInternal); ++i) {
    const auto code = static_cast<Code>(i);
    const CodeInfo& info = code_info(code);
    EXPECT_EQ(info.code, code);
    EXPECT_FALSE(info.title.empty());
    EXPECT_GE(info.status, 400);
    EXPECT_EQ(info.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string_view::npos)
        << info.name;
    names.insert(info.name);
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(Code::kInternal) + 1);
}

TEST(Codes, NamesAndStatusesAreThoseOfTheDocumentation) {
  EXPECT_EQ(code_info(Code::kStartIdOutOfRange).name, "start_id_out_of_range");
  EXPECT_EQ(code_info(Code::kPastEndHere).name, "past_end_here");
  EXPECT_EQ(code_info(Code::kPositionLost).status, 409);
  EXPECT_EQ(code_info(Code::kBodyTooLarge).status, 413);
  EXPECT_EQ(code_info(Code::kUnsupportedMediaType).status, 415);
  EXPECT_EQ(code_info(Code::kHeadersTooLarge).status, 431);
  EXPECT_EQ(code_info(Code::kOutcomeUnknown).status, 503);
  EXPECT_EQ(code_info(Code::kDiskFull).status, 507);
  EXPECT_EQ(code_info(Code::kInternal).status, 500);
}

TEST(Log, Level_IsTakenInAnyCase) {
  EXPECT_TRUE(log::set_level("DEBUG"));
  EXPECT_TRUE(log::set_level("warn"));
  EXPECT_FALSE(log::set_level("loud"));
  EXPECT_TRUE(log::set_level("Info"));
}

TEST(Log, Event_IsOneLineWithQuotedValues) {
  ::testing::internal::CaptureStderr();
  log::info("thing.happened", {{"plain", "a-b"}, {"count", 3}, {"spaced", "a b\n\"c\""}});
  log::debug("not.shown");
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find(" info thing.happened plain=a-b count=3 spaced=\"a b\\n\\\"c\\\"\"\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("not.shown"), std::string::npos);
}

}  // namespace
}  // namespace feeds
