#pragma once

#include <cassert>
#include <memory>
#include <utility>

#include "common/http/session.h"

namespace feeds::http {

// The exchange that a handler holds. One at a time on a session.
class SessionExchange final : public Exchange {
 public:
  explicit SessionExchange(std::shared_ptr<Session> session) : session_(std::move(session)) {}

  ~SessionExchange() override {
    // A closed session's thread may be gone, so it must not be asked.
    if (answered_ || !session_->is_open()) return;
    if (session_->thread().is_current()) {
      session_->on_exchange_dropped();
      return;
    }
    session_->thread().post([weak = std::weak_ptr<Session>(session_)] {
      if (const auto session = weak.lock()) session->on_exchange_dropped();
    });
  }

  SessionExchange(const SessionExchange&) = delete;
  SessionExchange& operator=(const SessionExchange&) = delete;

  const Request& request() const override { return session_->request(); }
  Reply& reply() override { return session_->reply(); }

  void send() override {
    assert(!answered_);
    answered_ = true;
    session_->send();
  }

  void send_stream(std::unique_ptr<BodySource> source) override {
    assert(!answered_);
    answered_ = true;
    session_->send_stream(std::move(source));
  }

  IoThread& io_thread() override { return session_->thread(); }

  bool answered() const { return answered_; }

 private:
  const std::shared_ptr<Session> session_;
  bool answered_ = false;
};

}  // namespace feeds::http
