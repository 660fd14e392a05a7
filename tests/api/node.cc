#include "tests/api/node.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace feeds::test {
namespace {

using namespace std::chrono_literals;

constexpr auto kDeadline = 30s;

// The value of `key=` in a line of the log.
std::string field(const std::string& line, const std::string& key) {
  const std::string mark = fmt::format(" {}=", key);
  const std::size_t at = line.find(mark);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + mark.size();
  return line.substr(begin, line.find(' ', begin) - begin);
}

// The exit code; nullopt while it runs.
std::optional<int> exit_code(pid_t pid) {
  int status = 0;
  if (::waitpid(pid, &status, WNOHANG) != pid) return std::nullopt;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
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

Node::Node(const std::string& program, std::vector<std::string> flags) {
  const std::vector<std::string> own = {"--data", (dir_.path() / "data").string(), "--http",
                                        "127.0.0.1:0"};
  flags.insert(flags.begin(), own.begin(), own.end());
  start(program, flags);
  wait_until_started(program);
}

Node::~Node() {
  stop();
}

void Node::start(const std::string& program, const std::vector<std::string>& flags) {
  const std::string path = fmt::format("{}/feeds-{}", FEEDS_BIN_DIR, program);
  const std::string log_path = (dir_.path() / "log").string();
  std::vector<char*> argv = {const_cast<char*>(path.c_str())};
  for (const std::string& flag : flags) argv.push_back(const_cast<char*>(flag.c_str()));
  argv.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("fork failed");
  if (pid_ > 0) return;
  // Between fork and exec: only what is safe after a fork of many threads.
  const int log_file = ::open(log_path.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
  ::dup2(log_file, STDERR_FILENO);
  ::execv(path.c_str(), argv.data());
  ::_exit(127);
}

void Node::wait_until_started(const std::string& program) {
  const auto deadline = std::chrono::steady_clock::now() + kDeadline;
  while (std::chrono::steady_clock::now() < deadline) {
    std::istringstream lines(log());
    for (std::string line; std::getline(lines, line);) {
      if (line.find(program + "_started") == std::string::npos) continue;
      http_ = field(line, "http");
      replication_ = field(line, "replication");
      return;
    }
    if (exit_code(pid_)) {
      pid_ = -1;
      break;
    }
    std::this_thread::sleep_for(5ms);
  }
  const std::string text = log();
  stop();
  throw std::runtime_error("feeds-" + program + " did not start: " + text);
}

int Node::stop() {
  if (pid_ < 0) return 0;
  const pid_t pid = std::exchange(pid_, -1);
  ::kill(pid, SIGCONT);
  ::kill(pid, SIGTERM);
  const auto deadline = std::chrono::steady_clock::now() + kDeadline;
  while (std::chrono::steady_clock::now() < deadline) {
    if (const auto code = exit_code(pid)) return *code;
    std::this_thread::sleep_for(5ms);
  }
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  return -1;
}

void Node::pause() const {
  ::kill(pid_, SIGSTOP);
}

void Node::resume() const {
  ::kill(pid_, SIGCONT);
}

std::uint64_t Node::memory_kib(const std::string& name) const {
  std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(name + ":", 0) == 0) return std::stoull(line.substr(name.size() + 1));
  }
  return 0;
}

void Node::forget_peak() const {
  std::ofstream("/proc/" + std::to_string(pid_) + "/clear_refs") << "5";
}

std::string Node::log() const {
  std::ifstream file(dir_.path() / "log");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace feeds::test
