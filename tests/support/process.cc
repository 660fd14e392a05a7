#include "tests/support/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tests/support/temp_dir.h"

namespace feeds::test {
namespace {

std::string read_from(const std::filesystem::path& path, std::uintmax_t offset) {
  std::ifstream in(path, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(offset));
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const auto& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> environment_with(const std::vector<std::string>& more) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// Forks and executes with its output going to the two files, which are appended to.
pid_t spawn(const std::vector<std::string>& command, const std::filesystem::path& out,
            const std::filesystem::path& err, const std::vector<std::string>& environment) {
  // All memory is taken before the fork: between it and exec, a child of a process with threads may
  // not.
  const auto arguments = pointers(command);
  const auto variables = environment_with(environment);
  const auto variable_pointers = pointers(variables);
  const auto open_one = [](const std::filesystem::path& path) {
    return ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  };
  const int out_fd = open_one(out);
  const int err_fd = open_one(err);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::dup2(out_fd, STDOUT_FILENO);
    ::dup2(err_fd, STDERR_FILENO);
    ::execve(arguments[0], arguments.data(), variable_pointers.data());
    ::_exit(127);
  }
  ::close(out_fd);
  ::close(err_fd);
  if (pid < 0) throw std::runtime_error("cannot fork");
  return pid;
}

// Values may be quoted, with \" and \\ inside.
std::map<std::string, std::string> fields_of(const std::string& line) {
  std::map<std::string, std::string> fields;
  std::size_t at = 0;
  while (at < line.size()) {
    const auto equals = line.find('=', at);
    if (equals == std::string::npos) break;
    const auto space = line.rfind(' ', equals);
    const std::string key = line.substr(space + 1, equals - space - 1);
    std::string value;
    at = equals + 1;
    if (at < line.size() && line[at] == '"') {
      for (++at; at < line.size() && line[at] != '"'; ++at) {
        if (line[at] == '\\') ++at;
        if (at < line.size()) value += line[at];
      }
      ++at;
    } else {
      const auto end = std::min(line.find(' ', at), line.size());
      value = line.substr(at, end - at);
      at = end;
    }
    fields[key] = value;
  }
  return fields;
}

}  // namespace

// The kernel sends the signal of PR_SET_PDEATHSIG when the *thread* that forked ends, so processes
// are started from the test's main thread.
Process::Process(Options options) : output_(std::move(options.output)) {
  std::error_code none;
  const auto size = std::filesystem::file_size(output_, none);
  output_from_ = none ? 0 : size;
  pid_ = spawn(options.command, output_, output_, options.environment);
}

Process::~Process() {
  kill();
}

bool Process::running() {
  return !wait(std::chrono::milliseconds(0));
}

void Process::signal(int number) {
  if (!ended_) ::kill(pid_, number);
}

void Process::kill() {
  signal(SIGKILL);
  wait(kPatience);
}

std::optional<int> Process::wait(std::chrono::milliseconds time) {
  eventually(
      [this] {
        if (ended_) return true;
        int status = 0;
        if (::waitpid(pid_, &status, WNOHANG) != pid_) return false;
        ended_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
        return true;
      },
      time, std::chrono::milliseconds(1));
  return ended_;
}

std::string Process::output() const {
  return read_from(output_, output_from_);
}

std::optional<std::map<std::string, std::string>> Process::event(const std::string& name,
                                                                 bool last) const {
  std::optional<std::map<std::string, std::string>> found;
  std::istringstream lines(output());
  for (std::string line; std::getline(lines, line);) {
    // time level event key=value ...
    std::istringstream words(line);
    std::string time;
    std::string level;
    std::string event;
    words >> time >> level >> event;
    if (event != name || lines.eof()) continue;  // a line without its end is still being written
    found = fields_of(line);
    if (!last) break;
  }
  return found;
}

std::uint64_t Process::resident() const {
  std::ifstream in("/proc/" + std::to_string(pid_) + "/statm");
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  in >> total >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

Finished run_program(const std::vector<std::string>& command, std::chrono::milliseconds time) {
  TempDir dir;
  const auto out = dir.path() / "out";
  const auto err = dir.path() / "err";
  const pid_t pid = spawn(command, out, err, {});
  Finished finished;
  int status = 0;
  const bool ended = eventually([&] { return ::waitpid(pid, &status, WNOHANG) == pid; }, time,
                                std::chrono::milliseconds(1));
  if (!ended) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, &status, 0);
    finished.code = -1000;
  } else {
    finished.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  finished.out = read_from(out, 0);
  finished.err = read_from(err, 0);
  return finished;
}

}  // namespace feeds::test
