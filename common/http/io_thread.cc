#include "common/http/io_thread.h"

#include <time.h>

#include <boost/asio/post.hpp>

#include "common/base/limits.h"
#include "common/base/log.h"
#include "common/http/session.h"

namespace feeds::http {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;
using namespace std::chrono_literals;

constexpr auto kSweepEvery = 100ms;
constexpr auto kAcceptBackoff = 100ms;
constexpr int kBacklog = 4096;
// Connections over the bound that may wait, a thread, for their 503 to be read.
constexpr std::size_t kMaxRefusing = 128;
// So many replies at most wait for each other.
constexpr std::size_t kWriteTogether = 16;
// What streams and lingering connections may still take of a shutdown.
constexpr auto kDrainTail = 1000ms;

bool is_shortage(const error_code& ec) {
  const int value = ec.value();
  return value == EMFILE || value == ENFILE || value == ENOBUFS || value == ENOMEM;
}

}  // namespace

ServerThread::ServerThread(ServerShared& shared, std::size_t index)
    : shared_(shared),
      index_(index),
      work_guard_(context_.get_executor()),
      acceptor_(context_.get_executor()),
      sweep_timer_(context_.get_executor()),
      accept_timer_(context_.get_executor()),
      stop_timer_(context_.get_executor()) {}

ServerThread::~ServerThread() {
  assert(!thread_.joinable());
  close_all();
}

void ServerThread::post(std::function<void()> work) {
  if (!is_current()) {
    boost::asio::post(context_, std::move(work));
    return;
  }
  // What is readable now is found by the reactor's next turn, which comes before the inner
  // function is queued; so that runs after it.
  boost::asio::post(context_, [this, work = std::move(work)]() mutable {
    boost::asio::post(context_, std::move(work));
  });
}

std::uint64_t ServerThread::after(std::chrono::milliseconds delay, std::function<void()> work) {
  const std::uint64_t id = next_timer_++;
  if (draining_) delay = std::chrono::milliseconds(0);
  auto timer = std::make_unique<Timer>(context_.get_executor(), delay);
  timer->async_wait([this, id](error_code ec) {
    if (ec) return;
    // A timer that has fired already cannot be cancelled in Asio; it is no longer in the map then.
    const auto due = timers_.extract(id);
    if (!due.empty()) due.mapped().work();
  });
  timers_.emplace(id, Due{std::move(timer), std::move(work)});
  return id;
}

void ServerThread::cancel(std::uint64_t timer) {
  timers_.erase(timer);
}

bool ServerThread::crowded() const {
  return shared_.held_bytes > limits::kHeldBytes;
}

error_code ServerThread::listen(const tcp::endpoint& endpoint, bool reuse_port) {
  error_code ec;
  acceptor_.open(endpoint.protocol(), ec);
  if (!ec) acceptor_.set_option(tcp::acceptor::reuse_address(true), ec);
  if (!ec && reuse_port) {
    using ReusePort = boost::asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;
    acceptor_.set_option(ReusePort(true), ec);
  }
  if (!ec) acceptor_.bind(endpoint, ec);
  if (!ec) acceptor_.listen(kBacklog, ec);
  if (!ec) local_ = acceptor_.local_endpoint(ec);
  if (ec) {
    error_code ignored;
    acceptor_.close(ignored);
  }
  return ec;
}

void ServerThread::start() {
  accept();
  sweep();
  thread_ = std::thread([this] { run(); });
}

void ServerThread::run() {
  thread_id_ = std::this_thread::get_id();
  for (;;) {
    try {
      context_.run();
      break;
    } catch (const std::exception& e) {
      // Of posted work: its exchange, if it had one, has been answered by being dropped.
      log::error("http.work_failed", {{"error", e.what()}});
    }
  }
  timers_.clear();
}

void ServerThread::begin_stop(std::chrono::milliseconds grace) {
  boost::asio::post(context_, [this, grace] { drain(grace); });
}

void ServerThread::join() {
  if (thread_.joinable()) thread_.join();
}

