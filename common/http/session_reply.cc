#include <cstdio>
#include <exception>
#include <span>

#include "common/base/limits.h"
#include "common/base/log.h"
#include "common/http/session.h"

// The writing half of Session.
namespace feeds::http {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

// Kept by a connection that is busy: above the usual page, so that it is not freed and got again.
constexpr std::size_t kBusyMemory = 256 * 1024;
// Kept by a connection that has been idle for a sweep.
constexpr std::size_t kIdleMemory = 4 * 1024;

void shrink(std::string& text, std::size_t above) {
  if (text.capacity() > above) std::string().swap(text);
}

}  // namespace

void Session::send() {
  if (state_ == State::kClosed) return;
  begin_reply(Framing::kLength);
  const bool bodyless = request_.head || reply_.status == 204 || reply_.status == 304;
  push_buffer(head_);
  if (!bodyless) push_buffer(reply_.body);
  hold(request_.body.size() + reply_.body.size());
  state_ = State::kReplying;
  deadline_ = thread_.now() + thread_.shared().options.idle_timeout;
  // Counted before the peer can see it, so that what it saw is in the metrics.
  count_reply();
  thread_.write_soon(shared_from_this());
}

void Session::send_stream(std::unique_ptr<BodySource> source) {
  if (state_ == State::kClosed) return;
  reply_.body.clear();
  const bool chunked = facts_.version >= 11;
  if (!chunked) reply_.close = true;
  begin_reply(chunked ? Framing::kChunked : Framing::kToClose);
  push_buffer(head_);
  if (request_.head) {
    source.reset();
    state_ = State::kReplying;
    deadline_ = thread_.now() + thread_.shared().options.idle_timeout;
    count_reply();
    write();
    return;
  }
  stream_ = std::make_unique<Stream>();
  stream_->source = std::move(source);
  stream_->end = thread_.now() + limits::kStreamTime;
  stream_->chunked = chunked;
  state_ = State::kStreaming;
  make_chunk();
}

void Session::on_exchange_dropped() {
  if (state_ != State::kHandling) return;
  log::error("http.unanswered", {{"route", pattern_}});
  reply_.clear();
  refuse(Error{Code::kInternal, "internal error"});
}

void Session::begin_reply(Framing framing) {
  finish_input();
  close_after_ = reply_.close || !facts_.keep_alive || !input_done_ || thread_.draining();
  head_.clear();
  append_head(head_, reply_, thread_.date(), framing, close_after_, facts_.version < 11);
  thread_.shared().cors.append(head_, request_.origin);
  head_ += preflight_;
  head_ += "\r\n";
  out_begin_ = out_end_ = 0;
}

// Takes what is buffered of a body that nobody asked for, as the connection can go on if that is
// all of it.
void Session::finish_input() {
  if (input_done_ || failed_) return;
  std::string_view data = buffer_.data();
  body_.consume(data, nullptr, limits::kRequestBodyBytes);
  buffer_.consume(buffer_.data().size() - data.size());
  input_done_ = body_.done();
}

void Session::count_reply() {
  if (ServerObserver* const observer = thread_.shared().observer) {
    observer->on_reply(pattern_, reply_.status, std::chrono::steady_clock::now() - received_);
  }
}

void Session::write_continue() {
  sending_continue_ = true;
  out_begin_ = out_end_ = 0;
  push_buffer("HTTP/1.1 100 Continue\r\n\r\n");
  write();
}

void Session::push_buffer(std::string_view data) {
  if (data.empty()) return;
  assert(out_end_ < out_.size());
  out_[out_end_++] = boost::asio::const_buffer(data.data(), data.size());
}

void Session::write() {
  if (state_ == State::kClosed) return;
  const std::span<const boost::asio::const_buffer> buffers(out_.data() + out_begin_,
                                                           out_end_ - out_begin_);
  socket_->async_write_some(buffers, [self = shared_from_this()](error_code ec, std::size_t size) {
    self->on_write(ec, size);
  });
}

void Session::on_write(error_code ec, std::size_t size) {
  if (state_ == State::kClosed) return;
  if (ec) {
    cut(false);
    return;
  }
  while (out_begin_ < out_end_ && size >= out_[out_begin_].size()) {
    size -= out_[out_begin_].size();
    ++out_begin_;
  }
  if (out_begin_ == out_end_) {
    on_written();
    return;
  }
  out_[out_begin_] += size;
  const TimePoint now = thread_.now();
  deadline_ = stream_ ? std::min(stream_->end, now + limits::kStreamStallTime)
                      : now + thread_.shared().options.idle_timeout;
  write();
}

void Session::on_written() {
  if (sending_continue_) {
    sending_continue_ = false;
    read_body();
  } else if (stream_ && !stream_->last) {
    out_begin_ = out_end_ = 0;
    next_chunk();
  } else {
    stream_.reset();
    if (close_after_) {
      end();
    } else {
      next_request();
    }
  }
}

// A stream that has begun cannot be refused: while too much is held, it waits for its turn.
void Session::next_chunk() {
  hold(0);
  if (!thread_.crowded()) {
    make_chunk();
    return;
  }
  shrink(stream_->chunk, 0);
  stream_->waiting = true;
  deadline_ = std::min(stream_->end, thread_.now() + limits::kStreamStallTime);
}

