#include "common/node/http_front.h"

#include "common/node/process.h"

namespace feeds::node {
namespace {

using namespace std::chrono_literals;
constexpr auto kDrainTime = 5s;

http::ServerOptions server_options(const config::Config& config) {
  http::ServerOptions options;
  options.listen = config.http_listen;
  options.threads = config.http_threads != 0 ? config.http_threads
                                             : std::max(1U, std::thread::hardware_concurrency());
  options.max_connections = fit_connections(config.http_max_connections);
  options.header_timeout = config.http_header_timeout;
  options.body_timeout = config.http_body_timeout;
  options.idle_timeout = config.http_idle_timeout;
  options.cors_origins = config.http_cors_origins;
  return options;
}

}  // namespace

class HttpFront::Observer : public http::ServerObserver {
 public:
  explicit Observer(obs::Metrics& metrics) : metrics_(metrics) {}
  void on_reply(std::string_view pattern, int status, std::chrono::nanoseconds took) override {
    metrics_.http_request(pattern, status, took);
  }
  void on_connections(std::size_t open) override { metrics_.open_connections(open); }

 private:
  obs::Metrics& metrics_;
};

HttpFront::HttpFront(const config::Config& config, const http::Router& router,
                     obs::Metrics& metrics)
    : observer_(std::make_unique<Observer>(metrics)),
      server_(server_options(config), router, observer_.get()) {}

HttpFront::~HttpFront() = default;

void HttpFront::stop() { server_.stop(kDrainTime); }

}  // namespace feeds::node
