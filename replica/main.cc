#include <cstdio>

#include "common/base/log.h"
#include "common/config/config.h"
#include "common/node/process.h"
#include "replica/app.h"

// Exit codes: 0 stopped as asked, 1 could not start, 2 was asked for something wrong.
int main(int argc, char** argv) {
  const auto parsed = feeds::config::parse(feeds::config::Role::kReplica, argc, argv);
  if (!parsed) {
    std::fprintf(stderr, "feeds-replica: %s\n", parsed.error().detail.c_str());
    return 2;
  }
  if (parsed->text) {
    std::fputs(parsed->text->c_str(), stdout);
    return 0;
  }
  feeds::log::set_level(parsed->config.log_level);
  feeds::node::take_signals();
  auto app = feeds::replica::App::start(parsed->config);
  if (!app) {
    std::fprintf(stderr, "feeds-replica: %s\n", app.error().detail.c_str());
    return app.error().code == feeds::Code::kBadParameter ? 2 : 1;
  }
  feeds::node::wait_for_stop();
  feeds::log::info("replica_stopping");
  (*app)->stop();
  return 0;
}
