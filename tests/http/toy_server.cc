#include "tests/http/toy_server.h"

#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "common/base/limits.h"

namespace feeds::test {
namespace {

using http::Body;
using http::ExchangePtr;
using http::Method;
using http::Route;
using namespace std::chrono_literals;

constexpr std::size_t kEndless = SIZE_MAX;
constexpr std::array<std::string_view, 6> kKinds = {"endless", "gated",    "silent",
                                                    "failing", "throwing", "retired"};

void answer(const ExchangePtr& exchange, std::string body) {
  exchange->reply().body = std::move(body);
  exchange->send();
}

// Fuzzed requests ask for more than the memory there is.
constexpr std::size_t kMostBytes = 64'000'000;

std::size_t number(const http::Request& request, std::string_view name) {
  const auto value = request.query_value(name);
  const std::size_t result = value && *value ? std::strtoull((*value)->c_str(), nullptr, 10) : 0;
  return std::min<std::size_t>(result, 50'000'000);
}

void echo_body(const ExchangePtr& exchange) {
  const std::string& body = exchange->request().body;
  answer(exchange, std::to_string(body.size()) + ":" + body);
}

class ToySource final : public http::BodySource {
 public:
  ToySource(ToyServer& toy, std::string kind, std::size_t chunks, std::size_t bytes)
      : toy_(toy), kind_(std::move(kind)), chunks_(chunks), bytes_(bytes) {
    ++toy_.live_sources;
  }
  ~ToySource() override { --toy_.live_sources; }

  Result<bool> next(std::string& out) override {
    ++made_;
    if (kind_ == "gated" && made_ > 1) {
      if (!toy_.gate_open) return true;
      ++toy_.large_chunks;
      out.append(limits::kPageBytes, 'x');
      return true;
    }
    if (kind_ == "silent" && made_ < 5) return true;
    if (made_ == 3 && kind_ == "failing") return Error{Code::kInternal, "made to fail"};
    if (made_ == 3 && kind_ == "throwing") throw std::runtime_error("made to throw");
    const char letter = static_cast<char>('a' + made_ % 26);
    out.append(bytes_, letter);
    return made_ < chunks_;
  }
  bool retired() const override { return kind_ == "retired"; }

