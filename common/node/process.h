#pragma once

#include <cstddef>

// What both programs ask of the process they run in.
namespace feeds::node {

// Raises the limit of open files so that `connections` fit beside the node's own files. Returns how many
// connections do fit, with a log line if that is fewer.
std::size_t fit_connections(std::size_t connections);

// Blocks SIGTERM and SIGINT, for this thread and those it starts, and ignores SIGPIPE. Before any thread.
void take_signals();
// Waits for SIGTERM or SIGINT.
void wait_for_stop();

}  // namespace feeds::node
