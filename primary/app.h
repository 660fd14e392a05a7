#pragma once

#include <memory>
#include <string>

#include "common/base/sequence_gate.h"
#include "common/config/config.h"
#include "common/feeds/digest.h"
#include "common/http/router.h"
#include "common/node/http_front.h"
#include "common/obs/metrics.h"
#include "common/read_api/node_routes.h"
#include "common/store/data_directory.h"
#include "common/store/store.h"
#include "primary/commit/committer.h"
#include "primary/replication/source.h"
#include "primary/write_api/write_context.h"

namespace feeds::primary {

// A primary, whole: its members, in order, are its architecture. Start, then stop; one thread's.
class App {
 public:
  // Error: the data directory, the database or an address cannot be used.
  static Result<std::unique_ptr<App>> start(const config::Config& config);
  ~App();

  // Drains HTTP, then replication and the commit path, then closes the store.
  void stop();

  std::string http_address() const { return http_.address(); }
  std::string replication_address() const { return source_->address(); }

 private:
  App(const config::Config& config, std::unique_ptr<store::DataDirectory> data);
  Status open();
  Status start_counters();
  Status start_source();
  read_api::NodeStatus status() const;
  std::optional<std::string> not_ready() const;

  const config::Config config_;
  std::unique_ptr<store::DataDirectory> data_;
  obs::Metrics metrics_;
  store::Store store_;
  SequenceGate durable_;
  DigestPins pins_;
  commit::Committer committer_;
  std::unique_ptr<replication::Source> source_;

  TaskThread digest_thread_;
  read_api::ReadContext read_context_;
  read_api::NodeContext node_context_;
  write_api::CommandQueue command_queue_;
  write_api::WriteContext write_context_;
  http::Router router_;
  node::HttpFront http_;
  bool stopped_ = false;
};

}  // namespace feeds::primary
