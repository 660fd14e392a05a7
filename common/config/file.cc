#include "common/config/file.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <fstream>
#include <set>

#include "common/config/settings.h"

namespace feeds::config {
namespace {

constexpr std::size_t kFileBytes =
    1024 * 1024;  // No configuration is that long: something else was named.

// Thrown and caught in this file only: the walk below is recursive.
struct Refusal {
  std::string detail;
};

class Walk {
 public:
  Walk(std::string_view name, Config& config) : name_(name), config_(config) {}

  void root(const YAML::Node& node) {
    if (node.IsNull()) return;
    if (!node.IsMap()) refuse(node, "a configuration is a map of sections");
    std::set<std::string> seen;
    for (const auto& entry : node) {
      const std::string section = key(entry.first, "", seen);
      if (!is_section(section)) refuse_unknown(entry.first, section);
      if (entry.second.IsNull()) continue;  // Everything in it is commented out.
      if (!entry.second.IsMap())
        refuse(entry.first, section + " is a section: its keys stand below it");
      this->section(section, entry.second);
    }
  }

 private:
  void section(const std::string& section, const YAML::Node& node) {
    std::set<std::string> seen;
    for (const auto& entry : node) {
      const std::string path = section + "." + key(entry.first, section + ".", seen);
      if (path == "logging.loggers") {
        refuse(
            entry.first,
            "logging.loggers is not supported: there are no named loggers here, the whole log has "
            "one level, logging.level");
      }
      const auto all = settings();
      const auto found = std::find_if(all.begin(), all.end(),
                                      [&](const Setting& setting) { return setting.key == path; });
      if (found == all.end()) refuse_unknown(entry.first, path);
      value(*found, entry.first, entry.second);
    }
  }

  void value(const Setting& setting, const YAML::Node& at, const YAML::Node& node) {
    if (node.IsNull()) refuse(at, fmt::format("{} has no value", setting.key));
    if (const auto* target = std::get_if<Counters>(&setting.target)) {
      counters(setting, *target, node);
    } else if (is_list(setting) && node.IsSequence()) {
      for (const YAML::Node& item : node) scalar(setting, item);
    } else {
      scalar(setting, node);
    }
  }

  void scalar(const Setting& setting, const YAML::Node& node) {
    if (!node.IsScalar()) refuse(node, fmt::format("{} takes one value", setting.key));
    check(node, setting, assign(setting, node.Scalar(), config_));
  }

  void counters(const Setting& setting, const Counters& target, const YAML::Node& node) {
    if (!node.IsMap()) refuse(node, fmt::format("{} is a map such as /users: 10000", setting.key));
    for (const auto& entry : node) {
      if (!entry.first.IsScalar() || !entry.second.IsScalar()) {
        refuse(entry.first, fmt::format("{} maps a name to a number", setting.key));
      }
      check(entry.first, setting,
            assign_counter(target, entry.first.Scalar(), entry.second.Scalar(), config_));
    }
  }

  std::string key(const YAML::Node& node, const std::string& prefix, std::set<std::string>& seen) {
    if (!node.IsScalar()) refuse(node, "a key is a word");
    // yaml-cpp keeps both entries of a doubled key; which of them was meant is not ours to guess.
    if (!seen.insert(node.Scalar()).second) {
      refuse(node, fmt::format("{}{} is named twice", prefix, node.Scalar()));
    }
    return node.Scalar();
  }

  static bool is_section(std::string_view name) {
    const auto all = settings();
    return std::any_of(all.begin(), all.end(), [&](const Setting& setting) {
      return setting.key.substr(0, setting.key.find('.')) == name;
    });
  }

  void check(const YAML::Node& at, const Setting& setting, const Status& status) {
    if (!status) refuse(at, fmt::format("{}: {}", setting.key, status.error().detail));
  }
  [[noreturn]] void refuse_unknown(const YAML::Node& at, std::string_view path) {
    refuse(at, fmt::format("unknown key {}", path));
  }
  [[noreturn]] void refuse(const YAML::Node& at, std::string_view what) {
    throw Refusal{fmt::format("{}:{}: {}", name_, at.Mark().line + 1, what)};
  }

  std::string_view name_;
  Config& config_;
};

}  // namespace

Status read_yaml(std::string_view yaml, std::string_view name, Config& config) {
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(std::string(yaml));
    if (documents.size() > 1) {
      return Error{Code::kBadParameter, fmt::format("{}: more than one YAML document", name)};
    }
    if (!documents.empty()) Walk(name, config).root(documents.front());
    return done();
  } catch (const Refusal& refusal) {
    return Error{Code::kBadParameter, refusal.detail};
  } catch (const YAML::Exception& e) {
    return Error{Code::kBadParameter,
                 fmt::format("{}:{}: no YAML: {}", name, e.mark.line + 1, e.msg)};
  }
}

Status read_file(const std::string& path, Config& config) {
  std::ifstream in(path, std::ios::binary);
  std::string text(kFileBytes + 1, '\0');
  if (!in || !in.read(text.data(), static_cast<std::streamsize>(text.size())).eof()) {
    return Error{Code::kBadParameter,
                 fmt::format("--config {}: cannot be read, or is over 1 MiB", path)};
  }
  text.resize(static_cast<std::size_t>(in.gcount()));
  return read_yaml(text, path, config);
}

}  // namespace feeds::config
