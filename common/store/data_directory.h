#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "common/base/result.h"

namespace feeds::store {

// What a data directory says of itself (node.json). Format: schema/README.md.
struct NodeIdentity {
  std::string role;  // "primary" or "replica"
  std::string node_id;
  std::string cluster_id;  // empty: a replica that was never accepted
};

// A data directory, locked against every other process while this lives. One thread's.
class DataDirectory {
 public:
  // Creates the directory and its identity at the first start; removes leftovers of interrupted
  // snapshots. Error (kBadParameter): locked by another process, not writable, of the other role
  // (both named), or of an unknown format.
  static Result<std::unique_ptr<DataDirectory>> open(const std::filesystem::path& path,
                                                     const std::string& role);
  ~DataDirectory();

  const std::filesystem::path& path() const { return path_; }
  const NodeIdentity& identity() const { return identity_; }
  // A replica's first accepted hello. Durable when it returns.
  Status set_cluster_id(const std::string& cluster_id);

 private:
  DataDirectory() = default;
  Status save();

  std::filesystem::path path_;
  NodeIdentity identity_;
  int lock_fd_ = -1;
};

}  // namespace feeds::store
