#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace feeds::test {

// A reply as it came over the wire.
struct RawReply {
  int status = 0;
  std::string head;  // status line and headers, without the empty line
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;       // dechunked
  bool complete = false;  // by its own framing

  // The first header of that name, any case. nullopt if absent.
  std::optional<std::string> header(std::string_view name) const;
  std::size_t count(std::string_view name) const;
};

// A TCP connection that sends exactly the bytes it is told to. Reads time out after
// kPatience, which counts as a failure of the test (status 0). One thread at a time.
class RawClient {
 public:
  // `address`: HOST:PORT, numeric, as Server::address() tells it. Check connected().
  // `receive_buffer`: SO_RCVBUF if not 0.
  explicit RawClient(const std::string& address, int receive_buffer = 0);
  ~RawClient();
  RawClient(RawClient&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  RawClient& operator=(RawClient&&) = delete;

  bool connected() const { return fd_ >= 0; }
  // False if the peer has closed or reset.
  bool send(std::string_view bytes);
  void shutdown_send();
  void close();
  // Closes so that the peer sees a reset.
  void reset();

  // The next reply. `of_head`: it answers a HEAD, so it has no body.
  RawReply reply(bool of_head = false);
  // `send` and `reply` in one.
  RawReply ask(std::string_view bytes, bool of_head = false);
  // All up to the peer's end, with what earlier calls left over. nullopt: reset, or timed out.
  std::optional<std::string> read_to_end();
  // True once the peer has closed, cleanly or by a reset, without another byte.
  bool is_ended();
  // Whether a byte (or the end) comes within `time`.
  bool readable_within(std::chrono::milliseconds time);
  // Reads what is there and forgets it.
  void drop_some();

 private:
  bool fill();
  bool read_body(RawReply& reply);
  bool read_chunked(RawReply& reply);
  std::optional<std::string> line();

  int fd_ = -1;
  bool reset_ = false;
  std::string buffer_;
};

}  // namespace feeds::test
