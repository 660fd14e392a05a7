#include "common/node/process.h"

#include <sys/resource.h>

#include <algorithm>
#include <csignal>

#include "common/base/log.h"

namespace feeds::node {
namespace {

// RocksDB's files, logs, sockets between nodes.
constexpr rlim_t kOwnFiles = 4096;

sigset_t stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

}  // namespace

std::size_t fit_connections(std::size_t connections) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t wanted = connections + kOwnFiles;
  if (limit.rlim_cur < wanted) {
    rlimit raised = limit;
    raised.rlim_cur = wanted;
    raised.rlim_max = std::max(limit.rlim_max, wanted);
    if (setrlimit(RLIMIT_NOFILE, &raised) != 0) {
      raised.rlim_max = limit.rlim_max;
      raised.rlim_cur = std::min(wanted, limit.rlim_max);
      setrlimit(RLIMIT_NOFILE, &raised);
    }
    getrlimit(RLIMIT_NOFILE, &limit);
  }
  if (limit.rlim_cur >= wanted) return connections;
  const auto room = limit.rlim_cur > 2 * kOwnFiles ? limit.rlim_cur - kOwnFiles
                                                   : std::max<rlim_t>(limit.rlim_cur / 2, 1);
  const auto fitting = std::min<std::size_t>(connections, room);
  if (fitting < connections) {
    log::warn("max_connections_lowered", {{"wanted", connections},
                                          {"now", fitting},
                                          {"file_limit", limit.rlim_cur}});
  }
  return fitting;
}

void take_signals() {
  const auto signals = stop_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

void wait_for_stop() {
  const auto signals = stop_signals();
  int signal = 0;
  sigwait(&signals, &signal);
}

}  // namespace feeds::node
