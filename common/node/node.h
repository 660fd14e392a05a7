#pragma once

#include <memory>
#include <optional>
#include <string>

#include "common/base/sequence_gate.h"
#include "common/base/task_thread.h"
#include "common/config/config.h"
#include "common/feeds/digest.h"
#include "common/http/router.h"
#include "common/node/http_front.h"
#include "common/obs/metrics.h"
#include "common/read_api/node_routes.h"
#include "common/read_api/read_context.h"
#include "common/store/data_directory.h"
#include "common/store/store.h"

namespace feeds::node {

// What a primary and a replica have in common: a data directory, the store in it, the position that it
// serves, the read routes on it, and the HTTP server. The App of each role adds the rest and owns this.
class Node {
 public:
  using ReadStatus = std::function<read_api::NodeStatus()>;
  using NotReady = std::function<std::optional<std::string>()>;

  // `status` gives what only the role knows; the node adds who and where it is. Both may be called from
  // any thread once serve() was called.
  Node(const config::Config& config, std::unique_ptr<store::DataDirectory> data, bool replica,
       ReadStatus status, NotReady not_ready);

  // Opens the store, making a database if there is none and `create`, and binds the HTTP address.
  Status open(bool create);
  // Serves HTTP; the routes are complete by then, and the role's status can be asked for.
  Status serve();
  // Ends HTTP: what is in flight is answered, streams are cut.
  void drain();
  // Lets go of the store and closes it, when nobody else holds it any more.
  void close();

  store::DataDirectory& data() { return *data_; }
  const store::NodeIdentity& identity() const { return data_->identity(); }
  store::Store& store() { return store_; }
  const store::Store& store() const { return store_; }
  SequenceGate& gate() { return gate_; }
  const SequenceGate& gate() const { return gate_; }
  obs::Metrics& metrics() { return metrics_; }
  DigestPins& pins() { return pins_; }
  http::Router& router() { return router_; }
  const read_api::ReadContext& read_context() const { return read_context_; }

  // HOST:PORT that others are told.
  std::string advertise() const;
  std::string http_address() const { return http_.address(); }

 private:
  read_api::NodeStatus status() const;

  const config::Config config_;
  std::unique_ptr<store::DataDirectory> data_;
  ReadStatus role_status_;
  obs::Metrics metrics_;
  store::Store store_;
  SequenceGate gate_;
  DigestPins pins_;
  TaskThread digest_thread_;
  read_api::ReadContext read_context_;
  read_api::NodeContext node_context_;
  http::Router router_;
  HttpFront http_;
};

// "serving", "reopening" or "read_only".
std::string state_name(store::StoreState state);

}  // namespace feeds::node
