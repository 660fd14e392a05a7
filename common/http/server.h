#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/http/router.h"

namespace feeds::http {

struct ServerOptions {
  std::string listen;  // HOST:PORT, [V6]:PORT; port 0 picks one
  std::size_t threads = 1;
  std::size_t max_connections = 16384;  // more: 503 overloaded and close
  std::chrono::milliseconds header_timeout{
      10'000};  // from the first byte of a request to the end of its head: 408
  std::chrono::milliseconds body_timeout{30'000};  // without a byte of the body: 408
  std::chrono::milliseconds idle_timeout{
      60'000};  // between requests: closed silently; also a reply that makes no progress
  std::vector<std::string> cors_origins;  // exact origins, or "*"; empty: no CORS headers
};

// What the server tells about its work. Called on io threads, must not block.
class ServerObserver {
 public:
  virtual ~ServerObserver() = default;
  virtual void on_reply(std::string_view pattern, int status, std::chrono::nanoseconds took) = 0;
  virtual void on_connections(std::size_t open) = 0;
};

// One io thread: its own io_context, its own listening socket (SO_REUSEPORT) and connections.
class IoThread {
 public:
  virtual ~IoThread() = default;
  // Runs `work` on this thread, later. Any thread may call; also from this thread, in which case
  // it runs after everything that is readable now has been handled.
  virtual void post(std::function<void()> work) = 0;
  virtual std::size_t index() const = 0;
  virtual bool is_current() const = 0;
  // Runs `work` on this thread after `delay`, or as soon as the server stops, unless cancelled.
  // This thread only.
  virtual std::uint64_t after(std::chrono::milliseconds delay, std::function<void()> work) = 0;
  virtual void cancel(std::uint64_t timer) = 0;
  // The server holds limits::kHeldBytes of bodies and replies. Asked before a handler is called;
  // one that answers a read later asks again, and answers kOverloaded. Any thread may call.
  virtual bool crowded() const = 0;
};

// The HTTP server. Construct, start(), stop(). The router and the observer outlive it.
// Thread safety: start and stop are called by one thread.
class Server {
 public:
  Server(ServerOptions options, const Router& router, ServerObserver* observer);
  ~Server();

  // Binds, so that address() is known; connections wait for start(). Error: kBadParameter, the
  // address cannot be parsed or bound (the detail names it).
  Status listen();
  // Starts the threads, after listen() if that was not called.
  Status start();
  // HOST:PORT as bound.
  std::string address() const;
  std::vector<IoThread*> io_threads();

  // Drains: stops accepting, closes idle connections, lets requests in flight be answered (with
  // `Connection: close`) and cuts streams, for at most `grace`; then joins the threads.
  void stop(std::chrono::milliseconds grace);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace feeds::http
