#include "common/read_api/read_context.h"

#include "common/base/limits.h"
#include "common/http/server.h"

namespace feeds::read_api {
namespace {

using std::chrono::milliseconds;

Result<std::optional<Position>> wanted_position(const http::Request& request) {
  if (!request.min_position) return std::optional<Position>();
  const auto position = parse_position(*request.min_position);
  if (!position) {
    return Error{Code::kBadHeader,
                 "Feeds-Min-Position must be <epoch>-<sequence>, as in Feeds-Position"};
  }
  return position;
}

Result<milliseconds> longest_wait(const http::Request& request) {
  if (!request.wait_ms) return milliseconds(limits::kDefaultWait);
  const auto wait = parse_decimal(*request.wait_ms);
  if (!wait || milliseconds(*wait) > limits::kMaxWait) {
    return Error{Code::kBadHeader, "Feeds-Wait-Ms must be 0…30000"};
  }
  return milliseconds(*wait);
}

// Why data at `wanted` is not here, when the newest is at `here`.
Error behind(const ReadContext& context, Position wanted, Position here) {
  if (context.replica) {
    return Error{Code::kReplicaBehind,
                 "this replica is at " + to_string(here) + ", behind " + to_string(wanted)};
  }
  return Error{Code::kPositionLost, "position " + to_string(wanted) +
                                        " is not in this primary's history, which ends at " +
                                        to_string(here)};
}

// Fills the exchange's reply from a database and sends it, or returns what is wrong.
using Answer = std::function<Status(store::DatabasePtr database, http::Exchange& exchange)>;

void answer_from(store::DatabasePtr database, const http::ExchangePtr& exchange,
                 const Answer& answer) {
  if (const auto status = answer(std::move(database), *exchange); !status) {
    exchange->send_error(status.error());
  }
}

// A read that waits for a position; whichever of gate and timer comes first ends it.
class WaitingRead : public std::enable_shared_from_this<WaitingRead> {
 public:
  WaitingRead(const ReadContext& context, http::ExchangePtr exchange, Answer answer,
              Position wanted)
      : context_(context),
        exchange_(std::move(exchange)),
        io_thread_(exchange_->io_thread()),
        answer_(std::move(answer)),
        wanted_(wanted) {}

  void start(milliseconds wait) {
    timer_ = io_thread_.after(wait, [self = shared_from_this()] { self->finish(); });
    token_ = context_.gate.wait(wanted_, [self = shared_from_this()] {
      self->io_thread_.post([self] {
        self->io_thread_.cancel(self->timer_);
        self->finish();
      });
    });
  }

 private:
  // On the io thread.
  void finish() {
    if (exchange_ == nullptr) return;
    context_.gate.cancel(token_);
    const auto exchange = std::move(exchange_);
    exchange_ = nullptr;
    auto database = context_.store.acquire();
    if (!database) return exchange->send_error(database.error());
    const auto here = (*database)->head().position;
    exchange->reply().position = here;
    if (here < wanted_) return exchange->send_error(behind(context_, wanted_, here));
    // Many may wait for the same commit.
    if (io_thread_.crowded()) {
      return exchange->send_error({Code::kOverloaded, "too much is being sent and received"});
    }
    answer_from(std::move(*database), exchange, answer_);
  }

  const ReadContext& context_;
  http::ExchangePtr exchange_;
  http::IoThread& io_thread_;
  Answer answer_;
  Position wanted_;
  std::uint64_t timer_ = 0;
  SequenceGate::Token token_ = 0;
};

void serve(const ReadContext& context, const http::ExchangePtr& exchange, Answer answer) {
  const auto wanted = wanted_position(exchange->request());
  if (!wanted) return exchange->send_error(wanted.error());
  const auto wait = longest_wait(exchange->request());
  if (!wait) return exchange->send_error(wait.error());

  auto database = context.store.acquire();
  if (!*wanted) {
    if (!database) return exchange->send_error(database.error());
    return answer_from(std::move(*database), exchange, answer);
  }
  if (database) {
    auto here = (*database)->head().position;
    // What was read a moment ago may not be published yet.
    if (here < **wanted) here = store::View(*database).position();
    if (**wanted <= here) return answer_from(std::move(*database), exchange, answer);
    exchange->reply().position = here;
    if (!context.replica || wait->count() == 0) {
      return exchange->send_error(behind(context, **wanted, here));
    }
  } else if (!context.replica || wait->count() == 0) {
    return exchange->send_error(database.error());
  }
  if (context.gate.waiting() >= limits::kWaitingReads) {
    return exchange->send_error({Code::kOverloaded, "too many reads wait for a position"});
  }
  std::make_shared<WaitingRead>(context, exchange, std::move(answer), **wanted)->start(*wait);
}

Status read_page(store::View& view, const PageRead& read, http::Exchange& exchange) {
  auto& reply = exchange.reply();
  reply.position = view.position();
  auto status = read(view, reply.body);
  // A read error looks like a row that is absent, so it is asked for first.
  if (auto readable = view.status(); !readable) return readable;
  if (status) exchange.send();
  return status;
}

}  // namespace

void serve_read(const ReadContext& context, const http::ExchangePtr& exchange, Read read,
                store::View::Purpose purpose) {
  serve(context, exchange,
        [read = std::move(read), purpose](store::DatabasePtr database, auto& reply_to) {
          store::View view(std::move(database), purpose);
          reply_to.reply().position = view.position();
          return read(std::move(view), reply_to);
        });
}

void serve_page(const ReadContext& context, const http::ExchangePtr& exchange, PageRead read) {
  serve(context, exchange, [read = std::move(read)](store::DatabasePtr database, auto& reply_to) {
    auto passing = store::View::passing(database);
    auto status = read_page(passing, read, reply_to);
    if (!passing.stale()) return status;
    reply_to.reply().body.clear();
    store::View view(std::move(database));
    return read_page(view, read, reply_to);
  });
}

void serve_body(const ReadContext& context, const http::ExchangePtr& exchange, BodyRead read) {
  serve_page(context, exchange,
             [read = std::move(read)](store::View& view, std::string& body) -> Status {
               if (view.pending_known_empty()) return read(view, PendingDeletions(), body);
               store::ViewReader reader(view);
               const auto pending = PendingDeletions::load(reader);
               if (!pending) return pending.error();
               if (pending->empty()) view.pending_seen_empty();
               return read(view, *pending, body);
             });
}

}  // namespace feeds::read_api
