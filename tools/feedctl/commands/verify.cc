#include "tools/feedctl/verify.h"

#include <fmt/format.h>

#include "common/config/values.h"
#include "tools/feedctl/commands/commands.h"

namespace feeds::feedctl {
namespace {

struct Options {
  std::vector<std::string> urls;
  std::string data;
  std::string timeout = "10m";
  std::string patience = "30s";
};

int could_not(const Error& error) {
  fmt::print(stderr, "feedctl verify: could not compare: {}\n", error.detail);
  return kCannot;
}

int tell(const Result<Verdict>& verdict) {
  if (!verdict) return could_not(verdict.error());
  fmt::print("{}", verdict->text);
  return verdict->equal ? kGood : kFailed;
}

int run(const Options& options) {
  if (!options.data.empty()) return tell(verify_data(options.data));
  const auto timeout = config::parse_duration(options.timeout);
  if (!timeout) return could_not(timeout.error());
  const auto patience = config::parse_duration(options.patience);
  if (!patience) return could_not(patience.error());
  auto clients = make_clients(options.urls, *timeout);
  if (!clients) return could_not(clients.error());
  if (clients->size() < 2) return could_not({Code::kBadParameter, "it takes two nodes at least"});
  return tell(verify(*clients, *patience));
}

}  // namespace

void add_verify(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("verify", "Whether nodes hold the same, and what each holds is sound.");
  command->footer(
      "Compares at one position. Sound: every index row has its counterpart, every count is "
      "right.\n"
      "Exit code 0: it is, 1: it is not, 2: could not compare.");
  auto* urls =
      command
          ->add_option("--url", options->urls, "A node's address; give several, or the flag again.")
          ->type_name("http://HOST:PORT");
  command
      ->add_option("--data", options->data,
                   "Only whether the content of this data directory is sound. Reads only; may run "
                   "beside the node.")
      ->type_name("DIR")
      ->excludes(urls);
  command->add_option("--timeout", options->timeout, "For a node's answer: it reads all it holds.")
      ->type_name("TIME")
      ->capture_default_str();
  command->add_option("--patience", options->patience, "For catching all nodes at one position.")
      ->type_name("TIME")
      ->capture_default_str();
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace feeds::feedctl
