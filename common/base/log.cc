#include "common/base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

namespace feeds::log {
namespace {

spdlog::level::level_enum to_spdlog(Level level) {
  switch (level) {
    case Level::kDebug:
      return spdlog::level::debug;
    case Level::kInfo:
      return spdlog::level::info;
    case Level::kWarn:
      return spdlog::level::warn;
    case Level::kError:
      break;
  }
  return spdlog::level::err;
}

std::string_view name_of(Level level) {
  switch (level) {
    case Level::kDebug:
      return "debug ";
    case Level::kInfo:
      return "info ";
    case Level::kWarn:
      return "warn ";
    case Level::kError:
      break;
  }
  return "error ";
}

// Never destroyed: threads that outlive main's statics may still log.
spdlog::logger& logger() {
  static spdlog::logger* const instance = [] {
    auto* made = new spdlog::logger("feeds", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%Y-%m-%dT%H:%M:%S.%fZ %v", spdlog::pattern_time_type::utc);
    made->set_level(spdlog::level::info);
    return made;
  }();
  return *instance;
}

bool is_plain(std::string_view value) {
  if (value.empty()) return false;
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || byte == 0x7f || c == '"' || c == '\\' || c == '=') return false;
  }
  return true;
}

// Control characters are escaped: an event is one line whatever a value holds.
void append_value(std::string& out, std::string_view value) {
  if (is_plain(value)) {
    out += value;
    return;
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  out += '"';
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (byte < ' ' || byte == 0x7f) {
      out += "\\x";
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

}  // namespace

bool set_level(std::string_view level) {
  std::string lower;
  for (const char c : level) lower += (c >= 'A' && c <= 'Z') ? static_cast<char>(c + 32) : c;
  if (lower == "debug") {
    logger().set_level(spdlog::level::debug);
  } else if (lower == "info") {
    logger().set_level(spdlog::level::info);
  } else if (lower == "warn") {
    logger().set_level(spdlog::level::warn);
  } else if (lower == "error") {
    logger().set_level(spdlog::level::err);
  } else {
    return false;
  }
  return true;
}

void write(Level level, std::string_view event, std::initializer_list<Field> fields) {
  const auto at = to_spdlog(level);
  if (!logger().should_log(at)) return;
  std::string line(name_of(level));
  line += event;
  for (const Field& field : fields) {
    line += ' ';
    line += field.key;
    line += '=';
    append_value(line, field.value);
  }
  logger().log(at, spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace feeds::log
