#include "common/config/sample.h"

#include <fmt/format.h>

#include "common/config/settings.h"

namespace feeds::config {
namespace {

constexpr std::size_t kColumns = 90;

// `text` as comment lines of at most kColumns.
void append_comment(std::string& out, std::string_view text) {
  std::string line = "  #";
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    if (line.size() + 1 + space > kColumns) {
      out += line + "\n";
      line = "  #";
    }
    line += fmt::format(" {}", text.substr(0, space));
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  out += line + "\n";
}

// What stands after the key. YAML would read a bare `[::]:8080` as a list, so an example of a
// setting without a default is written as the file needs it.
std::string example(const Setting& setting, const Config& defaults) {
  if (std::holds_alternative<Origins>(setting.target)) return " [\"https://example.org\"]";
  if (std::holds_alternative<Counters>(setting.target)) {
    return "\n  #   /users: 10000\n  #   /feeds: 10000\n  #   /activities: 10000";
  }
  const std::string value = value_text(setting, defaults);
  return " " + (value.empty() ? std::string(setting.unit) : value);
}

}  // namespace

std::string sample(Role role) {
  const Config defaults;
  std::string out = fmt::format(
      "# Settings of feeds-{}, commented out at their defaults. A flag beats this file.\n"
      "# Times are written 500ms, 10s, 2m; sizes 64MiB, 1GiB.\n",
      to_string(role));
  std::string_view section;
  for (const Setting& setting : settings()) {
    if (!applies(setting, role)) continue;
    const std::size_t dot = setting.key.find('.');
    if (setting.key.substr(0, dot) != section) {
      section = setting.key.substr(0, dot);
      out += fmt::format("\n{}:\n", section);
    }
    append_comment(out, fmt::format("{} ({})", setting.help, setting.flag));
    out += fmt::format("  # {}:{}\n", setting.key.substr(dot + 1), example(setting, defaults));
  }
  return out;
}

}  // namespace feeds::config
