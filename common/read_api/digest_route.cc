#include <fmt/format.h>

#include <boost/json.hpp>

#include "common/base/limits.h"
#include "common/feeds/invariants.h"
#include "common/http/server.h"
#include "common/read_api/node_routes.h"
#include "common/read_api/parameters.h"

namespace feeds::read_api {
namespace {

namespace bj = boost::json;
using namespace std::chrono_literals;

constexpr auto kPositionWait = 1000ms;
constexpr std::uint64_t kAllRows = std::uint64_t(-1);

struct DigestRequest {
  std::optional<Position> position;
  std::optional<keys::Space> space;
  std::string from;  // key bytes
  std::uint64_t limit = kAllRows;
  bool check = false;
};

std::string to_hex(std::string_view bytes) {
  std::string hex;
  for (const char c : bytes) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return hex;
}

std::optional<std::string> from_hex(std::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    unsigned int byte = 0;
    const auto* end = hex.data() + i + 2;
    const auto parsed = std::from_chars(hex.data() + i, end, byte, 16);
    if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

Result<DigestRequest> parse(const http::Request& request) {
  DigestRequest wanted;
  const auto position = request.query_value("position");
  if (!position) return position.error();
  if (*position) {
    wanted.position = parse_position(**position);
    if (!wanted.position) {
      return Error{Code::kBadParameter,
                   "position must be <epoch>-<sequence>, as in Feeds-Position"};
    }
  }
  const auto space = request.query_value("space");
  if (!space) return space.error();
  if (*space) {
    wanted.space = keys::space_named(**space);
    if (!wanted.space) return Error{Code::kBadParameter, "space must be one of those listed"};
  }
  const auto from = request.query_value("from");
  if (!from) return from.error();
  if (*from) {
    const auto key = from_hex(**from);
    if (!key) return Error{Code::kBadParameter, "from must be a key in hexadecimal"};
    wanted.from = *key;
  }
  const auto limit = query_id(request, "limit");
  if (!limit) return limit.error();
  if (*limit && **limit == 0) return Error{Code::kBadParameter, "limit must be at least 1"};
  wanted.limit = limit->value_or(kAllRows);
  const auto check = request.query_value("check");
  if (!check) return check.error();
  if (*check && **check != "0" && **check != "1") {
    return Error{Code::kBadParameter, "check must be 0 or 1"};
  }
  wanted.check = *check == "1";
  if (wanted.check && wanted.space) {
    return Error{Code::kBadParameter, "check walks all spaces: it cannot be asked of one"};
  }
  return wanted;
}

Result<std::string> all_spaces(DigestPin& pin) {
  if (pin.spaces_json) return *pin.spaces_json;
  bj::object spaces;
  for (const auto& info : keys::spaces()) {
    const auto rows = digest_rows(pin.view, info.space, "", kAllRows);
    if (!rows) return rows.error();
    spaces[info.name] = {{"rows", rows->rows}, {"digest", to_hex(rows->digest)}};
  }
  bj::object reply;
  reply["position"] = to_string(pin.position);
  reply["spaces"] = std::move(spaces);
  pin.spaces_json = bj::serialize(reply);
  return *pin.spaces_json;
}

// all_spaces() with the invariants that do not hold.
Result<std::string> checked_spaces(DigestPin& pin) {
  if (!pin.violations) {
    auto walked = find_violations(pin.view, limits::kViolations);
    if (!walked) return walked.error();
    pin.violations = std::move(walked->found);
  }
  auto spaces = all_spaces(pin);
  if (!spaces) return spaces.error();
  const bj::array violations(pin.violations->begin(), pin.violations->end());
  spaces->back() = ',';
  return *spaces + "\"violations\":" + bj::serialize(violations) + "}";
}

Result<std::string> one_space(DigestPin& pin, const DigestRequest& wanted) {
  const auto rows = digest_rows(pin.view, *wanted.space, wanted.from, wanted.limit);
  if (!rows) return rows.error();
  bj::object reply;
  reply["position"] = to_string(pin.position);
  for (const auto& info : keys::spaces()) {
    if (info.space == *wanted.space) reply["space"] = info.name;
  }
  reply["rows"] = rows->rows;
  reply["digest"] = to_hex(rows->digest);
  reply["first"] =
      rows->rows > 0 ? bj::value(keys::print_key(rows->first_key)) : bj::value(nullptr);
  reply["last"] = rows->rows > 0 ? bj::value(keys::print_key(rows->last_key)) : bj::value(nullptr);
  reply["next"] = rows->next_key ? bj::value(to_hex(*rows->next_key)) : bj::value(nullptr);
  return bj::serialize(reply);
}

// Computes on the digest thread and answers on the exchange's own.
void compute(const NodeContext& context, const http::ExchangePtr& exchange,
             const DigestRequest& wanted, const DigestPinPtr& pin) {
  auto& io_thread = exchange->io_thread();
  io_thread.after(
      std::chrono::duration_cast<std::chrono::milliseconds>(limits::kDigestPinTime) + 1ms,
      [&context] { context.pins.drop_expired(); });
  const bool posted = context.digest_thread.post([exchange, wanted, pin, &io_thread] {
    Result<std::string> body = [&]() -> Result<std::string> {
      std::lock_guard lock(pin->mutex);
      if (wanted.check) return checked_spaces(*pin);
      return wanted.space ? one_space(*pin, wanted) : all_spaces(*pin);
    }();
    io_thread.post([exchange, pin, body = std::move(body)] {
      exchange->reply().position = pin->position;
      if (!body) return exchange->send_error(body.error());
      exchange->reply().body = *body;
      exchange->send();
    });
  });
  if (!posted) exchange->send_error({Code::kOverloaded, "too many digests are being computed"});
}

// A request that waits for its position; whichever of commit and timer comes first ends it.
struct WaitingDigest {
  http::ExchangePtr exchange;
  DigestRequest wanted;
  std::uint64_t token = 0;
  std::uint64_t timer = 0;
};

void wait_for_pin(const NodeContext& context, const http::ExchangePtr& exchange,
                  const DigestRequest& wanted, const store::DatabasePtr& database) {
  auto& io_thread = exchange->io_thread();
  auto waiting = std::make_shared<WaitingDigest>(WaitingDigest{exchange, wanted});
  const auto ready = [&context, &io_thread, waiting](DigestPinPtr pin) {
    io_thread.post([&context, &io_thread, waiting, pin] {
      const auto held = std::exchange(waiting->exchange, nullptr);
      if (held == nullptr) return;
      io_thread.cancel(waiting->timer);
      if (pin != nullptr) return compute(context, held, waiting->wanted, pin);
      held->send_error({Code::kOverloaded, "too many positions are pinned"});
    });
  };
  const auto pin = context.pins.pin_at(database, *wanted.position, ready, waiting->token);
  if (!pin) {
    exchange->reply().position = database->head().position;
    return exchange->send_error(pin.error());
  }
  if (*pin != nullptr) return compute(context, exchange, wanted, *pin);
  waiting->timer = io_thread.after(kPositionWait, [&context, waiting] {
    const auto held = std::exchange(waiting->exchange, nullptr);
    if (held == nullptr) return;
    context.pins.forget(waiting->token);
    held->send_error({Code::kPositionNotReached, "the position was not reached within a second"});
  });
}

void get_digest(const NodeContext& context, const http::ExchangePtr& exchange) {
  const auto wanted = parse(exchange->request());
  if (!wanted) return exchange->send_error(wanted.error());
  const auto database = context.read.store.acquire();
  if (!database) return exchange->send_error(database.error());
  if (wanted->position) return wait_for_pin(context, exchange, *wanted, *database);
  const auto pin = context.pins.pin_now(*database);
  if (!pin) return exchange->send_error(pin.error());
  compute(context, exchange, *wanted, *pin);
}

}  // namespace

void mount_digest_route(http::Router& router, const NodeContext& context) {
  router.add({.method = http::Method::kGet,
              .pattern = "/v1/digest",
              .handler = [&context](const auto& exchange) { get_digest(context, exchange); }});
}

}  // namespace feeds::read_api
