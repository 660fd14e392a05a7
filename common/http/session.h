#pragma once

#include <array>
#include <atomic>
#include <boost/asio/buffer.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/http/body_decoder.h"
#include "common/http/exchange.h"
#include "common/http/io_thread.h"
#include "common/http/read_buffer.h"
#include "common/http/request_parser.h"

namespace feeds::http {

// One connection: reads a request, has it judged and handled, writes the reply, and only then
// looks at the next one, so that pipelined requests are answered in order.
//
// Owned by its thread's list of sessions, by the operation under way and by the exchange that is
// being handled. After close() it is inert: it has no socket, and may be freed on any thread.
// All members but is_open() and thread() are called on its thread.
class Session final : public std::enable_shared_from_this<Session> {
 public:
  Session(ServerThread& thread, Socket socket, bool counted);

  // Reads the first request.
  void start();
  // Answers 503 without reading.
  void refuse_overloaded();
  // Looks at deadlines.
  void sweep(TimePoint now);
  // The server is stopping: ends what is idle; streams and lingering end by `tail_end`.
  void drain(TimePoint tail_end);
  // Ends the connection at once.
  void close();
  // Writes the reply, or what is left of it.
  void write();

  bool is_open() const { return open_.load(std::memory_order_relaxed); }
  ServerThread& thread() { return thread_; }
  bool counted() const { return counted_; }
  std::size_t index() const { return index_; }
  void set_index(std::size_t index) { index_ = index; }

  // For the exchange.
  const Request& request() const { return request_; }
  Reply& reply() { return reply_; }
  void send();
  void send_stream(std::unique_ptr<BodySource> source);
  void on_exchange_dropped();

 private:
  enum class State : std::uint8_t {
    kIdle,       // no byte of a request yet
    kHead,       // reading a head
    kBody,       // reading a body
    kHandling,   // a handler has the exchange
    kReplying,   // writing a reply
    kStreaming,  // writing a reply that is being made
    kLingering,  // has sent its last reply, and discards what the peer still sends
    kClosed,
  };

  struct Stream {
    std::unique_ptr<BodySource> source;
    TimePoint end;                           // cut at this time, whatever its progress
    std::optional<TimePoint> retired_until;  // set once the source was seen retired
    std::string chunk;
    std::array<char, 20> size_line{};
    bool chunked = true;
    bool last = false;
    bool waiting = false;  // for room for its next chunk
  };

  // --- reading (session.cc)
  void read();
  void on_read(boost::system::error_code ec, std::size_t size);
  void process();
  bool begin_head();
  void parse_head();
  void judge();
  std::optional<Error> judge_framing() const;
  void judge_body();
  std::string media_type_problem() const;
  std::string coding_problem() const;
  void read_body();
  void dispatch();
  void call_handler();
  void answer_options(const Router::Match& match, bool is_asterisk);
  void refuse(const Error& error);
  void fail(const Error& error);

  // --- writing (session_reply.cc)
  void begin_reply(Framing framing);
  void finish_input();
  void count_reply();
  void write_continue();
  void push_buffer(std::string_view data);
  void on_write(boost::system::error_code ec, std::size_t size);
  void on_written();
  void next_chunk();
  void make_chunk();
  void push_chunk();
  void cut(bool reset);
  void next_request();
  void linger();
  void end();
  void release_memory(std::size_t above);
  void hold(std::size_t bytes);

  ServerThread& thread_;
  std::optional<Socket> socket_;
  const bool counted_;
  std::atomic<bool> open_ = true;
  std::size_t index_ = 0;

  State state_ = State::kIdle;
  TimePoint deadline_ = TimePoint::max();
  TimePoint body_until_ = TimePoint::max();
  bool reading_ = false;

  ReadBuffer buffer_;
  std::optional<RequestParser> parser_;
  HeadFacts facts_;
  std::size_t head_bytes_ = 0;  // parsed so far
  BodyDecoder body_;
  Request request_;
  const Route* route_ = nullptr;
  std::string_view pattern_;
  std::string late_media_problem_;  // of a chunked body, which may turn out to be empty
  TimePoint received_;

  Reply reply_;
  std::string head_;
  std::string preflight_;  // further header lines of an OPTIONS reply
  std::array<boost::asio::const_buffer, 4> out_;
  std::size_t out_begin_ = 0;
  std::size_t out_end_ = 0;
  std::unique_ptr<Stream> stream_;
  bool sending_continue_ = false;
  bool input_done_ = true;  // the request was read to its end
  bool failed_ = false;     // its end cannot be found, or is not worth waiting for
  bool close_after_ = false;
  std::size_t discarded_ = 0;
  std::size_t held_ = 0;  // this connection's part of what the server counts
};

}  // namespace feeds::http
