#include "common/read_api/list_reply.h"

#include <fmt/format.h>

#include "common/base/limits.h"
#include "common/json/text.h"

namespace feeds::read_api {
namespace {

class ArraySource : public http::BodySource {
 public:
  explicit ArraySource(std::unique_ptr<ItemCursor> items) : items_(std::move(items)) {}

  Result<bool> next(std::string& out) override {
    if (!begun_) out += '[';
    const std::size_t full = out.size() + limits::kStreamChunkBytes;
    while (out.size() < full) {
      const std::size_t before = out.size();
      if (any_) out += ',';
      const auto more = items_->next(out);
      if (!more) return more.error();
      if (!*more) {
        out.resize(before);
        out += ']';
        return false;
      }
      any_ = true;
    }
    begun_ = true;
    return true;
  }
  bool retired() const override { return items_->view().retired(); }

 private:
  std::unique_ptr<ItemCursor> items_;
  bool begun_ = false;
  bool any_ = false;
};

// Appends a page, comma-separated. Returns the `after` to go on with, nullopt if nothing follows.
Result<std::optional<std::string>> append_page(ItemCursor& items, std::uint64_t limit,
                                               std::string& out) {
  const std::size_t end_of_page = out.size() + limits::kPageBytes;
  std::string item;
  std::string after;
  for (std::uint64_t count = 0;; ++count) {
    item.clear();
    const auto more = items.next(item);
    if (!more) return more.error();
    if (!*more) return std::optional<std::string>();
    if (count == limit || (count > 0 && out.size() + item.size() > end_of_page)) {
      return std::optional(after);
    }
    if (count > 0) out += ',';
    out += item;
    after = items.after();
  }
}

}  // namespace

Status send_list(http::Exchange& exchange, std::unique_ptr<ItemCursor> items,
                 std::optional<std::uint64_t> limit, std::string_view path) {
  if (!limit) {
    exchange.send_stream(std::make_unique<ArraySource>(std::move(items)));
    return done();
  }
  auto& reply = exchange.reply();
  reply.body += '[';
  const auto after = append_page(*items, *limit, reply.body);
  if (!after) return after.error();
  if (*after) {
    reply.link = fmt::format("<{}?limit={}&after={}>; rel=\"next\"", path, *limit, **after);
  }
  reply.body += ']';
  exchange.send();
  return done();
}

Status send_page(http::Exchange& exchange, std::unique_ptr<ItemCursor> items, std::uint64_t limit,
                 std::string_view name) {
  auto& body = exchange.reply().body;
  body.append("{\"").append(name).append("\":[");
  const auto after = append_page(*items, limit, body);
  if (!after) return after.error();
  body += "],\"next\":";
  if (*after) {
    json::append_string(body, **after);
  } else {
    body += "null";
  }
  body += '}';
  exchange.send();
  return done();
}

}  // namespace feeds::read_api
