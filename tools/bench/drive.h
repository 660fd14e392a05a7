// What the parts of bench-drive share.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

[[noreturn]] void fail(const std::string& what);

// A blocking connection to a port of this machine.
int dial(int port);

// The number that follows the first `mark`; 0 without one.
std::uint64_t number_after(std::string_view text, std::string_view mark);

double percentile(const std::vector<double>& sorted, double part);

// One of many connections: says what to send next, and knows a whole reply.
class Talker {
 public:
  virtual ~Talker() = default;
  virtual bool ask(std::string& request) = 0;  // false: has nothing left to ask
  // How many bytes of `got` the reply takes, 0 while it is not whole.
  virtual std::size_t take(std::string_view got) = 0;
};

// Each has a connection of its own and one request in flight, all in this thread, until none has
// anything left to ask.
void talk(int port, const std::vector<std::unique_ptr<Talker>>& talkers);

void post_lines(int port, int connections);
void redis_pages(int port, int connections, double seconds, int rows, bool ahead);

}  // namespace bench
