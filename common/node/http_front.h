#pragma once

#include <memory>

#include "common/config/config.h"
#include "common/http/server.h"
#include "common/obs/metrics.h"

namespace feeds::node {

// A node's HTTP server as its configuration wants it, with its metrics. `router` outlives it.
class HttpFront {
 public:
  HttpFront(const config::Config& config, const http::Router& router, obs::Metrics& metrics);
  ~HttpFront();

  Status listen() { return server_.listen(); }
  Status start() { return server_.start(); }
  void stop();
  // As bound.
  std::string address() const { return server_.address(); }

 private:
  class Observer;
  std::unique_ptr<Observer> observer_;
  http::Server server_;
};

}  // namespace feeds::node
