#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace feeds::tests {

// A TCP proxy on loopback that can be told to misbehave. Runs a thread of its own; the methods are
// thread-safe and take effect within a millisecond or so.
class Proxy {
 public:
  // Of the bytes that pass.
  enum class Direction { kToTarget, kToClient, kBoth };

  // `target` is HOST:PORT on loopback. Nothing is connected to it before a client connects here.
  explicit Proxy(std::string target);
  ~Proxy();

  std::string address() const;
  // Where later connections go.
  void set_target(std::string target);

  // Closes all connections with a reset. With `refuse`, later ones too, until resume().
  void cut(bool refuse = false);
  // Bytes that come are kept back, on connections of now and later, until resume(): nobody sees an
  // end.
  void blackhole(Direction direction);
  // Every byte is passed on this much later.
  void delay(std::chrono::milliseconds time);
  // Passes at most so many bytes a second in each direction; 0: as many as come.
  void throttle(std::uint64_t bytes_a_second);
  // Flips a bit of one byte: that `offset` bytes after the next one that passes in `direction` on
  // the newest connection.
  void flip(Direction direction, std::uint64_t offset);
  bool flipped() const;
  // Everything passes again, in time.
  void resume();

  // That have passed, over all connections.
  std::uint64_t bytes(Direction direction) const;
  // Made so far, refused ones not counted.
  std::uint64_t connections() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace feeds::tests
