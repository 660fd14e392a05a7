#include "tests/api/node.h"

#include <signal.h>

#include <fstream>
#include <stdexcept>

#include "tests/support/cluster.h"
#include "tests/support/eventually.h"

namespace feeds::test {
namespace {

std::vector<std::string> command(const std::string& role, const std::filesystem::path& data,
                                 const std::vector<std::string>& flags) {
  std::vector<std::string> result = {program("feeds-" + role), "--data", data.string(), "--http",
                                     "127.0.0.1:0"};
  result.insert(result.end(), flags.begin(), flags.end());
  return result;
}

}  // namespace

std::unique_ptr<Node> Node::primary(const std::vector<std::string>& flags) {
  std::vector<std::string> all = {"--replication", "127.0.0.1:0"};
  all.insert(all.end(), flags.begin(), flags.end());
  return std::unique_ptr<Node>(new Node("primary", all));
}

std::unique_ptr<Node> Node::replica(const std::string& replication,
                                    const std::vector<std::string>& flags) {
  std::vector<std::string> all = {"--primary", replication};
  all.insert(all.end(), flags.begin(), flags.end());
  return std::unique_ptr<Node>(new Node("replica", all));
}

Node::Node(const std::string& role, const std::vector<std::string>& flags)
    : process_({.command = command(role, dir_.path() / "data", flags),
                .output = dir_.path() / "log",
                .environment = {}}) {
  const std::string started = role + "_started";
  const bool told = eventually([&] { return process_.event(started) || !process_.running(); });
  auto fields = process_.event(started);
  if (!told || !fields) {
    throw std::runtime_error("feeds-" + role + " did not start:\n" + process_.output());
  }
  http_ = (*fields)["http"];
  replication_ = (*fields)["replication"];
}

Node::~Node() {
  stop();
}

int Node::stop() {
  if (!process_.running()) return process_.wait(std::chrono::milliseconds(0)).value_or(-1);
  process_.signal(SIGTERM);
  return process_.wait(kPatience).value_or(-1);
}

std::uint64_t Node::memory_kib(const std::string& name) const {
  std::ifstream status("/proc/" + std::to_string(process_.pid()) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(name + ":", 0) == 0) return std::stoull(line.substr(name.size() + 1));
  }
  return 0;
}

void Node::forget_peak() const {
  std::ofstream("/proc/" + std::to_string(process_.pid()) + "/clear_refs") << "5";
}

}  // namespace feeds::test
