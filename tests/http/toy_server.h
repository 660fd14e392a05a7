#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "common/http/server.h"
#include "tests/support/eventually.h"
#include "tests/support/raw_client.h"

namespace feeds::test {

// Keeps what the server told. Thread-safe.
class RecordingObserver final : public http::ServerObserver {
 public:
  struct Entry {
    std::string pattern;
    int status;
  };

  void on_reply(std::string_view pattern, int status, std::chrono::nanoseconds took) override;
  void on_connections(std::size_t open) override { open_ = open; }

  std::vector<Entry> replies() const;
  std::size_t open() const { return open_; }

 private:
  mutable std::mutex mutex_;
  std::vector<Entry> replies_;
  std::atomic<std::size_t> open_ = 0;
};

// A server with routes of every kind. Each echoes what its handler saw:
//   GET /hello                     "hello"; its position is 3-14
//   POST /text /json /maybe        <length>:<body>; of kText, kRequiredJson, kOptionalJson
//   DELETE /things/{id}            204
//   GET /things/{id}/{part}        <id>|<part>
//   GET /things/special            special
//   GET /query                     the parameter x
//   GET /headers                   Feeds-Min-Position|Feeds-Wait-Ms
//   GET /big?bytes                 a body of that size
//   GET /stream?chunks&bytes       that many chunks of that size
//   GET /stream/{kind}             endless, failing, throwing, silent (a few empty chunks),
//                                  retired, gated (a small chunk, then large ones once `gate_open`)
//   GET /later, /thread            answered after a timer, from a post of another thread
//   GET /hold                      kept in `held`
//   GET /throw, /drop              handlers with bugs
//   PUT /moved                     at the head: 307
class ToyServer {
 public:
  explicit ToyServer(const std::function<void(http::ServerOptions&)>& configure = {});
  ~ToyServer();

  http::Server& server() { return *server_; }
  RecordingObserver& observer() { return observer_; }
  const std::string& address() const { return address_; }
  RawClient connect(int receive_buffer = 0) const { return RawClient(address_, receive_buffer); }

  // One request on a connection of its own.
  RawReply get(const std::string& target, const std::string& headers = {}) const;

  std::size_t held_count() const;
  void release_held();
  std::atomic<int> live_sources = 0;
  std::atomic<bool> gate_open = false;
  std::atomic<std::size_t> large_chunks = 0;

 private:
  void add_routes();
  void add_replies_later();
  void add_streams();

  http::Router router_;
  RecordingObserver observer_;
  std::unique_ptr<http::Server> server_;
  std::string address_;
  mutable std::mutex mutex_;
  std::vector<http::ExchangePtr> held_;
  std::vector<std::thread> threads_;
};

}  // namespace feeds::test
