#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "common/base/result.h"
#include "common/config/config.h"

// The list of settings: the only place where one is declared. Immutable.
namespace feeds::config {

// What a setting holds: a member of Config, and the values it takes.
struct Text {
  std::string Config::*member;
  Status (*check)(std::string_view text);
};
struct Count {
  std::size_t Config::*member;
  std::size_t min, max;
};
struct Duration {
  std::chrono::milliseconds Config::*member;
  std::chrono::milliseconds min, max;
};
struct Size {
  std::uint64_t Config::*member;
  std::uint64_t max;
};
struct Origins {
  std::vector<std::string> Config::*member;
};
struct Counters {
  std::map<std::string, std::uint64_t> Config::*member;
};
using Target = std::variant<Text, Count, Duration, Size, Origins, Counters>;

enum class For { kBoth, kPrimary, kReplica };

struct Setting {
  std::string_view key;   // in the file: section.name
  std::string_view flag;  // with its dashes
  std::string_view unit;  // what stands for the value in --help
  std::string_view help;
  For roles = For::kBoth;
  Target target;
};

std::span<const Setting> settings();

// Whether `role` uses it. Files may hold the other role's settings too, so that both programs can
// share one; flags may not.
bool applies(const Setting& setting, Role role);

// Reads `text` (an item, for a setting that holds several) into `config`. Error: not of its type
// or out of bounds; the detail does not name the setting.
Status assign(const Setting& setting, std::string_view text, Config& config);
// One counter of db.counters.
Status assign_counter(const Counters& counters, std::string_view name, std::string_view value,
                      Config& config);
// Whether it takes a list; assign() then adds one item.
bool is_list(const Setting& setting);
// Takes out what is there, so that a flag's list replaces the file's.
void clear_list(const Setting& setting, Config& config);

// The value in `config`, written as assign() reads it; empty if nothing is set.
std::string value_text(const Setting& setting, const Config& config);

}  // namespace feeds::config
