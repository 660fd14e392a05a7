#include "common/config/settings.h"

#include <fmt/format.h>

#include "common/base/ids.h"
#include "common/config/values.h"

namespace feeds::config {
namespace {

using namespace std::chrono_literals;

Error bad(std::string detail) {
  return Error{Code::kBadParameter, std::move(detail)};
}

Status check_path(std::string_view text) {
  if (text.empty()) return bad("a path is not empty");
  return done();
}

Status check_level(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = (c >= 'A' && c <= 'Z') ? static_cast<char>(c + 32) : c;
  for (const std::string_view level : {"debug", "info", "warn", "error"}) {
    if (lower == level) return done();
  }
  return bad(fmt::format("\"{}\" is none of debug, info, warn, error", text));
}

Status check_listen(std::string_view text) {
  const auto address = parse_address(text);
  if (!address) return address.error();
  return done();
}

// An address that others dial.
Status check_reachable(std::string_view text) {
  const auto address = parse_address(text);
  if (!address) return address.error();
  if (is_wildcard(address->host)) {
    return bad(fmt::format("\"{}\" is every address of a machine: others cannot dial it", text));
  }
  if (address->port == 0) return bad(fmt::format("\"{}\": port 0 cannot be dialled", text));
  return done();
}

const std::array kSettings{
    Setting{"db.path", "--data", "DIR",
            "Directory of the node's data; made if it is not there. Required.", For::kBoth,
            Text{&Config::db_path, check_path}},
    Setting{"db.counters", "--db-counters", "/NAME=N",
            "Where the counters /users, /feeds and /activities start, 1 to 2^53; 10000 unless set. "
            "Only for a counter that was never used.",
            For::kPrimary, Counters{&Config::counters}},
    Setting{"logging.level", "--logging-level", "LEVEL", "debug, info, warn or error.", For::kBoth,
            Text{&Config::log_level, check_level}},
    Setting{"http.listen", "--http", "HOST:PORT",
            "Address of the HTTP server; port 0 picks a free one and logs it.", For::kBoth,
            Text{&Config::http_listen, check_listen}},
    Setting{"http.advertise", "--advertise", "HOST:PORT",
            "Address under which others reach the HTTP server. Unless set, the one it listens on; "
            "required where that is every address (0.0.0.0, [::]).",
            For::kBoth, Text{&Config::http_advertise, check_reachable}},
    Setting{"http.threads", "--http-threads", "N", "Threads that serve HTTP; 0 is one a core.",
            For::kBoth, Count{&Config::http_threads, 0, 1024}},
    Setting{"http.max_connections", "--http-max-connections", "N",
            "Open connections; more are answered 503 and closed.", For::kBoth,
            Count{&Config::http_max_connections, 1, 1'000'000}},
    Setting{"http.header_timeout", "--http-header-timeout", "TIME",
            "For the head of a request, from its first byte on.", For::kBoth,
            Duration{&Config::http_header_timeout, 1ms, 1h}},
    Setting{"http.body_timeout", "--http-body-timeout", "TIME",
            "Without a byte of a request's body.", For::kBoth,
            Duration{&Config::http_body_timeout, 1ms, 1h}},
    Setting{"http.idle_timeout", "--http-idle-timeout", "TIME",
            "Between requests, and for a reply that nobody reads.", For::kBoth,
            Duration{&Config::http_idle_timeout, 1ms, 24h}},
    Setting{"http.cors_origins", "--http-cors-origins", "ORIGIN",
            "Origins whose pages may call this node from a browser, or *; none unless set.",
            For::kBoth, Origins{&Config::http_cors_origins}},
    Setting{"commit.queue", "--commit-queue", "N",
            "Writes that may wait for the committer; more are answered 503 overloaded.",
            For::kPrimary, Count{&Config::commit_queue, 1, 1'000'000}},
    Setting{"replication.listen", "--replication", "HOST:PORT",
            "Address where replicas connect; port 0 picks a free one and logs it.", For::kPrimary,
            Text{&Config::replication_listen, check_listen}},
    Setting{"replication.primary", "--primary", "HOST:PORT",
            "The primary's replication address. Required.", For::kReplica,
            Text{&Config::replication_primary, check_reachable}},
    // At most 1 s: a replica calls its lag known by a heartbeat younger than 2 s.
    Setting{"replication.heartbeat", "--replication-heartbeat", "TIME",
            "How often each side tells the other that it lives.", For::kBoth,
            Duration{&Config::replication_heartbeat, 10ms, 1s}},
    Setting{"replication.peer_timeout", "--replication-peer-timeout", "TIME",
            "A peer silent for this long is dropped; at least twice the heartbeat.", For::kBoth,
            Duration{&Config::replication_peer_timeout, 20ms, 1h}},
    Setting{"replication.retain_wal", "--replication-retain-wal", "SIZE",
            "Log kept for replicas that are away; one that missed more takes a snapshot.",
            For::kBoth, Size{&Config::replication_retain_wal, std::uint64_t{1} << 50}},
    Setting{"replication.max_lag", "--replication-max-lag", "TIME",
            "A replica further behind is not ready (/readyz).", For::kReplica,
            Duration{&Config::replication_max_lag, 1ms, 24h}},
};

Status assign_text(const Text& target, std::string_view text, Config& config) {
  if (Status checked = target.check(text); !checked) return checked;
  config.*target.member = text;
  return done();
}

Status assign_count(const Count& target, std::string_view text, Config& config) {
  const auto number = parse_decimal(text);
  if (!number || *number < target.min || *number > target.max) {
    return bad(fmt::format("\"{}\" is no number from {} to {}", text, target.min, target.max));
  }
  config.*target.member = *number;
  return done();
}

Status assign_duration(const Duration& target, std::string_view text, Config& config) {
  const auto value = parse_duration(text);
  if (!value) return value.error();
  if (*value < target.min || *value > target.max) {
    return bad(fmt::format("\"{}\" is not within {} and {}", text, duration_text(target.min),
                           duration_text(target.max)));
  }
  config.*target.member = *value;
  return done();
}

Status assign_size(const Size& target, std::string_view text, Config& config) {
  const auto bytes = parse_size(text);
  if (!bytes) return bytes.error();
  if (*bytes > target.max)
    return bad(fmt::format("\"{}\" is over {}", text, size_text(target.max)));
  config.*target.member = *bytes;
  return done();
}

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace

std::span<const Setting> settings() {
  return kSettings;
}

bool applies(const Setting& setting, Role role) {
  return setting.roles == For::kBoth ||
         setting.roles == (role == Role::kPrimary ? For::kPrimary : For::kReplica);
}

Status assign_counter(const Counters& counters, std::string_view name, std::string_view value,
                      Config& config) {
  if (name != "/users" && name != "/feeds" && name != "/activities") {
    return bad(
        fmt::format("unknown counter \"{}\"; there are /users, /feeds and /activities", name));
  }
  const auto number = parse_decimal(value);
  if (!number || *number < 1 || *number > kMaxCounterStart) {
    return bad(
        fmt::format("{}: \"{}\" is no number from 1 to {} (2^53)", name, value, kMaxCounterStart));
  }
  if (!(config.*counters.member).emplace(name, *number).second) {
    return bad(fmt::format("{} is named twice", name));
  }
  return done();
}

Status assign(const Setting& setting, std::string_view text, Config& config) {
  return std::visit(
      Overloaded{
          [&](const Text& target) { return assign_text(target, text, config); },
          [&](const Count& target) { return assign_count(target, text, config); },
          [&](const Duration& target) { return assign_duration(target, text, config); },
          [&](const Size& target) { return assign_size(target, text, config); },
          [&](const Origins& target) {
            if (Status checked = check_origin(text); !checked) return checked;
            (config.*target.member).emplace_back(text);
            return done();
          },
          [&](const Counters& target) -> Status {
            const std::size_t equals = text.find('=');
            if (equals == std::string_view::npos) {
              return bad(fmt::format("\"{}\" is not of the form /NAME=N", text));
            }
            return assign_counter(target, text.substr(0, equals), text.substr(equals + 1), config);
          },
      },
      setting.target);
}

bool is_list(const Setting& setting) {
  return std::holds_alternative<Origins>(setting.target) ||
         std::holds_alternative<Counters>(setting.target);
}

void clear_list(const Setting& setting, Config& config) {
  if (const auto* origins = std::get_if<Origins>(&setting.target))
    (config.*origins->member).clear();
  if (const auto* counters = std::get_if<Counters>(&setting.target))
    (config.*counters->member).clear();
}

std::string value_text(const Setting& setting, const Config& config) {
  return std::visit(
      Overloaded{
          [&](const Text& target) { return config.*target.member; },
          [&](const Count& target) { return std::to_string(config.*target.member); },
          [&](const Duration& target) { return duration_text(config.*target.member); },
          [&](const Size& target) { return size_text(config.*target.member); },
          [&](const Origins& target) {
            return fmt::format("{}", fmt::join(config.*target.member, ","));
          },
          [&](const Counters& target) {
            std::string out;
            for (const auto& [name, start] : config.*target.member) {
              out += fmt::format("{}{}={}", out.empty() ? "" : ",", name, start);
            }
            return out;
          },
      },
      setting.target);
}

}  // namespace feeds::config
