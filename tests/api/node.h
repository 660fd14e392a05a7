#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

namespace feeds::test {

// A primary or a replica of this build that serves from the constructor on, on free ports of
// 127.0.0.1, with a data directory that goes with it. Throws std::runtime_error with the node's log
// if it does not start within kPatience. Made on the test's main thread.
class Node {
 public:
  static std::unique_ptr<Node> primary(const std::vector<std::string>& flags = {});
  // `replication`: where the primary listens for replicas.
  static std::unique_ptr<Node> replica(const std::string& replication,
                                       const std::vector<std::string>& flags = {});
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  const std::string& http() const { return http_; }
  const std::string& replication() const { return replication_; }

  // SIGTERM, and the exit code; -1: not within kPatience.
  int stop();
  // Of the process, in KiB: "VmHWM" is the most that was ever resident, "VmRSS" what is now.
  std::uint64_t memory_kib(const std::string& name) const;
  // VmHWM starts again from what is resident now.
  void forget_peak() const;

 private:
  Node(const std::string& role, const std::vector<std::string>& flags);

  TempDir dir_;
  Process process_;
  std::string http_;
  std::string replication_;
};

}  // namespace feeds::test
