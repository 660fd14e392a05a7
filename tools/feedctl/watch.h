#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tools/feedctl/cluster.h"
#include "tools/feedctl/commands/commands.h"

// What `status` and `lag` share: asking all nodes, once or again and again, as a table or as JSON.
namespace feeds::feedctl {

struct WatchOptions {
  std::vector<std::string> urls;
  bool watch = false;
  bool json = false;
  std::uint64_t count = 0;  // refreshes of --watch; 0: without end
  std::string interval = "1s";
  std::string timeout = "3s";
};

// Declares the flags on `command` and makes it set `action`.
// Renders one refresh: `urls[i]` answered `answers[i]`. It may keep a history between calls.
using Renderer =
    std::function<std::string(const std::vector<std::string>& urls, const Answers& answers)>;
void add_watch_command(CLI::App& command, Action& action, std::function<Renderer(bool watch)> make);

// The nodes as they told it; one that could not be asked is
// {"url":…,"state":"unreachable","error":…}. One node is an object, several are an array.
std::string render_json(const std::vector<std::string>& urls, const Answers& answers);

// A line for each node that did not answer, with the reason.
std::string render_unreachable(const std::vector<std::string>& urls, const Answers& answers);

// kUnknown for nullopt.
std::string cell(const std::optional<std::string>& value);
std::string cell(std::optional<std::uint64_t> value);

// Sequences between the node's position and the head it knows, if both are of one epoch.
std::optional<std::uint64_t> behind(const NodeStatus& node);

}  // namespace feeds::feedctl
