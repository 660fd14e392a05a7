#pragma once

#include <functional>
#include <memory>

#include "common/base/sequence_gate.h"
#include "common/feeds/pending_deletion.h"
#include "common/http/exchange.h"
#include "common/store/store.h"

namespace feeds::read_api {

// What the read routes of a node work with. Outlives the server. Thread-safe.
struct ReadContext {
  store::Store& store;
  SequenceGate& gate;  // a primary's durable position, a replica's applied one
  bool replica = false;
};

// A read of the store, of any length: fills exchange.reply() from the view and sends it, or returns what is wrong.
using Read = std::function<Status(store::View view, http::Exchange& exchange)>;

// Runs `read` on a view that is at or past the request's Feeds-Min-Position, with the view's
// position on the reply, errors included. A replica that is behind waits for it without a thread,
// up to Feeds-Wait-Ms, then answers kReplicaBehind; a primary that never had it answers
// kPositionLost. Errors: kBadHeader, kReopening, kReplicaBehind, kPositionLost, kOverloaded (too
// many waiting reads).
void serve_read(const ReadContext& context, const http::ExchangePtr& exchange, Read read,
                store::View::Purpose purpose = store::View::Purpose::kPages);

// The purpose of a list: all of it, or a page.
inline store::View::Purpose list_purpose(bool paged) {
  return paged ? store::View::Purpose::kPages : store::View::Purpose::kScan;
}

// The same of a read that appends the reply's body and takes microseconds. It may be run twice, on
// View::passing() first.
using PageRead = std::function<Status(store::View& view, std::string& body)>;
void serve_page(const ReadContext& context, const http::ExchangePtr& exchange, PageRead read);

// The same, given the deletions under way in its snapshot.
using BodyRead =
    std::function<Status(store::View& view, const PendingDeletions& pending, std::string& body)>;
void serve_body(const ReadContext& context, const http::ExchangePtr& exchange, BodyRead read);

}  // namespace feeds::read_api
