#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/temp_dir.h"

namespace feeds::test {

// A feeds-primary or feeds-replica of this build: a process of its own, on free ports of 127.0.0.1,
// with a data directory that goes with it. The constructor returns once the node has told its
// addresses; it throws std::runtime_error with the node's log if that does not happen within 30 s.
// The destructor stops it.
class Node {
 public:
  static std::unique_ptr<Node> primary(const std::vector<std::string>& flags = {});
  // `replication`: HOST:PORT of the primary's replication.
  static std::unique_ptr<Node> replica(const std::string& replication,
                                       const std::vector<std::string>& flags = {});
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  const std::string& http() const { return http_; }
  const std::string& replication() const { return replication_; }

  // SIGTERM, and the exit code; -1 if it ended by a signal or not within 30 s.
  int stop();
  void pause() const;
  void resume() const;
  // Of the process, in KiB: "VmHWM" is the most that was ever resident, "VmRSS" what is now.
  std::uint64_t memory_kib(const std::string& name) const;
  // VmHWM starts again from what is resident now.
  void forget_peak() const;
  std::string log() const;

 private:
  Node(const std::string& program, std::vector<std::string> flags);
  void start(const std::string& program, const std::vector<std::string>& flags);
  void wait_until_started(const std::string& program);

  TempDir dir_;
  pid_t pid_ = -1;
  std::string http_;
  std::string replication_;
};

}  // namespace feeds::test
