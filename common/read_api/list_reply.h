#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "common/feeds/page.h"
#include "common/http/exchange.h"

namespace feeds::read_api {

// Sends a JSON array of what `items` gives: all of it, streamed, or, with `limit`, a page with a
// Link to the next one: `</v1/feeds?limit=2&after=10001>; rel="next"`, absent when nothing follows.
Status send_list(http::Exchange& exchange, std::unique_ptr<ItemCursor> items,
                 std::optional<std::uint64_t> limit, std::string_view path);

// Sends `{"<name>":[…],"next":…}`, a page of what `items` gives; `next` is the `after` to go on
// with.
Status send_page(http::Exchange& exchange, std::unique_ptr<ItemCursor> items, std::uint64_t limit,
                 std::string_view name);

}  // namespace feeds::read_api
