#include "common/config/config.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "common/config/file.h"
#include "common/config/sample.h"
#include "common/config/settings.h"
#include "common/config/values.h"
#include "common/config/version.h"

namespace feeds::config {
namespace {

constexpr std::size_t kHelpIndent = 36;
constexpr std::size_t kHelpColumns = 64;

Error bad(std::string detail) {
  return Error{Code::kBadParameter, std::move(detail)};
}

// What the command line said, before it is judged.
struct Flags {
  std::string file;
  bool print_config = false;
  bool version = false;
  std::map<std::string_view, std::vector<std::string>> values;  // by the setting's key
};

// For the right column of --help, which CLI11 indents line by line but does not break.
std::string describe(const Setting& setting) {
  const std::string value = value_text(setting, Config{});
  const std::string text = fmt::format("{} [{}{}{}]", setting.help, setting.key,
                                       value.empty() ? "" : "; default ", value);
  std::string out;
  std::size_t column = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (column != 0 && column + 1 + (end - at) > kHelpColumns) {
      out += '\n';
      column = 0;
    }
    if (column++ != 0) out += ' ';
    out += text.substr(at, end - at);
    column += end - at;
    at = end + 1;
  }
  return out;
}

void declare(CLI::App& app, Role role, Flags& flags) {
  app.get_formatter()->column_width(kHelpIndent);
  app.add_option("--config", flags.file, "YAML file with settings; a flag beats it.")
      ->type_name("FILE");
  app.add_flag("--print-config", flags.print_config,
               "Print a commented configuration file and exit.");
  app.add_flag("--version", flags.version, "Print the version and exit.");
  for (const Setting& setting : settings()) {
    if (!applies(setting, role)) continue;
    auto* option =
        app.add_option(std::string(setting.flag), flags.values[setting.key], describe(setting));
    option->type_name(std::string(setting.unit));
    // One value a flag, which may come again: apply() judges how often.
    option->allow_extra_args(false);
    if (is_list(setting)) {
      option->delimiter(',');
    } else {
      option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
  }
}

Status apply(const Flags& flags, Config& config) {
  for (const Setting& setting : settings()) {
    const auto given = flags.values.find(setting.key);
    if (given == flags.values.end() || given->second.empty()) continue;
    if (!is_list(setting) && given->second.size() > 1) {
      return bad(fmt::format("{} is given twice", setting.flag));
    }
    clear_list(setting, config);
    for (const std::string& text : given->second) {
      if (Status assigned = assign(setting, text, config); !assigned) {
        return bad(fmt::format("{}: {}", setting.flag, assigned.error().detail));
      }
    }
  }
  return done();
}

// What no setting can tell alone.
Status check_whole(Role role, const Config& config) {
  if (config.db_path.empty()) return bad("--data DIR (or db.path) is required");
  if (role == Role::kReplica && config.replication_primary.empty()) {
    return bad(
        "--primary HOST:PORT (or replication.primary) is required: the primary's replication "
        "address");
  }
  if (const auto listen = parse_address(config.http_listen);
      listen && is_wildcard(listen->host) && config.http_advertise.empty()) {
    return bad(
        fmt::format("--advertise HOST:PORT (or http.advertise) is required: others cannot dial {}",
                    config.http_listen));
  }
  if (config.replication_peer_timeout < 2 * config.replication_heartbeat) {
    return bad(
        fmt::format("replication.peer_timeout ({}) is less than twice replication.heartbeat ({})",
                    duration_text(config.replication_peer_timeout),
                    duration_text(config.replication_heartbeat)));
  }
  return done();
}

// A flag of the other role deserves a better answer than "unexpected".
std::string explain(Role role, const std::vector<std::string>& extras) {
  for (const std::string& extra : extras) {
    const std::string flag = extra.substr(0, extra.find('='));
    for (const Setting& setting : settings()) {
      if (setting.flag == flag && !applies(setting, role)) {
        return fmt::format("{} is for feeds-{} only", flag,
                           to_string(role == Role::kPrimary ? Role::kReplica : Role::kPrimary));
      }
    }
  }
  const std::string& first = extras.front();
  return first.starts_with('-') ? fmt::format("unknown flag {}", first)
                                : fmt::format("unexpected argument \"{}\"", first);
}

}  // namespace

std::string_view to_string(Role role) {
  return role == Role::kPrimary ? "primary" : "replica";
}

Result<Parsed> parse(Role role, int argc, const char* const* argv) {
  const std::string program = fmt::format("feeds-{}", to_string(role));
  CLI::App app(role == Role::kPrimary
                   ? "The node of a feeds cluster that takes every write."
                   : "A node of a feeds cluster that follows the primary and serves reads.",
               program);
  app.allow_extras();  // so that explain() can judge them
  Flags flags;
  declare(app, role, flags);
  Parsed parsed;
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    parsed.text = app.help();
    return parsed;
  } catch (const CLI::ParseError& e) {
    return bad(e.what());
  }
  if (const auto extras = app.remaining(); !extras.empty()) return bad(explain(role, extras));
  if (flags.version) {
    parsed.text = fmt::format("{} {}\n", program, version());
    return parsed;
  }
  if (flags.print_config) {
    parsed.text = sample(role);
    return parsed;
  }
  if (app.count("--config") != 0) {
    if (Status read = read_file(flags.file, parsed.config); !read) return read.error();
  }
  if (Status applied = apply(flags, parsed.config); !applied) return applied.error();
  if (Status whole = check_whole(role, parsed.config); !whole) return whole.error();
  for (char& c : parsed.config.log_level)
    c = (c >= 'A' && c <= 'Z') ? static_cast<char>(c + 32) : c;
  return parsed;
}

}  // namespace feeds::config