TimePoint ServerThread::now() const {
  timespec time;
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return TimePoint(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
}

void ServerThread::accept() {
  acceptor_.async_accept(
      [this](error_code ec, Socket socket) { on_accept(ec, std::move(socket)); });
}

void ServerThread::on_accept(error_code ec, Socket socket) {
  if (draining_) return;
  if (is_shortage(ec)) {
    // Trying at once would spin: the connection stays in the queue, and the socket readable.
    if (!accept_failing_) log::warn("http.accept_failed", {{"error", ec.message()}});
    accept_failing_ = true;
    accept_timer_.expires_after(kAcceptBackoff);
    accept_timer_.async_wait([this](error_code cancelled) {
      if (!cancelled && !draining_) accept();
    });
    return;
  }
  if (!ec) {
    accept_failing_ = false;
    error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    const bool within = shared_.open_connections.fetch_add(1) < shared_.options.max_connections;
    if (!within) shared_.open_connections.fetch_sub(1);
    if (within || refusing_ < kMaxRefusing) {
      auto session = std::make_shared<Session>(*this, std::move(socket), within);
      add(session, within);
      if (within) {
        session->start();
      } else {
        session->refuse_overloaded();
      }
    }
  }
  accept();
}

void ServerThread::add(std::shared_ptr<Session> session, bool counted) {
  session->set_index(sessions_.size());
  sessions_.push_back(std::move(session));
  if (!counted) {
    ++refusing_;
  } else if (shared_.observer != nullptr) {
    shared_.observer->on_connections(shared_.open_connections.load());
  }
}

void ServerThread::remove(Session& session) {
  const std::size_t index = session.index();
  assert(index < sessions_.size() && sessions_[index].get() == &session);
  const std::shared_ptr<Session> keep = std::move(sessions_[index]);
  if (index + 1 != sessions_.size()) {
    sessions_[index] = std::move(sessions_.back());
    sessions_[index]->set_index(index);
  }
  sessions_.pop_back();
  if (!session.counted()) {
    --refusing_;
  } else {
    shared_.open_connections.fetch_sub(1);
    if (shared_.observer != nullptr) {
      shared_.observer->on_connections(shared_.open_connections.load());
    }
  }
  finish_if_drained();
}

// A write rouses its reader. One thread that reads from many connections, as proxies and load balancers
// have, is awake for all replies that are written in a row, and sleeps after each that comes alone.
void ServerThread::write_soon(std::shared_ptr<Session> session) {
  if (sessions_.size() == 1) return session->write();
  writing_.push_back(std::move(session));
  if (writing_.size() == kWriteTogether) {
    write_all();
  } else if (writing_.size() == 1) {
    boost::asio::post(context_, [this] { write_all(); });
  }
}

void ServerThread::write_all() {
  for (const auto& session : std::exchange(writing_, {})) session->write();
}

void ServerThread::sweep() {
  const TimePoint at = now();
  // Backwards, as a session that ends is replaced by the last one.
  for (std::size_t i = sessions_.size(); i-- > 0;) sessions_[i]->sweep(at);
  if (index_ == 0 && shared_.observer != nullptr) {
    // Reports of two threads may arrive in the wrong order; this one puts them right.
    shared_.observer->on_connections(shared_.open_connections.load());
  }
  if (done_) return;
  sweep_timer_.expires_after(kSweepEvery);
  sweep_timer_.async_wait([this](error_code ec) {
    if (!ec) sweep();
  });
}

void ServerThread::drain(std::chrono::milliseconds grace) {
  if (draining_) return;
  draining_ = true;
  error_code ignored;
  acceptor_.close(ignored);
  accept_timer_.cancel();
  const auto tail = std::min<std::chrono::milliseconds>(grace / 2, kDrainTail);
  const TimePoint tail_end = now() + tail;
  for (std::size_t i = sessions_.size(); i-- > 0;) sessions_[i]->drain(tail_end);
  stop_timer_.expires_after(grace);
  stop_timer_.async_wait([this](error_code ec) {
    if (!ec) close_all();
  });
  // Who waits is answered while there is time to read it.
  for (const auto& [id, due] : std::exchange(timers_, {})) due.work();
  finish_if_drained();
}

void ServerThread::close_all() {
  for (std::size_t i = sessions_.size(); i-- > 0;) sessions_[i]->close();
}

void ServerThread::finish_if_drained() {
  if (!draining_ || done_ || !sessions_.empty()) return;
  done_ = true;
  stop_timer_.cancel();
  sweep_timer_.cancel();
  work_guard_.reset();
  context_.stop();
}

}  // namespace feeds::http
