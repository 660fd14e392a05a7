#include "common/config/config.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "common/config/settings.h"

namespace feeds::config {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Result<Parsed> run(Role role, std::vector<std::string> arguments) {
  std::vector<const char*> argv{"program"};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  return parse(role, static_cast<int>(argv.size()), argv.data());
}

Result<Parsed> run_primary(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"--data", "/d"});
  return run(Role::kPrimary, arguments);
}

Result<Parsed> run_replica(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"--data", "/d", "--primary", "p:8090"});
  return run(Role::kReplica, arguments);
}

class ConfigFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "feeds-config-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(std::string_view yaml) const {
    const std::string path = (folder_ / "config.yml").string();
    std::ofstream(path) << yaml;
    return path;
  }
  Result<Parsed> with(std::string_view yaml) const {
    return run_primary({"--config", write(yaml)});
  }
  // The detail of the refusal, without the folder.
  std::string refusal(std::string_view yaml) const {
    const auto parsed = with(yaml);
    if (parsed) return "(accepted)";
    const std::string& detail = parsed.error().detail;
    return detail.substr(std::min(detail.find("config.yml"), detail.size()));
  }

  std::filesystem::path folder_;
};

TEST(Flags, Defaults_AreThoseOfTheHeader) {
  const auto parsed = run_primary({});
  ASSERT_TRUE(parsed) << parsed.error().detail;
  EXPECT_EQ(parsed->text, std::nullopt);
  EXPECT_EQ(parsed->config.db_path, "/d");
  EXPECT_EQ(parsed->config.http_listen, "127.0.0.1:8080");
  EXPECT_EQ(parsed->config.http_max_connections, 16384u);
  EXPECT_EQ(parsed->config.replication_heartbeat, 500ms);
  EXPECT_EQ(parsed->config.replication_retain_wal, 1u << 30);
  EXPECT_TRUE(parsed->config.counters.empty());
}

TEST(Flags, EverySetting_HasOne) {
  const auto parsed = run_primary({"--http",
                                   "[::1]:0",
                                   "--advertise",
                                   "me:80",
                                   "--replication=127.0.0.1:0",
                                   "--http-threads",
                                   "3",
                                   "--http-max-connections",
                                   "7",
                                   "--http-header-timeout",
                                   "1s",
                                   "--http-body-timeout",
                                   "2s",
                                   "--http-idle-timeout",
                                   "3s",
                                   "--http-cors-origins",
                                   "https://a,https://b",
                                   "--http-cors-origins",
                                   "https://c",
                                   "--commit-queue",
                                   "9",
                                   "--replication-heartbeat",
                                   "100ms",
                                   "--replication-peer-timeout",
                                   "2s",
                                   "--replication-retain-wal",
                                   "64MiB",
                                   "--logging-level",
                                   "WARN",
                                   "--db-counters",
                                   "/users=5,/feeds=6"});
  ASSERT_TRUE(parsed) << parsed.error().detail;
  const Config& config = parsed->config;
  EXPECT_EQ(config.http_listen, "[::1]:0");
  EXPECT_EQ(config.http_advertise, "me:80");
  EXPECT_EQ(config.replication_listen, "127.0.0.1:0");
  EXPECT_EQ(config.http_threads, 3u);
  EXPECT_EQ(config.http_max_connections, 7u);
  EXPECT_EQ(config.http_header_timeout, 1s);
  EXPECT_EQ(config.http_body_timeout, 2s);
  EXPECT_EQ(config.http_idle_timeout, 3s);
  EXPECT_THAT(config.http_cors_origins, ElementsAre("https://a", "https://b", "https://c"));
  EXPECT_EQ(config.commit_queue, 9u);
  EXPECT_EQ(config.replication_heartbeat, 100ms);
  EXPECT_EQ(config.replication_peer_timeout, 2s);
  EXPECT_EQ(config.replication_retain_wal, 64u << 20);
  EXPECT_EQ(config.log_level, "warn");
  EXPECT_EQ(config.counters, (std::map<std::string, std::uint64_t>{{"/users", 5}, {"/feeds", 6}}));
}

TEST(Flags, Replica_TakesPrimaryAndMaxLag) {
  const auto parsed = run_replica({"--replication-max-lag", "3s"});
  ASSERT_TRUE(parsed) << parsed.error().detail;
  EXPECT_EQ(parsed->config.replication_primary, "p:8090");
  EXPECT_EQ(parsed->config.replication_max_lag, 3s);
}

