#pragma once

#include <functional>
#include <memory>

#include "common/http/message.h"

namespace feeds::http {

class IoThread;

// One request and its reply. Belongs to the io thread of its connection: every member except
// io_thread() is called there only. A handler either answers before it returns, or keeps the
// ExchangePtr and answers later, from the same io thread (IoThread::post brings one there).
// An exchange whose connection died meanwhile is answered into the void: harmless.
// Dropping the last ExchangePtr unanswered is a bug; the session then answers 500 and logs it.
class Exchange {
 public:
  virtual ~Exchange() = default;

  virtual const Request& request() const = 0;
  virtual Reply& reply() = 0;

  // Sends reply() as it stands. Once.
  virtual void send() = 0;
  // Sends reply()'s head (body ignored) and then streams. A HEAD asks the source for nothing.
  virtual void send_stream(std::unique_ptr<BodySource> source) = 0;

  void send_error(const Error& error) {
    reply().set_error(error);
    send();
  }

  virtual IoThread& io_thread() = 0;
};

using ExchangePtr = std::shared_ptr<Exchange>;
using Handler = std::function<void(const ExchangePtr&)>;

}  // namespace feeds::http
