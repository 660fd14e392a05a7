#include "tools/feedctl/watch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/json.hpp>

#include "common/base/ids.h"
#include "common/config/values.h"
#include "tools/feedctl/pause.h"
#include "tools/feedctl/printer.h"

namespace feeds::feedctl {
namespace {

constexpr const char* kClearScreen = "\x1b[H\x1b[2J";

// Without the node's name, which stands beside it already.
std::string reason(const std::string& url, const Error& error) {
  const std::string prefix = url + ": ";
  return error.detail.starts_with(prefix) ? error.detail.substr(prefix.size()) : error.detail;
}

int fail(const Error& error) {
  fmt::print(stderr, "feedctl: {}\n", error.detail);
  return kCannot;
}

int run(const WatchOptions& options, const Renderer& render) {
  const auto interval = config::parse_duration(options.interval);
  if (!interval) return fail(interval.error());
  const auto timeout = config::parse_duration(options.timeout);
  if (!timeout) return fail(timeout.error());
  auto clients = make_clients(options.urls, *timeout);
  if (!clients) return fail(clients.error());
  std::vector<std::string> urls;
  for (const Client& client : *clients) urls.push_back(client.url().text);

  const bool clears = options.watch && !options.json && ::isatty(STDOUT_FILENO) != 0;
  for (std::uint64_t round = 1;; ++round) {
    const Answers answers = ask_all(*clients);
    const std::string text = options.json ? render_json(urls, answers) : render(urls, answers);
    fmt::print("{}{}", clears ? kClearScreen : "", text);
    if (std::fflush(stdout) != 0) return kFailed;  // nobody reads any more
    if (!options.watch || round == options.count) {
      return std::all_of(answers.begin(), answers.end(), [](const auto& a) { return a.ok(); })
                 ? kGood
                 : kFailed;
    }
    if (!clears && !options.json) fmt::print("\n");
    pause(*interval);
  }
}

}  // namespace

void add_watch_command(CLI::App& command, Action& action,
                       std::function<Renderer(bool watch)> make) {
  auto options = std::make_shared<WatchOptions>();
  command.add_option("--url", options->urls, "A node's address; give several, or the flag again.")
      ->required()
      ->type_name("http://HOST:PORT");
  command.add_flag("--watch", options->watch, "Ask again and again, and show how the lag went.");
  command.add_flag("--json", options->json,
                   "Print what /v1/cluster says; an array for several nodes.");
  command.add_option("--interval", options->interval, "Between refreshes of --watch.")
      ->type_name("TIME")
      ->capture_default_str();
  command.add_option("--count", options->count, "End --watch after so many refreshes; 0 is never.")
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--timeout", options->timeout, "For a node's answer.")
      ->type_name("TIME")
      ->capture_default_str();
  command.callback([options, &action, make = std::move(make)] {
    action = [options, make] { return run(*options, make(options->watch)); };
  });
}

std::string render_json(const std::vector<std::string>& urls, const Answers& answers) {
  std::string out;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (i != 0) out += ',';
    if (answers[i]) {
      out += answers[i]->json;
    } else {
      boost::json::object object{{"url", urls[i]},
                                 {"state", "unreachable"},
                                 {"error", reason(urls[i], answers[i].error())}};
      out += boost::json::serialize(object);
    }
  }
  return answers.size() == 1 ? out + "\n" : "[" + out + "]\n";
}

std::string cell(const std::optional<std::string>& value) {
  return value && !value->empty() ? *value : std::string(kUnknown);
}

std::string cell(std::optional<std::uint64_t> value) {
  return value ? std::to_string(*value) : std::string(kUnknown);
}

std::optional<std::uint64_t> behind(const NodeStatus& node) {
  const auto position = parse_position(node.position.value_or(""));
  const auto head = parse_position(node.head.value_or(""));
  if (!position || !head || position->epoch != head->epoch) return std::nullopt;
  return head->sequence.value - std::min(position->sequence.value, head->sequence.value);
}

std::string render_unreachable(const std::vector<std::string>& urls, const Answers& answers) {
  std::string out;
  for (std::size_t i = 0; i < urls.size(); ++i) {
    if (!answers[i]) out += fmt::format("{}: {}\n", urls[i], reason(urls[i], answers[i].error()));
  }
  return out;
}

}  // namespace feeds::feedctl
