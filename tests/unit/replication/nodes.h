#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "common/base/sequence_gate.h"
#include "common/obs/metrics.h"
#include "common/store/data_directory.h"
#include "common/store/store.h"
#include "common/store/writer.h"
#include "primary/replication/source.h"
#include "replica/replication/link.h"
#include "tests/support/address.h"
#include "tests/support/eventually.h"

namespace feeds::tests {

using namespace std::chrono_literals;
using test::eventually;

// A directory that is gone when this is.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// The value of a metric's series as exposed, 0 if it is absent. `series` as in `name{label="x"}`.
double metric(const obs::Metrics& metrics, const std::string& series);

// How many snapshots a replica had to take, of one reason or of any.
double resyncs(const obs::Metrics& metrics, const std::string& reason);
double resyncs(const obs::Metrics& metrics);

// Every key and value of a store.
std::string contents(const store::Store& store);

// The part of a primary that replication needs: a store with its writer, the gate, and a source.
class PrimaryNode {
 public:
  explicit PrimaryNode(std::string cluster_id = "c1");
  ~PrimaryNode();

  void start(std::uint64_t retain_wal = std::uint64_t{1} << 30);  // on the same port each time
  void stop();
  std::string address() const { return source_->address(); }
  replication::Source& source() { return *source_; }

  // Commits `count` batches of one row each, of `bytes` bytes, and announces them.
  void commit(int count, std::size_t bytes = 100);
  // A commit that the source is told of, and whose write then fails, as on a full disk. Next is reopen().
  void commit_in_vain();
  // Writes memtable and log file to their places, so that the log is archived.
  void flush();
  // The log file that was archived last.
  std::filesystem::path newest_archived_log() const;
  // Closes the store, lets `change` do what it will to the database's directory, opens it again.
  void reopen(const std::function<void(const std::filesystem::path&)>& change = {});
  store::PositionRecord head() const;

  const std::filesystem::path& path() const { return dir_.path(); }

 private:
  TempDir dir_;  // first: the store is in it

 public:
  store::Store store;
  SequenceGate durable;
  obs::Metrics metrics;

  std::chrono::milliseconds heartbeat{50};
  std::chrono::milliseconds peer_timeout{2'000};
  // Whether the source is told of commits before they are written, as by a committer.
  bool tells = true;
  // Runs between the two.
  std::function<void()> before_write;

 private:
  void open();
  store::Writer::Before tell(std::function<void()> then);

  std::string cluster_id_;
  std::string listen_ = test::own_loopback() + ":0";
  std::unique_ptr<store::Writer> writer_;
  std::unique_ptr<replication::Source> source_;
  std::uint64_t rows_ = 0;
};

class ReplicaNode {
 public:
  ReplicaNode();
  ~ReplicaNode();

  void start(const std::string& primary);
  // As at the end of a process: the store is closed too.
  void stop();
  replication::Link& link() { return *link_; }
  obs::LinkStatus status() const { return link_->status(); }
  // Zero while there is no data. Also when stopped.
  store::PositionRecord head() const;
  bool level_with(const PrimaryNode& primary) const { return head() == primary.head(); }

  const std::filesystem::path& path() const { return dir_.path(); }
  std::string node_id = "r1";
  std::unique_ptr<store::DataDirectory> directory;
  std::unique_ptr<store::Store> store;
  SequenceGate applied;
  obs::Metrics metrics;
  std::uint64_t retain_wal = std::uint64_t{1} << 30;
  replication::Link::OnApplied on_applied;

  std::chrono::milliseconds heartbeat{50};
  std::chrono::milliseconds peer_timeout{2'000};

 private:
  TempDir dir_;
  std::unique_ptr<replication::Link> link_;
  store::PositionRecord last_head_;
};

}  // namespace feeds::tests
