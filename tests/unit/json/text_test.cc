#include "common/json/text.h"

namespace feeds::json {
namespace {

Code code_of(std::string_view text) {
  const auto object = parse_object(text);
  return object ? Code::kInternal : object.error().code;
}

std::string nested(int depth) {
  std::string text = R"({"a":)";
  text.append(depth - 1, '[').append(depth - 1, ']');
  return text + "}";
}

TEST(JsonText, ListsMembersAsWritten) {
  const std::string text = " { \"a\" : 1.0 , \"\\u0062\":[ 1e5, {\"x\":\"}]\\\"\"} ] ,\"c\":null} \n";
  const auto object = parse_object(text);
  ASSERT_TRUE(object.ok());
  ASSERT_EQ(object->members().size(), 3U);
  EXPECT_EQ(object->find("a")->raw, "1.0");
  EXPECT_EQ(object->find("a")->kind, Kind::kNumber);
  EXPECT_EQ(compact(object->find("b")->raw), R"([1e5,{"x":"}]\""}])");
  EXPECT_EQ(object->find("c")->kind, Kind::kNull);
  EXPECT_EQ(object->find("d"), nullptr);
}

TEST(JsonText, CompactKeepsDigitsEscapesOrderAndDuplicates) {
  EXPECT_EQ(compact("{ \"b\" : 1E5 ,\t\"a\":\"\\u0041 \\\\\" , \"a\" : 123456789012345678901234567890 }"),
            R"({"b":1E5,"a":"\u0041 \\","a":123456789012345678901234567890})");
}

TEST(JsonText, RefusesWhatIsNoJsonObject) {
  for (const auto* text : {"", " ", "[]", "1", "null", "{", "{}x", "{\"a\":}", "{\"a\":01}", "{'a':1}",
                           "{\"a\":1,}", "{\"a\":\"\\ud800\"}", "{\"a\":\"\xff\"}", "{\"a\":NaN}",
                           "{\"a\":\"\xed\xa0\x80\"}", "// c\n{}", "{\"a\":\"\x01\"}"}) {
    EXPECT_EQ(code_of(text), Code::kBadJson) << text;
  }
  EXPECT_EQ(code_of(R"({"a":1,"\u0061":2})"), Code::kDuplicateMember);
}

TEST(JsonText, FindsDuplicatesAmongAnyNumberOfMembers) {
  std::string text = "{\"m0\":0";
  for (int i = 1; i < 40; ++i) {
    text += ",\"m" + std::to_string(i) + "\":0";
    const auto object = parse_object(text + "}");
    ASSERT_TRUE(object.ok());
    EXPECT_EQ(object->members().size(), static_cast<std::size_t>(i) + 1);
    for (const int given : {0, i / 2, i}) {
      const auto again = parse_object(text + ",\"m" + std::to_string(given) + "\":0}");
      EXPECT_EQ(again.error().code, Code::kDuplicateMember) << text;
    }
  }
}

TEST(JsonText, NestsUpTo64) {
  EXPECT_TRUE(parse_object(nested(64)).ok());
  EXPECT_EQ(code_of(nested(65)), Code::kBadJson);
}

TEST(JsonText, IdsAreCanonicalDigitsAsNumberOrString) {
  const auto id = [](const char* raw) {
    const std::string text = std::string("{\"id\":") + raw + "}";
    const auto object = parse_object(text);
    return object ? id_value(object->members()[0]) : Result<std::uint64_t>(object.error());
  };
  EXPECT_EQ(*id("10000"), 10000U);
  EXPECT_EQ(*id("\"10000\""), 10000U);
  EXPECT_EQ(*id("9223372036854775807"), 9223372036854775807U);
  for (const auto* raw : {"\"+10000\"", "\"010000\"", "10000.0", "1e4", "-1", "null", "\"\"", "\" 1\"",
                          "9223372036854775808", "[]", "true"}) {
    EXPECT_FALSE(id(raw).ok()) << raw;
  }
}

TEST(JsonText, StringsRoundTrip) {
  const std::string text = std::string("a\0\"\\\n\x01 \xc3\xa9 \xf0\x9f\x98\x80", 14);
  std::string member = "{\"t\":";
  append_string(member, text);
  member += '}';
  const auto object = parse_object(member);
  ASSERT_TRUE(object.ok());
  EXPECT_EQ(*string_value(object->members()[0]), text);
}

TEST(JsonText, Utf8IsJudgedByTheStandard) {
  EXPECT_TRUE(is_utf8("plain"));
  EXPECT_TRUE(is_utf8("\xf4\x8f\xbf\xbf"));
  EXPECT_TRUE(is_utf8(std::string_view("\0", 1)));
  for (const auto* bad : {"\x80", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc3",
                          "\xf0\x9f\x98"}) {
    EXPECT_FALSE(is_utf8(bad));
  }
}

}  // namespace
}  // namespace feeds::json
