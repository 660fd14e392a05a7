#pragma once

#include <atomic>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <unordered_map>
#include <vector>

#include "common/http/reply_head.h"
#include "common/http/server.h"

namespace feeds::http {

class Session;

// The executor is in the type: a type-erased one costs an allocation and virtual calls for each
// operation.
using Executor = boost::asio::io_context::executor_type;
using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, Executor>;
using Acceptor = boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, Executor>;
using Timer = boost::asio::basic_waitable_timer<
    std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>, Executor>;
using TimePoint = std::chrono::steady_clock::time_point;

// What all io threads of a server share. Immutable but for the counters.
struct ServerShared {
  ServerShared(ServerOptions server_options, const Router& server_router,
               ServerObserver* server_observer)
      : options(std::move(server_options)),
        router(server_router),
        observer(server_observer),
        cors(options.cors_origins) {}

  const ServerOptions options;
  const Router& router;
  ServerObserver* const observer;
  const CorsPolicy cors;
  std::atomic<std::size_t> open_connections = 0;
  std::atomic<std::size_t> held_bytes = 0;  // of large bodies and replies
};

// A thread that serves connections. Everything but post(), index(), is_current(), begin_stop()
// and join() is called on it, or before start().
class ServerThread final : public IoThread {
 public:
  ServerThread(ServerShared& shared, std::size_t index);
  ~ServerThread() override;

  void post(std::function<void()> work) override;
  std::size_t index() const override { return index_; }
  std::uint64_t after(std::chrono::milliseconds delay, std::function<void()> work) override;
  void cancel(std::uint64_t timer) override;
  bool crowded() const override;

  // Binds and listens. `reuse_port`: other threads will listen at the same address.
  boost::system::error_code listen(const boost::asio::ip::tcp::endpoint& endpoint, bool reuse_port);
  boost::asio::ip::tcp::endpoint local_endpoint() const { return local_; }
  void start();
  // Any thread. The thread ends once its connections have, after `grace` at the latest.
  void begin_stop(std::chrono::milliseconds grace);
  void join();
  bool is_current() const override { return std::this_thread::get_id() == thread_id_.load(); }

  // For sessions.
  ServerShared& shared() { return shared_; }
  boost::asio::io_context& context() { return context_; }
  // Coarse, a few milliseconds old: for deadlines.
  TimePoint now() const;
  std::string_view date() { return date_.now(); }
  bool draining() const { return draining_; }
  void remove(Session& session);
  // Has the session write what it has to, behind what was readable at the same time.
  void write_soon(std::shared_ptr<Session> session);

 private:
  void run();
  void accept();
  void on_accept(boost::system::error_code ec, Socket socket);
  void add(std::shared_ptr<Session> session, bool counted);
  void sweep();
  void write_all();
  void drain(std::chrono::milliseconds grace);
  void close_all();
  void finish_if_drained();

  ServerShared& shared_;
  const std::size_t index_;
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<Executor> work_guard_;
  Acceptor acceptor_;
  boost::asio::ip::tcp::endpoint local_;
  Timer sweep_timer_;
  Timer accept_timer_;
  Timer stop_timer_;
  bool accept_failing_ = false;
  bool draining_ = false;
  bool done_ = false;
  std::size_t refusing_ = 0;  // connections over the bound that are being told so
  DateCache date_;
  std::vector<std::shared_ptr<Session>> sessions_;
  std::vector<std::shared_ptr<Session>> writing_;  // soon
  struct Due {
    std::unique_ptr<Timer> timer;
    std::function<void()> work;
  };
  std::unordered_map<std::uint64_t, Due> timers_;
  std::uint64_t next_timer_ = 1;
  std::atomic<std::thread::id> thread_id_;
  std::thread thread_;
};

}  // namespace feeds::http
