#include <fmt/format.h>

#include <cstdio>

#include "common/config/version.h"
#include "tools/feedctl/commands/commands.h"

int main(int argc, char** argv) {
  using namespace feeds::feedctl;
  CLI::App app("Looks after a feeds cluster.", "feedctl");
  app.set_version_flag("--version", "feedctl " + std::string(feeds::config::version()),
                       "Print the version and exit.");
  app.require_subcommand(1);
  Action action;
  add_populate(app, action);
  add_status(app, action);
  add_lag(app, action);
  add_verify(app, action);
  add_dump(app, action);
  add_key_format(app, action);
  // CLI11 would only say that a command is required.
  const auto asked = [&](const CLI::App* command) { return command->check_name(argv[1]); };
  if (argc > 1 && *argv[1] != '-' && app.get_subcommands(asked).empty()) {
    fmt::print(stderr, "feedctl: there is no command \"{}\"; feedctl --help lists them\n", argv[1]);
    return kCannot;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {  // --help, --version
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    app.exit(e);
    return kCannot;
  }
  return action();
}
