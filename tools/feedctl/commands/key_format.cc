#include "tools/feedctl/key_format.h"

#include <cstdio>
#include <fstream>
#include <sstream>

#include "tools/feedctl/commands/commands.h"

namespace feeds::feedctl {
namespace {

int fail(const std::string& what, int code) {
  std::fprintf(stderr, "feedctl key-format: %s\n", what.c_str());
  return code;
}

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return file ? std::optional(text.str()) : std::nullopt;
}

int run(const std::string& format, const std::string& path) {
  std::optional<std::string> activity;
  if (!path.empty()) {
    activity = read_file(path);
    if (!activity) return fail(path + " cannot be read", kCannot);
  }
  const auto key = render_key(format, activity);
  if (key) {
    std::fwrite(key->data(), 1, key->size(), stdout);
    std::fputc('\n', stdout);
    return kGood;
  }
  const auto code = key.error().code;
  const bool of_format = code == Code::kBadKeyFormat || code == Code::kKeyFormatFailed;
  if (of_format) return fail(key.error().detail, kFailed);
  return fail(path + ": " + key.error().detail, kCannot);
}

}  // namespace

void add_key_format(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "key-format", "Try the key format of a grouping feed: prints the key it gives an activity.");
  const auto format = std::make_shared<std::string>();
  const auto activity = std::make_shared<std::string>();
  command->add_option("--format", *format, "The template.")->required()->type_name("TEXT");
  command
      ->add_option("--activity", *activity,
                   "A file with an activity as the API shows it; times may be integers, "
                   "nanoseconds since 1970. Without: one whose members are all empty.")
      ->type_name("FILE");
  command->callback([format, activity, &action] {
    action = [format, activity] { return run(*format, *activity); };
  });
}

}  // namespace feeds::feedctl
