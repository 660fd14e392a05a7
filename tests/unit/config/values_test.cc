#include "common/config/values.h"

#include <gtest/gtest.h>

namespace feeds::config {
namespace {

using namespace std::chrono_literals;

TEST(Durations, Units_AreRead) {
  EXPECT_EQ(*parse_duration("500ms"), 500ms);
  EXPECT_EQ(*parse_duration("10s"), 10s);
  EXPECT_EQ(*parse_duration("2m"), 2min);
  EXPECT_EQ(*parse_duration("1h"), 1h);
  EXPECT_EQ(*parse_duration("0s"), 0ms);
}

TEST(Durations, OtherTexts_AreRefused) {
  for (const char* text :
       {"", "10", "s", "ms", "-1s", "+1s", "1.5s", "1 s", " 1s", "1s ", "1S", "1d", "01s",
        "9223372036854775807h", "99999999999999999999ms", "1e3ms"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(Durations, Text_IsReadBackAsTheSame) {
  for (const auto value : {0ms, 1ms, 500ms, 1500ms, 10'000ms, 60'000ms, 90'000ms, 3'600'000ms}) {
    EXPECT_EQ(*parse_duration(duration_text(value)), value);
  }
  EXPECT_EQ(duration_text(90s), "90s");
  EXPECT_EQ(duration_text(2min), "2m");
}

TEST(Sizes, Units_AreRead) {
  EXPECT_EQ(*parse_size("0"), 0u);
  EXPECT_EQ(*parse_size("1048577"), 1048577u);
  EXPECT_EQ(*parse_size("4KiB"), 4096u);
  EXPECT_EQ(*parse_size("64MiB"), 64u << 20);
  EXPECT_EQ(*parse_size("1GiB"), 1u << 30);
  EXPECT_EQ(*parse_size("2TiB"), std::uint64_t{2} << 40);
}

TEST(Sizes, OtherTexts_AreRefused) {
  for (const char* text :
       {"", "GiB", "1GB", "1G", "1 GiB", "1gib", "-1", "1.5GiB", "9007199254740993TiB", "0x10"}) {
    EXPECT_FALSE(parse_size(text)) << text;
  }
}

TEST(Sizes, Text_IsReadBackAsTheSame) {
  for (const std::uint64_t value : {0ul, 1ul, 1023ul, 1024ul, 64ul << 20, (1ul << 30) + 1}) {
    EXPECT_EQ(*parse_size(size_text(value)), value);
  }
}

TEST(Addresses, HostsAndPorts_AreTakenApart) {
  EXPECT_EQ(parse_address("127.0.0.1:8080")->host, "127.0.0.1");
  EXPECT_EQ(parse_address("127.0.0.1:8080")->port, 8080);
  EXPECT_EQ(parse_address("node-1.example:0")->host, "node-1.example");
  EXPECT_EQ(parse_address("[::1]:65535")->host, "::1");
  EXPECT_EQ(parse_address("[::1]:65535")->port, 65535);
}

TEST(Addresses, OtherTexts_AreRefused) {
  for (const char* text : {"", "8080", "localhost", ":8080", "localhost:", "localhost:65536",
                           "localhost:-1", "localhost:080", "::1:8080", ":::8080", "[::1]",
                           "[::1:8080", "[nonsense]:1", "a b:1", "a/b:1", "a\r\nb:1"}) {
    EXPECT_FALSE(parse_address(text)) << text;
  }
}

TEST(Addresses, Wildcards_AreKnown) {
  for (const char* host : {"0.0.0.0", "::", "0:0:0:0:0:0:0:0", "::ffff:0.0.0.0", "0", "0.0"}) {
    EXPECT_TRUE(is_wildcard(host)) << host;
  }
  for (const char* host : {"127.0.0.1", "::1", "localhost", "10.0.0.0", "1"}) {
    EXPECT_FALSE(is_wildcard(host)) << host;
  }
}

TEST(Origins, OnlyWhatBrowsersSend_IsTaken) {
  for (const char* text : {"*", "https://example.org", "http://localhost:3000", "app://x"}) {
    EXPECT_TRUE(check_origin(text)) << text;
  }
  for (const char* text : {"", "example.org", "https://", "https://example.org/", "https://a/b",
                           "https://a\r\nX: 1", "https://a, https://b", "https://u@a", "://a"}) {
    EXPECT_FALSE(check_origin(text)) << text;
  }
}

}  // namespace
}  // namespace feeds::config
