#pragma once

#include <memory>
#include <optional>
#include <string>

#include "common/feeds/page.h"
#include "common/keys/keyspace.h"

namespace feeds {

// The next id of a counter; where it starts if it was never used.
std::uint64_t counter_value(store::View& view, keys::CounterKind kind);

// A counter's place in the list: `/users`, `/feeds`, `/activities`, `/articles/{feedId}`.
struct CounterName {
  std::optional<keys::CounterKind> kind;
  std::optional<FeedId> feed;
};
std::optional<CounterName> parse_counter_name(std::string_view name);

// All counters as `{"name":"/users","value":10000}`, in that order, articles by feed id.
std::unique_ptr<ItemCursor> list_counters(store::View view, std::optional<CounterName> after);

}  // namespace feeds