struct Refused {
  Role role;
  std::vector<std::string> arguments;
  std::string named;
};

TEST(Flags, WrongOnes_AreRefusedByName) {
  const auto primary = Role::kPrimary;
  const auto replica = Role::kReplica;
  const std::vector<Refused> cases = {
      {primary, {}, "--data DIR (or db.path) is required"},
      {primary, {"--data", ""}, "--data"},
      {replica, {"--data", "/d"}, "--primary HOST:PORT (or replication.primary) is required"},
      {primary, {"--data", "/d", "--nope"}, "unknown flag --nope"},
      {primary, {"--data", "/d", "config.yml"}, "unexpected argument \"config.yml\""},
      {primary, {"--data", "/d", "--primary", "p:1"}, "--primary is for feeds-replica only"},
      {replica,
       {"--data", "/d", "--primary", "p:1", "--replication", "p:1"},
       "--replication is for feeds-primary only"},
      {replica,
       {"--data", "/d", "--primary", "p:1", "--replication=p:1"},
       "--replication is for feeds-primary only"},
      {replica, {"--data", "/d", "--primary", "p:0"}, "port 0"},
      {replica, {"--data", "/d", "--primary", "0.0.0.0:1"}, "every address"},
      {primary, {"--data", "/d", "--http"}, "--http"},
      {primary, {"--data", "/d", "--http", "a:1", "--http", "b:1"}, "--http is given twice"},
      {primary, {"--data", "/d", "--http", "8080"}, "--http: \"8080\" is no address"},
      {primary,
       {"--data", "/d", "--http", "0.0.0.0:1"},
       "--advertise HOST:PORT (or http.advertise) is required"},
      {primary, {"--data", "/d", "--http", "[::]:1"}, "--advertise"},
      {primary, {"--data", "/d", "--http", "0.0.0.0:1", "--advertise", "[::]:1"}, "--advertise"},
      {primary,
       {"--data", "/d", "--http-threads", "1025"},
       "--http-threads: \"1025\" is no number from 0 to 1024"},
      {primary, {"--data", "/d", "--http-threads", "-1"}, "--http-threads"},
      {primary, {"--data", "/d", "--http-max-connections", "0"}, "--http-max-connections"},
      {primary, {"--data", "/d", "--replication-heartbeat", "2s"}, "not within 10ms and 1s"},
      {primary, {"--data", "/d", "--replication-heartbeat", "500"}, "is no duration"},
      {primary, {"--data", "/d", "--replication-peer-timeout", "900ms"}, "less than twice"},
      {primary, {"--data", "/d", "--replication-retain-wal", "1GB"}, "is no size"},
      {primary, {"--data", "/d", "--logging-level", "loud"}, "none of debug, info, warn, error"},
      {primary, {"--data", "/d", "--db-counters", "/users=0"}, "/users: \"0\" is no number"},
      {primary, {"--data", "/d", "--db-counters", "/users=9007199254740993"}, "2^53"},
      {primary, {"--data", "/d", "--db-counters", "/user=1"}, "unknown counter \"/user\""},
      {primary, {"--data", "/d", "--db-counters", "/users=1,/users=2"}, "named twice"},
      {primary, {"--data", "/d", "--http-cors-origins", "example.org"}, "--http-cors-origins"},
      {primary, {"--data", "/d", "--config", "/nonexistent.yml"}, "/nonexistent.yml"},
      {primary, {"--data", "/d", "--config", "/"}, "--config /"},
  };
  for (const Refused& refused : cases) {
    const auto parsed = run(refused.role, refused.arguments);
    ASSERT_FALSE(parsed) << ::testing::PrintToString(refused.arguments);
    EXPECT_EQ(parsed.error().code, Code::kBadParameter);
    EXPECT_THAT(parsed.error().detail, HasSubstr(refused.named));
  }
}

TEST(Flags, Wildcard_IsTakenWithAdvertise) {
  const auto parsed = run_primary({"--http", "0.0.0.0:8080", "--advertise", "node:8080"});
  ASSERT_TRUE(parsed) << parsed.error().detail;
  EXPECT_EQ(parsed->config.http_advertise, "node:8080");
}

TEST(Flags, LargestCounter_Is2To53) {
  const auto parsed = run_primary({"--db-counters", "/feeds=9007199254740992"});
  ASSERT_TRUE(parsed) << parsed.error().detail;
  EXPECT_EQ(parsed->config.counters.at("/feeds"), std::uint64_t{1} << 53);
}

