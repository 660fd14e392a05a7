#include "common/read_api/list_reply.h"

#include <fmt/format.h>

#include "common/base/limits.h"

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

}  // namespace

Status send_list(http::Exchange& exchange, std::unique_ptr<ItemCursor> items,
                 std::optional<std::uint64_t> limit, std::string_view path) {
  if (!limit) {
    exchange.send_stream(std::make_unique<ArraySource>(std::move(items)));
    return done();
  }
  auto& reply = exchange.reply();
  const std::size_t end_of_page = limits::kPageBytes;
  std::string item;
  std::string after;
  reply.body += '[';
  for (std::uint64_t count = 0;; ++count) {
    item.clear();
    const auto more = items->next(item);
    if (!more) return more.error();
    if (!*more) break;
    if (count == *limit || (count > 0 && reply.body.size() + item.size() > end_of_page)) {
      reply.link = fmt::format("<{}?limit={}&after={}>; rel=\"next\"", path, *limit, after);
      break;
    }
    if (count > 0) reply.body += ',';
    reply.body += item;
    after = items->after();
  }
  reply.body += ']';
  exchange.send();
  return done();
}

}  // namespace feeds::read_api