// Asks the source for more, and sends it with the head if that is still waiting.
void Session::make_chunk() {
  Stream& stream = *stream_;
  stream.chunk.clear();
  shrink(stream.chunk, kBusyMemory);
  bool more = false;
  try {
    Result<bool> result = stream.source->next(stream.chunk);
    if (!result) {
      log::warn("http.stream_cut", {{"route", pattern_}, {"reason", result.error().detail}});
      cut(false);
      return;
    }
    more = *result;
  } catch (const std::exception& e) {
    log::error("http.stream_failed", {{"route", pattern_}, {"error", e.what()}});
    cut(false);
    return;
  }
  if (!more) {
    stream.last = true;
    stream.source.reset();
    count_reply();
  }
  deadline_ = std::min(stream.end, thread_.now() + limits::kStreamStallTime);
  push_chunk();
  if (out_begin_ < out_end_) {
    write();
    return;
  }
  if (stream.last) {
    on_written();
    return;
  }
  // It had nothing yet: the other connections have their turn before it is asked again.
  boost::asio::post(thread_.context(), [self = shared_from_this()] {
    if (self->state_ == State::kStreaming) self->next_chunk();
  });
}

void Session::push_chunk() {
  Stream& stream = *stream_;
  hold(stream.chunk.size());
  if (!stream.chunked) {
    push_buffer(stream.chunk);
    return;
  }
  if (!stream.chunk.empty()) {
    const int size = std::snprintf(stream.size_line.data(), stream.size_line.size(), "%zx\r\n",
                                   stream.chunk.size());
    push_buffer({stream.size_line.data(), static_cast<std::size_t>(size)});
    stream.chunk += "\r\n";
  }
  if (stream.last) stream.chunk += "0\r\n\r\n";
  push_buffer(stream.chunk);
}

// Ends a reply short. `reset`: in a way that the peer cannot take for its end.
void Session::cut(bool reset) {
  if (stream_ && !stream_->last) {
    count_reply();
    reset = reset || !stream_->chunked;
  }
  if (reset) {
    error_code ignored;
    socket_->set_option(tcp::socket::linger(true, 0), ignored);
  }
  close();
}

void Session::next_request() {
  hold(0);
  release_memory(kBusyMemory);
  buffer_.shrink();  // Here no read is under way that would write into it.
  state_ = State::kIdle;
  deadline_ = thread_.now() + thread_.shared().options.idle_timeout;
  process();
  // Its reply was begun before the stop.
  if (thread_.draining() && state_ == State::kIdle) drain(deadline_);
}

// The last reply is written. If the peer is still sending, closing now would reset the connection
// and take the reply away from it.
void Session::end() {
  error_code ignored;
  if (!input_done_ || !buffer_.empty() || socket_->available(ignored) > 0) {
    linger();
    return;
  }
  socket_->shutdown(tcp::socket::shutdown_both, ignored);
  close();
}

void Session::linger() {
  error_code ignored;
  socket_->shutdown(tcp::socket::shutdown_send, ignored);
  state_ = State::kLingering;
  deadline_ = thread_.now() + limits::kDiscardTime;
  buffer_.clear();
  discarded_ = 0;
  read();
}

void Session::sweep(TimePoint now) {
  if (stream_ && stream_->source) {
    if (!stream_->retired_until && stream_->source->retired()) {
      stream_->retired_until = now + limits::kRetiredStreamTime;
    }
    if (stream_->retired_until && now >= *stream_->retired_until) {
      log::info("http.stream_cut", {{"route", pattern_}, {"reason", "database replaced"}});
      cut(false);
      return;
    }
  }
  if (state_ == State::kIdle) release_memory(kIdleMemory);
  if (now < deadline_) {
    if (stream_ && stream_->waiting && !thread_.crowded()) {
      stream_->waiting = false;
      make_chunk();
    }
    return;
  }
  switch (state_) {
    case State::kIdle:
    case State::kLingering:
      close();
      return;
    case State::kHead:
    case State::kBody:
      if (sending_continue_) {
        cut(true);
        return;
      }
      if (state_ == State::kHead) received_ = std::chrono::steady_clock::now();
      fail(Error{Code::kRequestTimeout, "the request did not come in time"});
      return;
    case State::kReplying:
    case State::kStreaming:
      cut(true);
      return;
    case State::kHandling:
    case State::kClosed:
      return;
  }
}

void Session::drain(TimePoint tail_end) {
  error_code ignored;
  switch (state_) {
    case State::kIdle:
      // Bytes that wait are a request that was sent before the peer could know.
      if (socket_->available(ignored) == 0) close();
      return;
    case State::kLingering:
      deadline_ = std::min(deadline_, tail_end);
      return;
    case State::kStreaming:
      stream_->end = std::min(stream_->end, tail_end);
      deadline_ = std::min(deadline_, stream_->end);
      return;
    default:
      return;
  }
}

// Counts what is large, so that slow clients together cannot take all memory.
void Session::hold(std::size_t bytes) {
  if (bytes < limits::kUncountedBytes) bytes = 0;
  if (bytes == held_) return;
  thread_.shared().held_bytes += bytes;
  thread_.shared().held_bytes -= std::exchange(held_, bytes);
}

void Session::release_memory(std::size_t above) {
  shrink(reply_.body, above);
  shrink(request_.body, above);
  shrink(head_, above);
}

}  // namespace feeds::http