TEST(Texts, Version_IsThatOfTheBuild) {
  const auto parsed = run(Role::kReplica, {"--version"});
  ASSERT_TRUE(parsed) << parsed.error().detail;
  EXPECT_THAT(parsed->text.value(),
              ::testing::MatchesRegex("feeds-replica [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(Texts, Help_NamesEveryFlagKeyAndDefaultOfTheRole) {
  for (const Role role : {Role::kPrimary, Role::kReplica}) {
    const auto parsed = run(role, {"--help"});
    ASSERT_TRUE(parsed) << parsed.error().detail;
    for (const Setting& setting : settings()) {
      if (!applies(setting, role)) {
        EXPECT_THAT(parsed->text.value(), Not(HasSubstr(std::string(setting.flag) + " ")));
        continue;
      }
      const std::string shown = std::string(setting.flag) + " " + std::string(setting.unit);
      EXPECT_THAT(parsed->text.value(), HasSubstr(shown));
      const bool may_repeat = parsed->text->find(shown + " ...") != std::string::npos;
      EXPECT_EQ(may_repeat, is_list(setting)) << shown;
      EXPECT_THAT(parsed->text.value(), HasSubstr("[" + std::string(setting.key)));
      EXPECT_THAT(parsed->text.value(), HasSubstr(value_text(setting, Config{})));
    }
    for (const char* flag : {"--config", "--print-config", "--version"})
      EXPECT_THAT(parsed->text.value(), HasSubstr(flag));
  }
}

TEST_F(ConfigFile, Sample_IsAValidFile_AlsoUncommented) {
  for (const Role role : {Role::kPrimary, Role::kReplica}) {
    const auto printed = run(role, {"--print-config"});
    ASSERT_TRUE(printed) << printed.error().detail;
    const auto parsed = with(printed->text.value());
    ASSERT_TRUE(parsed) << parsed.error().detail;

    // Lines with a key, but not the prose above them, lose their comment sign.
    std::string uncommented;
    std::istringstream lines(printed->text.value());
    for (std::string line; std::getline(lines, line);) {
      const std::size_t sign = line.find("# ");
      const std::size_t colon = line.find(':');
      const bool is_key =
          sign == 2 && colon != std::string::npos && line.find_first_of(" ,", sign + 2) > colon;
      const bool is_counter = line.starts_with("  #   /");
      if (is_key || is_counter) line.erase(sign, 2);
      for (const std::string_view word : {"DIR", "HOST:PORT"}) {
        if (line.ends_with(word))
          line.replace(line.size() - word.size(), std::string::npos, "host:1");
      }
      uncommented += line + "\n";
    }
    const auto whole = run(Role::kPrimary, {"--config", write(uncommented)});
    ASSERT_TRUE(whole) << whole.error().detail << "\n" << uncommented;
    EXPECT_EQ(whole->config.db_path, "host:1");
    EXPECT_THAT(whole->config.http_cors_origins, ElementsAre("https://example.org"));
    EXPECT_EQ(whole->config.counters.size(), role == Role::kPrimary ? 3u : 0u);
    EXPECT_EQ(whole->config.replication_heartbeat, 500ms);
  }
}

TEST_F(ConfigFile, ArticlesDesignsFile_KeepsWorking) {
  const auto parsed = run(Role::kPrimary, {"--config", write("db:\n"
                                                             "  path: /tmp/feeds.rocksdb\n"
                                                             "  counters:\n"
                                                             "    /users: 10000\n"
                                                             "    /feeds: 20000\n"
                                                             "logging:\n"
                                                             "  level: INFO\n")});
  ASSERT_TRUE(parsed) << parsed.error().detail;
  EXPECT_EQ(parsed->config.db_path, "/tmp/feeds.rocksdb");
  EXPECT_EQ(parsed->config.counters.at("/feeds"), 20000u);
  EXPECT_EQ(parsed->config.log_level, "info");
}

TEST_F(ConfigFile, Flags_BeatIt) {
  const auto parsed =
      run(Role::kPrimary,
          {"--http", "b:2", "--http-cors-origins", "*", "--config",
           write("db: {path: /file}\n"
                 "http: {listen: \"a:1\", threads: 5, cors_origins: [\"https://a\"]}\n")});
  ASSERT_TRUE(parsed) << parsed.error().detail;
  EXPECT_EQ(parsed->config.db_path, "/file");
  EXPECT_EQ(parsed->config.http_listen, "b:2");
  EXPECT_EQ(parsed->config.http_threads, 5u);
  EXPECT_THAT(parsed->config.http_cors_origins, ElementsAre("*"));
}

TEST_F(ConfigFile, BothRoles_CanShareOne) {
  const std::string path =
      write("replication: {listen: \"a:1\", primary: \"a:1\", max_lag: 5s}\ncommit: {queue: 5}\n");
  EXPECT_TRUE(run(Role::kPrimary, {"--data", "/d", "--config", path}));
  const auto parsed = run(Role::kReplica, {"--data", "/d", "--config", path});
  ASSERT_TRUE(parsed) << parsed.error().detail;
  EXPECT_EQ(parsed->config.replication_primary, "a:1");
}

TEST_F(ConfigFile, EmptyOnes_AreDefaults) {
  for (const char* yaml :
       {"", "# nothing\n", "---\n", "http:\n", "http: {}\n", "http:\n  # listen: x\n"}) {
    EXPECT_TRUE(with(yaml)) << yaml;
  }
}

TEST_F(ConfigFile, WrongOnes_AreRefusedByNameAndLine) {
  EXPECT_EQ(refusal("http:\n  lisen: a:1\n"), "config.yml:2: unknown key http.lisen");
  EXPECT_EQ(refusal("\nserver:\n  port: 1\n"), "config.yml:2: unknown key server");
  EXPECT_EQ(refusal("http.listen: a:1\n"), "config.yml:1: unknown key http.listen");
  EXPECT_EQ(refusal("logging:\n  level: INFO\n  loggers:\n    org.rocksdb: DEBUG\n"),
            "config.yml:3: logging.loggers is not supported: there are no named loggers here, the "
            "whole log has one "
            "level, logging.level");
  EXPECT_EQ(refusal("http:\n  threads: 1\n  threads: 2\n"),
            "config.yml:3: http.threads is named twice");
  EXPECT_EQ(refusal("http:\n  threads: 1\nhttp:\n  listen: a:1\n"),
            "config.yml:3: http is named twice");
  EXPECT_EQ(refusal("http:\n  threads:\n"), "config.yml:2: http.threads has no value");
  EXPECT_EQ(refusal("http:\n  threads: many\n"),
            "config.yml:2: http.threads: \"many\" is no number from 0 to 1024");
  EXPECT_EQ(refusal("http:\n  threads: [1]\n"), "config.yml:2: http.threads takes one value");
  EXPECT_EQ(refusal("http:\n  listen: {a: 1}\n"), "config.yml:2: http.listen takes one value");
  EXPECT_EQ(refusal("http: 8080\n"), "config.yml:1: http is a section: its keys stand below it");
  EXPECT_EQ(refusal("- http\n"), "config.yml:1: a configuration is a map of sections");
  EXPECT_EQ(refusal("[a]: 1\n"), "config.yml:1: a key is a word");
  EXPECT_EQ(refusal("db:\n  counters:\n    /users: 1\n    /posts: 1\n"),
            "config.yml:4: db.counters: unknown counter \"/posts\"; there are /users, /feeds and "
            "/activities");
  EXPECT_EQ(
      refusal("db:\n  counters:\n    /users: 0\n"),
      "config.yml:3: db.counters: /users: \"0\" is no number from 1 to 9007199254740992 (2^53)");
  EXPECT_EQ(refusal("db:\n  counters:\n    /users: 1\n    /users: 1\n"),
            "config.yml:4: db.counters: /users is named twice");
  EXPECT_EQ(refusal("db:\n  counters: 5\n"),
            "config.yml:2: db.counters is a map such as /users: 10000");
  EXPECT_EQ(refusal("db:\n  counters: {/users: [1]}\n"),
            "config.yml:2: db.counters maps a name to a number");
  EXPECT_EQ(refusal("http: {}\n---\nhttp: {}\n"), "config.yml: more than one YAML document");
  EXPECT_THAT(refusal("http:\n  listen: [\n"), ::testing::StartsWith("config.yml:3: no YAML: "));
  EXPECT_THAT(refusal("http:\n  cors_origins: [https://a, b]\n"),
              HasSubstr("config.yml:2: http.cors_origins: \"b\""));
}

}  // namespace
}  // namespace feeds::config
