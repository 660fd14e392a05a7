#include <string>
#include <tuple>
#include <vector>

#include "tests/unit/key_format/render_helper.h"

namespace feeds::key_format {
namespace {

std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(KeyFormatParse, UnknownField_ParsesAndFailsOnTheActivity) {
  const Outcome made = outcome("{{.Nope}}");
  EXPECT_TRUE(made.parsed);
  EXPECT_FALSE(made.rendered);
}

TEST(KeyFormatParse, UnknownFunction_IsRefused) {
  EXPECT_TRUE(refused("{{nofunc .UserId}}"));
  EXPECT_TRUE(refused("{{call .UserId}}"));
}

TEST(KeyFormatParse, Errors_TellLineAndColumn) {
  const std::vector<std::tuple<std::string, std::size_t, std::size_t>> cases = {
      {"{{nofunc}}", 1, 3},
      {"abc {{nofunc}}", 1, 7},
      {"a\nb\n  {{.UserId | nofunc}}", 3, 15},
      {"é☃ {{nofunc}}", 1, 6},  // characters, not bytes
      {"{{if .UserId}}\n{{else}}\n{{else}}", 3, 3},
      {"{{end}}", 1, 1},
      {"{{$x}}", 1, 3},
      {"x {{\"a}}", 1, 5},
      {"{{99999999999999999999}}", 1, 3},
      {"{{if 1}}a", 1, 10},
      {"{{range $i, $j, $k := .ExtraData}}{{end}}", 1, 15},
  };
  for (const auto& [format, line, column] : cases) {
    const Outcome made = outcome(format);
    EXPECT_FALSE(made.parsed) << format;
    EXPECT_EQ(made.error.line, line) << format << ": " << made.error.message;
    EXPECT_EQ(made.error.column, column) << format << ": " << made.error.message;
    EXPECT_FALSE(made.error.message.empty()) << format;
  }
}

TEST(KeyFormatParse, Errors_SayWhatIsWrong) {
  EXPECT_EQ(outcome("{{nofunc}}").error.message, "function \"nofunc\" not defined");
  EXPECT_EQ(outcome("{{$x}}").error.message, "undefined variable \"$x\"");
  EXPECT_EQ(outcome("{{.UserId").error.message, "unclosed action");
  EXPECT_EQ(outcome("{{if}}x{{end}}").error.message, "missing value for if");
  EXPECT_EQ(outcome("{{break}}").error.message, "{{break}} outside {{range}}");
}

TEST(KeyFormatParse, Format_UpTo4KiB) {
  EXPECT_FALSE(refused("{{/*" + std::string(kFormatBytes - 8, 'x') + "*/}}"));
  EXPECT_TRUE(refused("{{/*" + std::string(kFormatBytes - 7, 'x') + "*/}}"));
}

TEST(KeyFormatParse, FormatThatIsNoUtf8_IsRefused) {
  EXPECT_TRUE(refused("a\xFF"));
}

TEST(KeyFormatParse, DeepestNesting_ParsesAndRenders) {
  const int parens = 2045;
  EXPECT_EQ(key("{{" + repeated("(", parens) + "1" + repeated(")", parens) + "}}"), "1");
  EXPECT_EQ(key(repeated("{{if 1}}", 273) + repeated("{{end}}", 273)), "");
  EXPECT_EQ(key("{{if 0}}" + repeated("{{else if 0}}", 313) + "{{end}}"), "");
}

TEST(KeyFormatParse, NestingThatIsNotClosed_IsRefused) {
  EXPECT_TRUE(refused("{{" + repeated("(", 4094)));
  EXPECT_TRUE(refused(repeated("{{if 1}}", 512)));
  EXPECT_TRUE(refused(repeated("{{range .}}", 372)));
  EXPECT_TRUE(refused(repeated("{{define \"a\"}}", 292)));
  EXPECT_TRUE(refused(repeated("{{block \"a\" .}}", 273)));
}

TEST(KeyFormatParse, Definitions_HaveTheirOwnVariablesAndLoops) {
  EXPECT_TRUE(refused("{{$x := 1}}{{define \"a\"}}{{$x}}{{end}}"));
  EXPECT_TRUE(refused("{{range .ExtraData}}{{block \"a\" .}}{{break}}{{end}}{{end}}"));
  EXPECT_TRUE(refused("{{define \"a\"}}A{{end}}{{define \"a\"}}B{{end}}"));
  EXPECT_FALSE(refused("{{define \"a\"}} \n{{end}}{{define \"a\"}}B{{end}}"));
}

TEST(KeyFormatParse, Template_KeepsItsText) {
  FormatError error;
  std::optional<Template> copy;
  {
    std::string format = "{{.UserId}}";
    copy = Template::parse(format, error);
    format.assign(format.size(), '?');
  }
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->format(), "{{.UserId}}");
  Activity activity;
  activity.user_id = "alice";
  std::string text;
  EXPECT_TRUE(copy->render(activity, text, error));
  EXPECT_EQ(text, "alice");
}

}  // namespace
}  // namespace feeds::key_format
