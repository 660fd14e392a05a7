#include "common/http/message.h"

#include <boost/json.hpp>

#include "common/http/text.h"

namespace feeds::http {
namespace {

std::string value_of(std::string_view query, std::string_view name) {
  Request request;
  request.query = query;
  const auto value = request.query_value(name);
  if (!value) return "error: " + value.error().detail;
  return value->has_value() ? "=" + **value : "absent";
}

TEST(Query, Value_IsTheFirstOfItsName) {
  EXPECT_EQ(value_of("a=1&b=2&a=3", "a"), "=1");
  EXPECT_EQ(value_of("a=1&b=2", "b"), "=2");
  EXPECT_EQ(value_of("a=1", "c"), "absent");
  EXPECT_EQ(value_of("", "c"), "absent");
  EXPECT_EQ(value_of("ab=1", "a"), "absent");
  EXPECT_EQ(value_of("&&a=1&", "a"), "=1");
}

TEST(Query, Value_MayBeEmpty) {
  EXPECT_EQ(value_of("a=", "a"), "=");
  EXPECT_EQ(value_of("a", "a"), "=");
  EXPECT_EQ(value_of("a&b=1", "a"), "=");
}

TEST(Query, Value_IsDecodedOnce) {
  EXPECT_EQ(value_of("a=%2525+x%2B", "a"), "=%25 x+");
  EXPECT_EQ(value_of("a=b=c", "a"), "=b=c");
  EXPECT_EQ(value_of("a=%26%3d", "a"), "=&=");
  EXPECT_EQ(value_of("st%61rtId=7", "startId"), "=7");
  EXPECT_EQ(value_of("a=%C3%A9", "a"), "=\xC3\xA9");
}

TEST(Query, MalformedValue_IsAnErrorThatNamesIt) {
  for (const char* bad : {"limit=%", "limit=%4", "limit=%zz", "limit=%ff", "limit=\xff"}) {
    Request request;
    request.query = bad;
    const auto value = request.query_value("limit");
    ASSERT_FALSE(value) << bad;
    EXPECT_EQ(value.error().code, Code::kBadParameter);
    EXPECT_THAT(value.error().detail, ::testing::HasSubstr("limit"));
  }
  EXPECT_EQ(value_of("other=%zz&limit=5", "limit"), "=5");
}

TEST(Reply, Error_IsAProblem) {
  Reply reply;
  reply.position = Position{Epoch{1}, Sequence{5}};
  reply.allow = "GET";
  reply.body = "left over";
  reply.set_error({Code::kNoSuchFeed, "feed \"7\"\n\xff"});
  EXPECT_EQ(reply.status, 404);
  EXPECT_EQ(reply.content_type, "application/problem+json");
  EXPECT_TRUE(reply.position.has_value());
  EXPECT_EQ(reply.allow, "GET");
  EXPECT_FALSE(reply.retry_after_s.has_value());
  const auto problem = boost::json::parse(reply.body).as_object();
  EXPECT_EQ(problem.at("code").as_string(), "no_such_feed");
  EXPECT_EQ(problem.at("status").as_int64(), 404);
  EXPECT_EQ(problem.at("detail").as_string(), "feed \"7\"\n\xEF\xBF\xBD");
  EXPECT_TRUE(problem.contains("type"));
  EXPECT_TRUE(problem.contains("title"));
}

TEST(Reply, Error_SaysRetryWhereThatHelps) {
  for (const Code code : {Code::kOverloaded, Code::kNoPrimary, Code::kReplicaBehind,
                          Code::kReopening, Code::kWriteFailed, Code::kPositionNotReached}) {
    Reply reply;
    reply.set_error({code, ""});
    EXPECT_EQ(reply.retry_after_s, 1) << code_info(code).name;
  }
  for (const Code code : {Code::kOutcomeUnknown, Code::kDiskFull, Code::kBadJson}) {
    Reply reply;
    reply.set_error({code, ""});
    EXPECT_FALSE(reply.retry_after_s) << code_info(code).name;
  }
}

TEST(Text, Utf8_IsJudgedStrictly) {
  for (const char* good : {"", "abc", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80",
                           "\xED\x9F\xBF", "\xEE\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(is_utf8(good)) << good;
  }
  for (const char* bad :
       {"\x80", "\xC0\xAF", "\xC1\xBF", "\xC3", "\xE0\x9F\xBF", "\xE2\x82", "\xED\xA0\x80",
        "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "a\xC3(b"}) {
    EXPECT_FALSE(is_utf8(bad)) << testing::PrintToString(bad);
  }
  EXPECT_TRUE(is_utf8(std::string_view("\0", 1)));
}

TEST(Text, MediaType_IsTakenApart) {
  MediaType type = parse_media_type(" text/plain ; Charset=\"UTF-8\" ; x=y");
  EXPECT_EQ(type.essence, "text/plain");
  EXPECT_EQ(type.charset, "UTF-8");
  type = parse_media_type("application/json");
  EXPECT_EQ(type.essence, "application/json");
  EXPECT_EQ(type.charset, "");
}

}  // namespace
}  // namespace feeds::http
