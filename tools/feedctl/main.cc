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
