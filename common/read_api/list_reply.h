#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "common/feeds/page.h"
#include "common/http/exchange.h"
#include "common/read_api/parameters.h"
#include "common/read_api/read_context.h"

namespace feeds::read_api {

// Sends a JSON array of what `items` gives: all of it, streamed, or, with `limit`, a page with a
// Link to the next one: `</v1/feeds?limit=2&after=10001>; rel="next"`, absent when nothing follows.
Status send_list(http::Exchange& exchange, std::unique_ptr<ItemCursor> items,
                 std::optional<std::uint64_t> limit, std::string_view path);

// Sends `{"<name>":[…],"next":…}`, a page of what `items` gives; `next` is the `after` to go on
// with.
Status send_page(http::Exchange& exchange, std::unique_ptr<ItemCursor> items, std::uint64_t limit,
                 std::string_view name);

// Serves such a list from a view: `list(view, after)`, with the request's `limit`. `after` is what
// the request says, already parsed; an error of `limit` goes before one of `after`.
template <class After, class List>
void serve_list(const ReadContext& context, const http::ExchangePtr& exchange,
                const Result<std::optional<After>>& after, std::string_view path, List list) {
  const auto limit = query_limit(exchange->request());
  if (!limit) return exchange->send_error(limit.error());
  if (!after) return exchange->send_error(after.error());
  serve_read(
      context, exchange,
      [limit = *limit, after = *after, path, list](store::View view, http::Exchange& reply_to) {
        return send_list(reply_to, list(std::move(view), after), limit, path);
      },
      list_purpose(limit->has_value()));
}

}  // namespace feeds::read_api
