#pragma once

#include <cstdio>
#include <string>

#include "common/base/log.h"
#include "common/config/config.h"
#include "common/node/process.h"

namespace feeds::node {

// The main function of a node's program: reads its configuration, starts an App of the role, and
// stops it when a signal asks. Returns the exit code: 0 stopped as asked, 1 could not start, 2 was
// asked for something wrong.
template <class App>
int run_program(config::Role role, int argc, const char* const* argv) {
  const std::string name(config::to_string(role));
  const auto complain = [&](const Error& error) {
    std::fprintf(stderr, "feeds-%s: %s\n", name.c_str(), error.detail.c_str());
  };
  const auto parsed = config::parse(role, argc, argv);
  if (!parsed) {
    complain(parsed.error());
    return 2;
  }
  if (parsed->text) {
    std::fputs(parsed->text->c_str(), stdout);
    return 0;
  }
  log::set_level(parsed->config.log_level);
  take_signals();
  auto app = App::start(parsed->config);
  if (!app) {
    complain(app.error());
    return app.error().code == Code::kBadParameter ? 2 : 1;
  }
  wait_for_stop();
  log::info(name + "_stopping");
  (*app)->stop();
  return 0;
}

}  // namespace feeds::node
