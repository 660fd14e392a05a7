#pragma once

#include <CLI/CLI.hpp>
#include <functional>

// The commands of feedctl. A new one: a file in this folder, a line here, a line in main.cc.
namespace feeds::feedctl {

// What the command line asked for: set while it is parsed, run afterwards; gives the exit code.
using Action = std::function<int()>;

// Each adds its subcommand to `app`, which sets `action`. Both outlive the parsing.
void add_populate(CLI::App& app, Action& action);
void add_status(CLI::App& app, Action& action);
void add_lag(CLI::App& app, Action& action);
void add_verify(CLI::App& app, Action& action);
void add_key_format(CLI::App& app, Action& action);
void add_dump(CLI::App& app, Action& action);

// Exit codes. A wrong command line is kCannot.
inline constexpr int kGood = 0;
inline constexpr int kFailed = 1;  // the command failed; verify: different
inline constexpr int kCannot = 2;  // the question could not be answered

}  // namespace feeds::feedctl
