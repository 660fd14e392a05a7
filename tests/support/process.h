#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/eventually.h"

namespace feeds::test {

// A program that runs beside the test, its output in a file. Killed at the end, and when the test's
// own process dies. One thread's, but signal() may be called from any.
class Process {
 public:
  struct Options {
    std::vector<std::string> command;      // the program's path and its arguments
    std::filesystem::path output;          // standard output and error are appended to it
    std::vector<std::string> environment;  // NAME=VALUE, beside the test's own
  };

  explicit Process(Options options);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  bool running();
  void signal(int number);
  // SIGKILL, and waits for the end.
  void kill();
  // The exit code, or minus the signal that ended it. nullopt: still running after `time`.
  std::optional<int> wait(std::chrono::milliseconds time);

  // What this run has written so far.
  std::string output() const;
  // The fields of the newest (`last`) or first log line of `event`, `key=value` each, from this
  // run.
  std::optional<std::map<std::string, std::string>> event(const std::string& name,
                                                          bool last = false) const;
  // Resident memory in bytes; 0 if it is gone.
  std::uint64_t resident() const;

 private:
  pid_t pid_ = -1;
  std::optional<int> ended_;
  std::filesystem::path output_;
  std::uintmax_t output_from_ = 0;
};

// What a program that ends by itself left.
struct Finished {
  int code = -1;  // as Process::wait(); -1000: did not end in time, and was killed
  std::string out;
  std::string err;
};
Finished run_program(const std::vector<std::string>& command,
                     std::chrono::milliseconds time = kPatience);

}  // namespace feeds::test
