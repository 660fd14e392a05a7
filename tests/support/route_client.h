#pragma once

#include <boost/json.hpp>
#include <cstdlib>
#include <string>

#include "common/http/router.h"

namespace feeds::test {

// Asks the handlers of a router, without a server. For handlers that answer before they return.
class RouteClient {
 public:
  explicit RouteClient(const http::Router& router) : router_(router) {}

  struct Answer {
    int status = 0;
    std::string body;
    boost::json::value json;  // of the body, null if it is none
    std::optional<Position> position;

    std::string code() const { return std::string(json.at("code").as_string()); }
    // `ids("activities")`: "10003 10001".
    std::string ids(std::string_view name) const {
      std::string text;
      for (const auto& item : json.at(name).as_array()) {
        if (!text.empty()) text += ' ';
        text += item.at("id").as_string();
      }
      return text;
    }
    // `next`, empty for null.
    std::string next() const {
      return json.at("next").is_null() ? "" : std::string(json.at("next").as_string());
    }
  };

  Answer get(const std::string& target) {
    const auto exchange = std::make_shared<Exchange>();
    auto& request = exchange->asked;
    request.method = http::Method::kGet;
    const auto mark = target.find('?');
    request.path = std::string_view(target).substr(0, mark);
    if (mark != std::string::npos) request.query = std::string_view(target).substr(mark + 1);
    const auto match = router_.match(request);
    if (match.route == nullptr) {
      exchange->send_error({match.error, match.detail});
    } else {
      match.route->handler(exchange);
    }
    if (!exchange->sent) std::abort();
    Answer answer{exchange->told.status, exchange->told.body, nullptr, exchange->told.position};
    boost::system::error_code error;
    boost::json::parse_options deep;
    deep.max_depth = 128;
    answer.json = boost::json::parse(answer.body, error, {}, deep);
    return answer;
  }

 private:
  struct Exchange : http::Exchange {
    const http::Request& request() const override { return asked; }
    http::Reply& reply() override { return told; }
    void send() override { sent = true; }
    void send_stream(std::unique_ptr<http::BodySource> source) override {
      for (bool more = true; more;) {
        const auto next = source->next(told.body);
        more = next && *next;
      }
      sent = true;
    }
    http::IoThread& io_thread() override { std::abort(); }

    http::Request asked;
    http::Reply told;
    bool sent = false;
  };

  const http::Router& router_;
};

}  // namespace feeds::test
