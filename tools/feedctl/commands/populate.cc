#include "tools/feedctl/populate.h"

#include <fmt/format.h>

#include "common/base/limits.h"
#include "tools/feedctl/commands/commands.h"

namespace feeds::feedctl {

void add_populate(CLI::App& app, Action& action) {
  auto options = std::make_shared<PopulateOptions>();
  CLI::App* command = app.add_subcommand("populate", "Make sample feeds, articles and users.");
  command->add_option("--url", options->url, "Where to; a replica's address leads to the primary.")
      ->required()
      ->type_name("http://HOST:PORT");
  command->add_option("--feeds", options->feeds, "Feeds to make.")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--articles", options->articles, "Articles of each feed.")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--users", options->users, "Users, subscribed to the first five feeds made.")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--text-bytes", options->text_bytes, "Pad each text to this length.")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{limits::kRequestBodyBytes}))
      ->capture_default_str();
  command->add_option("--connections", options->connections, "Feeds written side by side.")
      ->type_name("N")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
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
