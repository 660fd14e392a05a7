#include <string>
#include <thread>
#include <vector>

#include "tests/unit/key_format/render_helper.h"

namespace feeds::key_format {
namespace {

Activity sample() {
  Activity activity;
  activity.id = 10000;
  activity.object_id = "pizza-42";
  activity.collection_id = "food";
  activity.created_at_ns = 1700000000123456789;
  activity.user_id = "alice";
  activity.activity_type = "like";
  activity.extra_data = R"({"team":"red","tags":["a","b","c"],"n":null})";
  return activity;
}

TEST(KeyFormatRender, PlainText_IsNeverEscaped) {
  Activity activity;
  activity.user_id = "o'neil <b>&co";
  activity.activity_type = "like+1";
  EXPECT_EQ(key("{{.UserId}}:{{.ActivityType}}<!-- -->", activity), "o'neil <b>&co:like+1<!-- -->");
}

TEST(KeyFormatRender, TheActivity_PrintsAsAStruct) {
  EXPECT_EQ(key("{{.}}", sample()),
            "{10000 10000 pizza-42 food  1700000000123456789 0 alice like map[n:<nil> tags:[a b c] "
            "team:red]}");
  EXPECT_EQ(key("{{printf \"%+v\" .}}"),
            "{Id:0 StringId:0 ObjectId: CollectionId: LinkedActivityId: CreatedAt:0 UpdatedAt:0 "
            "UserId: ActivityType: ExtraData:<nil>}");
}

TEST(KeyFormatRender, Key_StartsEmptyEachTime) {
  FormatError error;
  const auto made = Template::parse("{{.UserId}}", error);
  ASSERT_TRUE(made);
  std::string text = "left over";
  EXPECT_TRUE(made->render({}, text, error));
  EXPECT_EQ(text, "");
}

TEST(KeyFormatRender, ExtraDataThatIsNotAsked_IsNotRead) {
  Activity activity;
  activity.user_id = "alice";
  activity.extra_data = "{no JSON";
  EXPECT_EQ(key("{{.UserId}}", activity), "alice");
  EXPECT_TRUE(fails("{{.ExtraData}}", activity));
  EXPECT_TRUE(fails("{{.}}", activity));
}

TEST(KeyFormatRender, ASubject_ReadsItsExtraDataOnceAndWhenAsked) {
  FormatError error;
  const auto plain = Template::parse("{{.UserId}}", error);
  const auto team = Template::parse("{{.ExtraData.team}}", error);
  const auto whole = Template::parse("{{.}}", error);
  std::string extra_data = "{no JSON yet ";
  Activity activity;
  activity.extra_data = extra_data;
  Subject subject(activity);
  std::string text;
  ASSERT_TRUE(plain->render(subject, text, error)) << error.message;
  extra_data.replace(0, std::string::npos, R"({"team":"a"} )");  // in place
  ASSERT_TRUE(team->render(subject, text, error)) << error.message;
  EXPECT_EQ(text, "a");
  extra_data.assign(extra_data.size(), '?');
  ASSERT_TRUE(whole->render(subject, text, error)) << error.message;
  EXPECT_EQ(text, "{0 0    0 0   map[team:a]}");
  ASSERT_TRUE(team->render(subject, text, error)) << error.message;
  EXPECT_EQ(text, "a");
}

TEST(KeyFormatRender, ASubjectWhoseExtraDataIsNoJson_FailsOnlyWhereItIsAsked) {
  FormatError error;
  const auto plain = Template::parse("{{.UserId}}", error);
  const auto team = Template::parse("{{.ExtraData.team}}", error);
  Activity activity;
  activity.extra_data = "{no JSON";
  Subject subject(activity);
  std::string text;
  EXPECT_FALSE(team->render(subject, text, error));
  EXPECT_FALSE(team->render(subject, text, error));
  EXPECT_EQ(error.message, "the activity's extraData is no JSON");
  EXPECT_TRUE(plain->render(subject, text, error));
}

TEST(KeyFormatRender, TheRendersOfASubject_ShareItsSteps) {
  FormatError error;
  const auto made = Template::parse("{{range .ExtraData}}{{end}}k", error);
  std::string extra_data = "[0";
  for (int i = 1; i < kRenderSteps / 2; ++i) extra_data += ",0";
  extra_data += ']';
  Activity activity;
  activity.extra_data = extra_data;
  Subject subject(activity);
  std::string text;
  // Each takes half of its own steps and a few.
  int rendered = 0;
  while (rendered < 100 && made->render(subject, text, error)) ++rendered;
  EXPECT_EQ(rendered, 2 * kSubjectSteps / kRenderSteps - 1);
  EXPECT_EQ(error.message, "the templates of the activity's feeds take too many steps together");
  EXPECT_TRUE(made->render(activity, text, error)) << error.message;
}

TEST(KeyFormatRender, AbsentAndNullExtraData_AreNil) {
  for (const std::string_view extra_data : {"", "null"}) {
    EXPECT_EQ(key_of("{{.ExtraData}}", extra_data), "<no value>");
    EXPECT_EQ(key_of("{{if .ExtraData}}a{{else}}b{{end}}", extra_data), "b");
    EXPECT_EQ(key_of("{{default \"none\" .ExtraData}}", extra_data), "none");
    Activity activity;
    activity.extra_data = extra_data;
    EXPECT_TRUE(fails("{{.ExtraData.team}}", activity));
  }
}

TEST(KeyFormatRender, JsonNumbers_AreIntegersWhereWrittenSo) {
  constexpr std::string_view kTypes = "{{range .ExtraData}}{{printf \"%T \" .}}{{end}}";
  EXPECT_EQ(key_of(kTypes, "[0,-0,9223372036854775807,-9223372036854775808]"),
            "int64 int64 int64 int64 ");
  EXPECT_EQ(key_of(kTypes, "[1.0,1e2,-0.0,9223372036854775808,123456789012345678901234567890]"),
            "float64 float64 float64 float64 float64 ");
  EXPECT_EQ(key_of("{{range .ExtraData}}{{.}} {{end}}", "[1.0,1e2,-0.0,1e21,0.1,5e-324,1e-400]"),
            "1 100 -0 1e+21 0.1 5e-324 0 ");
}

TEST(KeyFormatRender, DuplicateMembers_LastCounts) {
  EXPECT_EQ(key_of("{{.ExtraData.a}} {{len .ExtraData}}", R"({"a":1,"b":2,"a":{"c":3},"a":4})"),
            "4 2");
}

TEST(KeyFormatRender, MembersInAnyOrder_GiveTheSameKey) {
  EXPECT_EQ(key_of("{{.ExtraData}}", R"({"b":1,"a":{"d":2,"c":3}})"),
            key_of("{{.ExtraData}}", R"({ "a" : {"c":3,"d":2}, "b":1 })"));
}

TEST(KeyFormatRender, MissingEntry_IsNoValueAndNullIsAnErrorToLookInto) {
  EXPECT_EQ(key("{{.ExtraData.x}} {{.ExtraData.x.y.z}}", sample()), "<no value> <no value>");
  EXPECT_EQ(key("{{.ExtraData.n}} {{print .ExtraData.n}}", sample()), "<no value> <nil>");
  EXPECT_TRUE(fails("{{.ExtraData.n.x}}", sample()));
  EXPECT_TRUE(fails("{{.ExtraData.team.x}}", sample()));
}

TEST(KeyFormatRender, Errors_TellTheirPlace) {
  const Outcome made = outcome("{{.UserId}}\n  {{.Nope}}", sample());
  EXPECT_FALSE(made.rendered);
  EXPECT_EQ(made.error.line, 2U);
  EXPECT_EQ(made.error.column, 5U);
  EXPECT_EQ(made.error.message, "can't evaluate field Nope in type main.Activity");
}

TEST(KeyFormatRender, Key_UpTo1KiB) {
  Activity activity;
  const std::string long_id(512, 'x');
  activity.object_id = long_id;
  activity.user_id = long_id;
  EXPECT_EQ(key("{{.ObjectId}}{{.UserId}}", activity).size(), kKeyBytes);
  EXPECT_TRUE(fails("{{.ObjectId}}{{.UserId}}x", activity));
  EXPECT_TRUE(fails("{{.ObjectId}}{{.UserId}}{{.Id}}", activity));
}

TEST(KeyFormatRender, KeyThatIsNoUtf8_Fails) {
  Activity activity;
  activity.user_id = "é";
  EXPECT_TRUE(fails("{{slice .UserId 0 1}}", activity));
  EXPECT_TRUE(fails("{{\"\\xff\"}}", activity));
  EXPECT_EQ(key("{{slice .UserId 0 1}}{{slice .UserId 1}}", activity), "é");
  EXPECT_EQ(key("{{printf \"%q\" (slice .UserId 0 1)}}", activity), "\"\\xc3\"");
}

TEST(KeyFormatRender, RecursionAsDeepAsAnIdIsLong_Works) {
  Activity activity;
  const std::string id(512, 'a');
  activity.user_id = id;
  EXPECT_EQ(
      key("{{define \"r\"}}{{if .}}{{slice . 0 1}}{{template \"r\" (slice . 1)}}{{end}}{{end}}"
          "{{template \"r\" .UserId}}",
          activity),
      id);
}

TEST(KeyFormatRender, HostileTemplates_Fail) {
  std::string many = "[0";
  for (int i = 1; i < 20000; ++i) many += "," + std::to_string(i);
  many += "]";
  const std::string big(600'000, 'x');
  const auto repeated = [](std::string_view part, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += part;
    return text;
  };
  const std::string extra_data = R"({"many":)" + many + R"(,"big":")" + big + R"(","flags":"%)" +
                                 repeated("+", 50'000) + R"(","zeros":"%[)" +
                                 repeated("0", 50'000) + R"(]","brackets":")" +
                                 repeated("%[", 30'000) + "\"}";
  std::string variables;
  for (int i = 0; i < 250; ++i) variables += "{{$v" + std::to_string(i) + " := 1}}";
  Activity activity;
  activity.extra_data = extra_data;
  const std::string range = "{{range $.ExtraData.many}}";
  const std::vector<std::string> formats = {
      "{{printf \"%1000000d\" 1}}",
      "{{len (printf \"%.1000000f\" 1.5)}}",
      "{{len (printf \"%*d\" 1000000 1)}}",
      "{{define \"r\"}}{{template \"r\" .}}{{end}}{{template \"r\" .}}",
      "{{define \"r\"}}{{template \"r\" .}}{{template \"r\" .}}{{end}}{{template \"r\" .}}",
      range + range + range + "{{end}}{{end}}{{end}}",
      range + range + "{{$x := .}}{{end}}{{end}}",
      range + "{{if eq $.ExtraData.big $.ExtraData.big}}{{end}}{{end}}",
      range + "{{if lt $.ExtraData.big $.ExtraData.big}}{{end}}{{end}}",
      range + "{{$x := index $.ExtraData $.ExtraData.big}}{{end}}",
      "{{len (lower .ExtraData.big)}}",
      "{{len (printf \"%q\" .ExtraData.big)}}",
      "{{len (html .ExtraData.big)}}",
      "{{len (print .ExtraData)}}",
      "{{$x := \"aaaaaaaa\"}}" + range + "{{$x = print $x $x}}{{end}}",
      range + "{{if or" + repeated(" 0", 1000) + "}}{{end}}{{end}}",
      range + "{{if eq 1" + repeated(" 2", 1000) + "}}{{end}}{{end}}",
      range + "{{if $.ExtraData.none" + repeated(".a", 1000) + "}}{{end}}{{end}}",
      variables + range + "{{if $v0}}{{end}}{{end}}",
      "{{range slice .ExtraData.many 0 100}}{{$x := printf $.ExtraData.flags}}{{end}}",
      "{{range slice .ExtraData.many 0 100}}{{$x := printf $.ExtraData.zeros}}{{end}}",
      "{{len (printf .ExtraData.brackets)}}",
  };
  for (const std::string& format : formats) EXPECT_TRUE(fails(format, activity)) << format;
  // What is large and only looked at does no harm.
  EXPECT_EQ(key("{{len .ExtraData.big}} {{slice .ExtraData.big 0 3}} {{index .ExtraData.many 7}}",
                activity),
            "600000 xxx 7");
}

TEST(KeyFormatRender, AddressOfASlice_Fails) {
  EXPECT_TRUE(fails("{{printf \"%p\" .ExtraData}}", sample()));
  EXPECT_EQ(key("{{printf \"%p\" .UserId}}", sample()), "%!p(string=alice)");
}

TEST(KeyFormatRender, ManyThreads_OneTemplate) {
  FormatError parse_error;
  const auto made = Template::parse(
      "{{range .ExtraData.tags}}{{upper .}}{{end}}{{printf \"%05d\" .Id}}{{date \"2006\" 0}}",
      parse_error);
  ASSERT_TRUE(made);
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&made, &wrong, t] {
      Activity activity = sample();
      std::string text;
      FormatError error;
      for (int i = 0; i < 2000; ++i) {
        activity.id = static_cast<std::int64_t>(t * 10000) + i;
        std::string digits = std::to_string(activity.id);
        digits.insert(0, 5 - std::min<std::size_t>(digits.size(), 5), '0');
        if (!made->render(activity, text, error) || text != "ABC" + digits + "1970") ++wrong[t];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4));
}

}  // namespace
}  // namespace feeds::key_format
