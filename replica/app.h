#pragma once

#include <memory>
#include <optional>
#include <string>

#include "common/config/config.h"
#include "common/node/node.h"
#include "replica/replication/link.h"

namespace feeds::replica {

// A replica, whole: a node, and the link that keeps its store level with the primary's. It has no way to
// write of its own. Start, then stop; one thread's.
class App {
 public:
  // Error: the data directory, the database or an address cannot be used.
  static Result<std::unique_ptr<App>> start(const config::Config& config);
  ~App();

  // Drains HTTP, then ends the link, then closes the store.
  void stop();

 private:
  App(const config::Config& config, std::unique_ptr<store::DataDirectory> data);
  Status open();
  read_api::NodeStatus status() const;
  std::optional<std::string> not_ready() const;
  void register_gauges();

  const config::Config config_;
  node::Node node_;
  std::optional<replication::Link> link_;  // made once HTTP is bound: it tells that address
  bool stopped_ = false;
};

}  // namespace feeds::replica
