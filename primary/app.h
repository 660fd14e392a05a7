#pragma once

#include <memory>
#include <optional>
#include <string>

#include "common/config/config.h"
#include "common/node/node.h"
#include "primary/commit/committer.h"
#include "primary/replication/source.h"
#include "primary/write_api/write_context.h"

namespace feeds::primary {

// A primary, whole: a node, the one commit path, the routes that write through it, and the source that
// replicas follow. Start, then stop; one thread's.
class App {
 public:
  // Error: the data directory, the database or an address cannot be used.
  static Result<std::unique_ptr<App>> start(const config::Config& config);
  ~App();

  // Drains HTTP, then replication and the commit path, then closes the store.
  void stop();

 private:
  App(const config::Config& config, std::unique_ptr<store::DataDirectory> data);
  Status open();
  Status start_counters();
  read_api::NodeStatus status() const;
  std::optional<std::string> not_ready() const;
  void register_gauges();

  const config::Config config_;
  node::Node node_;
  commit::Committer committer_;
  write_api::CommandQueue command_queue_;
  write_api::WriteContext write_context_;
  std::optional<replication::Source> source_;  // made once HTTP is bound: it tells that address
  bool stopped_ = false;
};

}  // namespace feeds::primary
