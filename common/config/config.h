#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

// Settings of the two servers. Each is declared once (settings.cc): YAML key, flag, default,
// bounds, help. The parser, `--help` and the commented sample (`--print-config`) come from that
// list.
namespace feeds::config {

enum class Role { kPrimary, kReplica };
std::string_view to_string(Role role);

struct Config {
  std::string db_path;                            // db.path, --data
  std::map<std::string, std::uint64_t> counters;  // db.counters: /users, /feeds, /activities
  std::string log_level = "info";                 // logging.level

  std::string http_listen = "127.0.0.1:8080";  // http.listen, --http
  std::string http_advertise;                  // http.advertise, --advertise; empty: as bound
  std::size_t http_threads = 0;                // 0: one a core
  std::size_t http_max_connections = 16384;
  std::chrono::milliseconds http_header_timeout{10'000};
  std::chrono::milliseconds http_body_timeout{30'000};
  std::chrono::milliseconds http_idle_timeout{60'000};
  std::vector<std::string> http_cors_origins;

  std::size_t commit_queue = 8192;  // commands waiting; more: 503 overloaded

  std::string replication_listen = "127.0.0.1:8090";  // primary: replication.listen, --replication
  std::string replication_primary;                    // replica: replication.primary, --primary
  std::chrono::milliseconds replication_heartbeat{500};
  std::chrono::milliseconds replication_peer_timeout{10'000};
  std::uint64_t replication_retain_wal = std::uint64_t{1} << 30;  // bytes
  std::chrono::milliseconds replication_max_lag{10'000};
};

// What the command line asks for. `text` is printed on standard output and the process exits 0.
struct Parsed {
  std::optional<std::string> text;  // --help, --version, --print-config
  Config config;
};

// Defaults, then the file of --config, then flags. Error (kBadParameter): an unknown key or flag,
// a value out of bounds or of the wrong type, a required setting that is missing; the detail names
// it and, for the file, the line. Durations are written `500ms`, `10s`, `2m`; sizes `1GiB`,
// `64MiB`, bytes.
Result<Parsed> parse(Role role, int argc, const char* const* argv);

}  // namespace feeds::config
