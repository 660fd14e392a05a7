#include <string>

#include "tests/unit/key_format/render_helper.h"

// The corners of the language that a reader of Go's documentation would ask about, by name. All of
// them were checked against Go; the vectors hold many more.
namespace feeds::key_format {
namespace {

constexpr std::string_view kTags = R"({"tags":["a","b","c"],"none":[],"team":"red"})";

TEST(KeyFormatLanguage, TrimMarkers_NeedTheirSpace) {
  EXPECT_EQ(key("a  {{- 1 -}}  b"), "a1b");
  EXPECT_EQ(key("a {{-1}} b"), "a -1 b");
  EXPECT_TRUE(refused("{{1-}}"));
}

TEST(KeyFormatLanguage, Comments_MustTouchTheDelimiters) {
  EXPECT_EQ(key("a{{/* x */}}b {{- /* y */ -}} c"), "abc");
  EXPECT_TRUE(refused("{{ /* x */}}"));
  EXPECT_TRUE(refused("{{/* x */ }}"));
}

TEST(KeyFormatLanguage, Constants_AreTypedByTheirSyntax) {
  EXPECT_EQ(key("{{printf \"%T %T %T %T %T\" 1 1e3 'x' 1i 0x1e}}"),
            "int float64 int complex128 int");
  EXPECT_EQ(key("{{0x1F}} {{0b11}} {{0o17}} {{017}} {{1_000}} {{'☃'}} {{1+2i}}"),
            "31 3 15 15 1000 9731 (1+2i)");
  EXPECT_TRUE(fails("{{18446744073709551615}}"));
  EXPECT_TRUE(refused("{{18446744073709551616}}"));
}

TEST(KeyFormatLanguage, AndOr_StopAtTheArgumentThatDecides) {
  EXPECT_EQ(key("{{and 0 .Nope}} {{or 1 .Nope}} {{or 0 \"\"}}|{{and 1 2}}"), "0 1 |2");
  EXPECT_TRUE(fails("{{and 1 .Nope}}"));
}

TEST(KeyFormatLanguage, Comparisons_NeedKindsThatAgree) {
  EXPECT_EQ(key("{{eq 1 2 1}} {{ne \"a\" \"b\"}} {{eq nil nil}} {{eq \"\" nil}}"),
            "true true true false");
  EXPECT_EQ(key("{{eq (index \"a\" 0) 'a'}} {{lt .Id 1}}"), "true true");
  EXPECT_TRUE(fails("{{eq 1 1.0}}"));
  EXPECT_TRUE(fails("{{eq 1 \"1\"}}"));
  EXPECT_TRUE(fails("{{lt true false}}"));
  Activity activity;
  activity.extra_data = kTags;
  EXPECT_TRUE(fails("{{eq .ExtraData .ExtraData}}", activity));
  EXPECT_EQ(key("{{eq .ExtraData nil}}", activity), "false");
}

TEST(KeyFormatLanguage, Range_HasElseBreakAndContinue) {
  EXPECT_EQ(key_of("{{range $i, $t := .ExtraData.tags}}{{$i}}{{$t}}{{end}}", kTags), "0a1b2c");
  EXPECT_EQ(key_of("{{range .ExtraData.none}}x{{else}}none{{end}}", kTags), "none");
  EXPECT_EQ(
      key_of("{{range .ExtraData.tags}}{{if eq . \"b\"}}{{continue}}{{end}}{{.}}{{end}}", kTags),
      "ac");
  EXPECT_EQ(key_of("{{range .ExtraData.tags}}{{if eq . \"b\"}}{{break}}{{end}}{{.}}{{end}}", kTags),
            "a");
  EXPECT_EQ(key_of("{{range $k, $v := .ExtraData}}{{$k}} {{end}}", kTags), "none tags team ");
}

TEST(KeyFormatLanguage, BreakInAnElseBranch_EndsThatRangeOnly) {
  EXPECT_EQ(
      key_of("{{range .ExtraData.tags}}{{.}}{{range $.ExtraData.none}}{{else}}{{break}}{{end}}"
             "-{{end}}",
             kTags),
      "a-b-c-");
}

TEST(KeyFormatLanguage, RangeThatAssigns_SetsTheNewestVariable) {
  // Go 1.19 does this; later versions set the variable that is named.
  EXPECT_EQ(key_of("{{$x := 1}}{{$y := 2}}{{range $x = .ExtraData.tags}}{{$y}}{{end}}", kTags),
            "abc");
}

TEST(KeyFormatLanguage, Variables_LiveUntilTheEndAroundThem) {
  EXPECT_EQ(key("{{$x := 1}}{{if true}}{{$x := 2}}{{$x}}{{end}}{{$x}}"), "21");
  EXPECT_EQ(key("{{$x := 1}}{{if true}}{{$x = 2}}{{end}}{{$x}}"), "2");
  EXPECT_TRUE(fails("{{$x = 1}}"));
  EXPECT_TRUE(fails("{{and 0 ($x := 1)}}{{$x}}"));
}

TEST(KeyFormatLanguage, Templates_SeeOnlyTheirDot) {
  Activity activity;
  activity.user_id = "alice";
  EXPECT_EQ(key("{{define \"t\"}}[{{.}}{{$}}]{{end}}{{template \"t\" .UserId}}", activity),
            "[alicealice]");
  EXPECT_EQ(key("{{define \"t\"}}{{.}}{{.x}}{{end}}{{template \"t\"}}"), "<no value><no value>");
  EXPECT_EQ(key("{{block \"t\" .UserId}}<{{.}}>{{end}}", activity), "<alice>");
  EXPECT_TRUE(fails("{{template \"nope\"}}"));
}

TEST(KeyFormatLanguage, IndexAndSlice_KeepTheirBounds) {
  EXPECT_EQ(key_of("{{index .ExtraData.tags 2}}{{index .ExtraData \"team\"}}", kTags), "cred");
  EXPECT_EQ(key("{{slice \"abc\" 1}}{{slice \"abc\" 3}}{{slice \"abc\" 0 2}}{{index \"abc\" 0}}"),
            "bcab97");
  EXPECT_TRUE(fails("{{slice \"abc\" 4}}"));
  EXPECT_TRUE(fails("{{slice \"abc\" 2 1}}"));
  EXPECT_TRUE(fails("{{index \"abc\" 3}}"));
  EXPECT_EQ(key_of("{{slice (slice .ExtraData.tags 0 1) 0 3}}", kTags), "[a b c]");
}

TEST(KeyFormatLanguage, SliceWithAnElementAsIndex_FailsAsInGo) {
  Activity activity;
  activity.extra_data = R"({"one":1})";
  EXPECT_TRUE(fails("{{slice \"abc\" .ExtraData.one}}", activity));
  EXPECT_EQ(key("{{slice \"abc\" (print .ExtraData.one | len)}}", activity), "bc");
}

TEST(KeyFormatLanguage, Printf_SaysWhatDoesNotFit) {
  EXPECT_EQ(key("{{printf \"%d|%s|%d\" \"x\" 1}}"), "%!d(string=x)|%!s(int=1)|%!d(MISSING)");
  EXPECT_EQ(key("{{printf \"x\" 1 nil}}"), "x%!(EXTRA int=1, <nil>)");
  EXPECT_EQ(key("{{printf \"%[2]d %[3]d %[1]*d\" 3 7}}"), "7 %!d(BADINDEX)   7");
  EXPECT_EQ(key("{{printf \"%*d\" \"a\" 1}}|{{printf \"%\"}}"), "%!(BADWIDTH)1|%!(NOVERB)");
}

TEST(KeyFormatLanguage, Printf_Numbers) {
  EXPECT_EQ(key("{{printf \"%6d|%-6d|%06d|%+d|%x|%#X|%O|%b\" 42 42 42 42 42 42 42 42}}"),
            "    42|42    |000042|+42|2a|0X2A|0o52|101010");
  EXPECT_EQ(key("{{printf \"%e|%8.2f|%g|%.3g|%x\" 3.14159 3.14159 1e21 1234.5 1.5}}"),
            "3.141590e+00|    3.14|1e+21|1.23e+03|0x1.8p+00");
  EXPECT_EQ(key("{{100000.0}} {{1000000.0}} {{0.0001}} {{0.00001}}"), "100000 1e+06 0.0001 1e-05");
}

TEST(KeyFormatLanguage, Print_PutsSpacesBetweenOperandsThatAreNoStrings) {
  EXPECT_EQ(key("{{print 1 2 \"a\" \"b\" 3 nil true}}"), "1 2ab3 <nil> true");
}

TEST(KeyFormatLanguage, Unicode13_DecidesCaseAndWhatIsPrintable) {
  EXPECT_EQ(key("{{upper \"straße ǆ ÿ ⓐ 𐐨\"}} {{lower \"İ Σ Ǆ ẞ\"}}"), "STRAßE Ǆ Ÿ Ⓐ 𐐀 i σ ǆ ß");
  // U+1F978 came with Unicode 13, U+1F979 with 14; so did the Vithkuqi letters.
  EXPECT_EQ(key("{{printf \"%q %q %#U\" \"\\U0001F978\" \"\\U0001F979\" 0x1F979}}"),
            "\"\xF0\x9F\xA5\xB8\" \"\\U0001f979\" U+1F979");
  EXPECT_EQ(key("{{lower \"\\U00010570\"}}"), "\xF0\x90\x95\xB0");
}

TEST(KeyFormatLanguage, Date_KnowsEveryLayoutElement) {
  EXPECT_EQ(
      key("{{date \"Mon Monday Jan January 1 01 2 _2 02 __2 002 15 3 03 4 04 5 05 2006 06 PM pm\" "
          "1136239445000000000}}"),
      "Mon Monday Jan January 1 01 2  2 02   2 002 22 10 10 4 04 5 05 2006 06 PM pm");
  EXPECT_EQ(key("{{date \"MST Z0700 Z07:00 -0700 -07:00 .000 .999 ,000000000\" 120000000}}"),
            "UTC Z Z +0000 +00:00 .120 .12 ,120000000");
  EXPECT_EQ(key("{{date \"2006-01-02T15:04:05.999999999\" -9223372036854775808}}"),
            "1677-09-21T00:12:43.145224192");
}

TEST(KeyFormatLanguage, OwnFunctions_AskForTheirTypes) {
  EXPECT_EQ(
      key("{{default \"d\" \"\"}}{{default \"d\" 0}}{{default \"d\" nil}}{{default \"d\" 5}}"),
      "ddd5");
  EXPECT_EQ(key("{{date \"2006\" 'a'}}{{date \"06\" 1e18}}"), "197001");
  EXPECT_TRUE(fails("{{date \"2006\" 1.5}}"));
  EXPECT_TRUE(fails("{{date \"2006\" (len \"a\")}}"));  // an int is no int64
  EXPECT_TRUE(fails("{{lower .Id}}"));
  EXPECT_TRUE(fails("{{lower .ExtraData}}"));
}

}  // namespace
}  // namespace feeds::key_format