 private:
  ToyServer& toy_;
  const std::string kind_;
  const std::size_t chunks_;
  const std::size_t bytes_;
  std::size_t made_ = 0;
};

}  // namespace

void RecordingObserver::on_reply(std::string_view pattern, int status, std::chrono::nanoseconds) {
  std::lock_guard lock(mutex_);
  replies_.push_back({std::string(pattern), status});
}

std::vector<RecordingObserver::Entry> RecordingObserver::replies() const {
  std::lock_guard lock(mutex_);
  return replies_;
}

ToyServer::ToyServer(const std::function<void(http::ServerOptions&)>& configure) {
  add_routes();
  add_replies_later();
  add_streams();
  http::ServerOptions options;
  options.listen = "127.0.0.1:0";
  if (configure) configure(options);
  server_ = std::make_unique<http::Server>(std::move(options), router_, &observer_);
  const Status started = server_->start();
  if (!started) throw std::runtime_error(started.error().detail);
  address_ = server_->address();
}

ToyServer::~ToyServer() {
  server_->stop(0ms);
  for (std::thread& thread : threads_) thread.join();
}

RawReply ToyServer::get(const std::string& target, const std::string& headers) const {
  RawClient client = connect();
  return client.ask("GET " + target + " HTTP/1.1\r\nHost: toy\r\n" + headers + "\r\n");
}

std::size_t ToyServer::held_count() const {
  std::lock_guard lock(mutex_);
  return held_.size();
}

void ToyServer::release_held() {
  std::lock_guard lock(mutex_);
  held_.clear();
}

void ToyServer::add_routes() {
  router_.add({Method::kGet, "/hello", Body::kIgnored, [](const ExchangePtr& exchange) {
                 exchange->reply().position = Position{Epoch{3}, Sequence{14}};
                 answer(exchange, "\"hello\"");
               }});
  router_.add({Method::kPost, "/text", Body::kText, echo_body});
  router_.add({Method::kPost, "/json", Body::kRequiredJson, echo_body});
  router_.add({Method::kPost, "/maybe", Body::kOptionalJson, echo_body});
  router_.add({Method::kDelete, "/things/{id}", Body::kIgnored, [](const ExchangePtr& exchange) {
                 exchange->reply().status = 204;
                 exchange->send();
               }});
  router_.add({Method::kGet, "/things/{id}/{part}", Body::kIgnored, [](const ExchangePtr& e) {
                 const http::Request& request = e->request();
                 answer(e, std::string(request.path_value(0)) + "|" +
                               std::string(request.path_value(1)));
               }});
  router_.add({Method::kGet, "/things/special", Body::kIgnored,
               [](const ExchangePtr& exchange) { answer(exchange, "special"); }});
  router_.add({Method::kGet, "/query", Body::kIgnored, [](const ExchangePtr& exchange) {
                 const auto value = exchange->request().query_value("x");
                 if (!value) {
                   exchange->send_error(value.error());
                 } else {
                   answer(exchange, value->value_or("(absent)"));
                 }
               }});
  router_.add({Method::kGet, "/headers", Body::kIgnored, [](const ExchangePtr& exchange) {
                 const http::Request& request = exchange->request();
                 answer(exchange,
                        request.min_position.value_or("-") + "|" + request.wait_ms.value_or("-"));
               }});
  router_.add({Method::kGet, "/big", Body::kIgnored, [](const ExchangePtr& exchange) {
                 const auto bytes = std::min(number(exchange->request(), "bytes"), kMostBytes);
                 answer(exchange, std::string(bytes, 'x'));
               }});
  router_.add({Method::kPut, "/moved", Body::kRequiredJson,
               [](const ExchangePtr& exchange) {
                 exchange->reply().status = 307;
                 exchange->reply().location = "http://127.0.0.1:1/moved";
                 exchange->send();
               },
               true});
}

void ToyServer::add_replies_later() {
  router_.add({Method::kGet, "/later", Body::kIgnored, [](const ExchangePtr& exchange) {
                 exchange->io_thread().after(20ms, [exchange] { answer(exchange, "later"); });
               }});
  router_.add({Method::kGet, "/thread", Body::kIgnored, [this](const ExchangePtr& exchange) {
                 std::lock_guard lock(mutex_);
                 threads_.emplace_back([exchange]() mutable {
                   http::IoThread& thread = exchange->io_thread();
                   thread.post([moved = std::move(exchange)] { answer(moved, "thread"); });
                 });
               }});
  router_.add({Method::kGet, "/hold", Body::kIgnored, [this](const ExchangePtr& exchange) {
                 std::lock_guard lock(mutex_);
                 held_.push_back(exchange);
               }});
  router_.add({Method::kGet, "/throw", Body::kIgnored,
               [](const ExchangePtr&) { throw std::runtime_error("made to throw"); }});
  router_.add({Method::kGet, "/drop", Body::kIgnored, [](const ExchangePtr&) {}});
}

void ToyServer::add_streams() {
  router_.add({Method::kGet, "/stream", Body::kIgnored, [this](const ExchangePtr& exchange) {
                 const http::Request& request = exchange->request();
                 const auto chunks = std::min<std::size_t>(number(request, "chunks"), 100);
                 const auto bytes =
                     std::min(number(request, "bytes"), kMostBytes / std::max<std::size_t>(chunks, 1));
                 exchange->send_stream(std::make_unique<ToySource>(*this, "", chunks, bytes));
               }});
  router_.add({Method::kGet, "/stream/{kind}", Body::kIgnored, [this](const ExchangePtr& exchange) {
                 const std::string kind(exchange->request().path_value(0));
                 // Of a kind that fuzzing made up, no client reads to its end what has none.
                 const bool known = std::ranges::find(kKinds, kind) != kKinds.end();
                 const std::size_t chunks = !known ? 1 : kind == "silent" ? 6 : kEndless;
                 exchange->send_stream(std::make_unique<ToySource>(*this, kind, chunks, 1000));
               }});
}

}  // namespace feeds::test
