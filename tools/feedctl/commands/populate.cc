#include "tools/feedctl/populate.h"

#include <fmt/format.h>

#include "common/base/limits.h"
#include "tools/feedctl/commands/commands.h"

namespace feeds::feedctl {
namespace {

constexpr std::uint64_t kMost = 1'000'000'000;

void add_number(CLI::App& command, const std::string& flag, std::uint64_t& value,
                const std::string& help, std::uint64_t min, std::uint64_t max) {
  CLI::Range range(min, max);
  range.description("");  // its bounds would crowd --help; a refusal names them
  command.add_option(flag, value, help)->type_name("N")->check(range)->capture_default_str();
}

}  // namespace

void add_populate(CLI::App& app, Action& action) {
  auto options = std::make_shared<PopulateOptions>();
  CLI::App* command = app.add_subcommand("populate", "Make sample feeds, articles and users.");
  command->add_option("--url", options->url, "Where to; a replica's address leads to the primary.")
      ->required()
      ->type_name("http://HOST:PORT");
  add_number(*command, "--feeds", options->feeds, "Feeds to make.", 0, kMost);
  add_number(*command, "--articles", options->articles, "Articles of each feed.", 0, kMost);
  add_number(*command, "--users", options->users, "Users, subscribed to the first five feeds made.",
             0, kMost);
  add_number(*command, "--text-bytes", options->text_bytes, "Pad each text to this length.", 0,
             limits::kRequestBodyBytes);
  command->add_flag("--social", options->social,
                    "Make activities, threads, a collection with objects and a grouping feed too.");
  add_number(*command, "--activities", options->activities,
             "With --social: activities of each feed.", 0, kMost);
  add_number(*command, "--connections", options->connections, "Feeds written side by side.", 1,
             256);
  command->callback([options, &action] {
    action = [options] {
      const auto line = populate(*options, stderr);
      if (!line) {
        fmt::print(stderr, "feedctl populate: {}\n", line.error().detail);
        return line.error().code == Code::kBadParameter ? kCannot : kFailed;
      }
      fmt::print("{}\n", *line);
      return kGood;
    };
  });
}

}  // namespace feeds::feedctl
