#include <cstdlib>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/key_format/render_helper.h"

namespace feeds::key_format {
namespace {

constexpr std::string_view kPieces[] = {"{{",
                                        "}}",
                                        "{{-",
                                        "-}}",
                                        "{{- ",
                                        " -}}",
                                        " ",
                                        "\n",
                                        "|",
                                        "(",
                                        ")",
                                        ".",
                                        "$",
                                        "$x",
                                        ":=",
                                        "=",
                                        ",",
                                        "\"a\"",
                                        "`b`",
                                        "'c'",
                                        "1",
                                        "1.5",
                                        "-9",
                                        "1i",
                                        "true",
                                        "nil",
                                        "if ",
                                        "else",
                                        "end",
                                        "range ",
                                        "with ",
                                        "define ",
                                        "template ",
                                        "block ",
                                        "break",
                                        "continue",
                                        "\"t\"",
                                        ".UserId",
                                        ".ExtraData",
                                        ".tags",
                                        ".Id",
                                        "print ",
                                        "printf ",
                                        "len ",
                                        "index ",
                                        "slice ",
                                        "eq ",
                                        "and ",
                                        "or ",
                                        "html ",
                                        "date ",
                                        "upper ",
                                        "$x := ",
                                        "{{end}}",
                                        "{{else}}",
                                        "{{if .UserId}}",
                                        "{{range .ExtraData.tags}}",
                                        "{{with .ExtraData}}",
                                        "/*",
                                        "*/",
                                        "{{/* c */}}",
                                        "\"%*[1]v\"",
                                        "\"%1000000d\"",
                                        "\"%#v\"",
                                        "{{template \"t\" .}}",
                                        "{{define \"t\"}}",
                                        "{{break}}",
                                        "\\",
                                        "\xC3\xA9",
                                        "\"\\xff\""};

class Fuzzer {
 public:
  explicit Fuzzer(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t limit) { return random_() % limit; }

  std::string format() {
    std::string text;
    for (std::size_t pieces = 1 + below(24); pieces > 0; --pieces) {
      text += kPieces[below(std::size(kPieces))];
    }
    if (below(4) == 0) text.insert(below(text.size() + 1), 1, static_cast<char>(' ' + below(95)));
    if (below(4) == 0) text.erase(below(text.size() + 1), below(6));
    if (below(16) == 0) {
      const std::string once = text;
      while (text.size() + once.size() <= kFormatBytes) text += once + " ";
      text.resize(std::min(text.size(), kFormatBytes));
    }
    return text;
  }

 private:
  std::minstd_rand random_;
};

// Nothing is known of what a format means, but an outcome has its form, and is the same twice.
TEST(KeyFormatFuzz, RandomFormats_EndInAKeyOrAnError) {
  const char* given = std::getenv("FEEDS_SEED");
  const unsigned seed = given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10))
                                         : std::random_device()();
  std::cout << "FEEDS_SEED=" << seed << "\n";
  Fuzzer fuzzer(seed);
  Activity activity;
  activity.id = 10000;
  activity.user_id = "alice";
  activity.object_id = "\xE2\x98\x83";
  activity.extra_data = R"({"tags":["a",1,2.5,null,[true],{"k":"v"}],"t":{"a":"b"}})";
  int keys = 0;
  for (int i = 0; i < 60'000; ++i) {
    const std::string format = fuzzer.format();
    const Outcome first = outcome(format, activity);
    if (!first.rendered) {
      ASSERT_FALSE(first.error.message.empty()) << format;
      ASSERT_GE(first.error.line, 1U);
      ASSERT_GE(first.error.column, 1U);
      ASSERT_LE(first.error.column, kFormatBytes + 1);
      continue;
    }
    ++keys;
    ASSERT_LE(first.key.size(), kKeyBytes) << format;
    ASSERT_EQ(outcome(format, activity).key, first.key) << format;
  }
  EXPECT_GT(keys, 100);
}

}  // namespace
}  // namespace feeds::key_format
