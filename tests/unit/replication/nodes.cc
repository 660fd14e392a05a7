#include "tests/unit/replication/nodes.h"

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <thread>

#include "common/keys/keyspace.h"
#include "common/store/view.h"

namespace feeds::tests {

namespace fs = std::filesystem;

namespace {

// So that a snapshot is as large as what was put in.
std::string incompressible(std::size_t bytes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string text(bytes, '\0');
  for (auto& byte : text) byte = static_cast<char>(random());
  return text;
}

}  // namespace

TempDir::TempDir() {
  const char* base = std::getenv("TMPDIR");
  auto name = std::string(base != nullptr ? base : "/tmp") + "/feeds-replication-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) std::abort();
  path_ = name;
}

TempDir::~TempDir() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

double metric(const obs::Metrics& metrics, const std::string& series) {
  const auto text = '\n' + metrics.render();
  const auto at = text.find('\n' + series + ' ');
  return at == std::string::npos ? 0 : std::stod(text.substr(at + series.size() + 2));
}

double resyncs(const obs::Metrics& metrics, const std::string& reason) {
  return metric(metrics, "feeds_resync_total{reason=\"" + reason + "\"}");
}

double resyncs(const obs::Metrics& metrics) {
  double sum = 0;
  for (const char* reason : {"empty", "wal_purged", "wal_unreadable", "diverged", "requested"}) {
    sum += resyncs(metrics, reason);
  }
  return sum;
}

std::string contents(const store::Store& store) {
  auto database = store.acquire();
  if (!database) return "";
  store::View view(*database);
  std::string all;
  view.scan(std::string_view("\0", 1), "\xff", [&](std::string_view key, std::string_view value) {
    all.append(key).append("=>").append(value).append("\n");
    return true;
  });
  return all;
}

PrimaryNode::PrimaryNode(std::string cluster_id)
    : store(dir_.path()), cluster_id_(std::move(cluster_id)) {
  open();
}

PrimaryNode::~PrimaryNode() {
  stop();
  writer_.reset();
}

void PrimaryNode::open() {
  const auto opened = store.open(true);
  ASSERT_TRUE(opened.ok()) << opened.error().detail;
  writer_ = std::make_unique<store::Writer>(*store.acquire());
  durable.reset(head().position);
}

void PrimaryNode::start(std::uint64_t retain_wal) {
  replication::Source::Options options;
  options.listen = listen_;
  options.advertise = "127.0.0.1:8080";
  options.cluster_id = cluster_id_;
  options.node_id = "p1";
  options.heartbeat = heartbeat;
  options.peer_timeout = peer_timeout;
  options.retain_wal = retain_wal;
  source_ = std::make_unique<replication::Source>(options, store, durable, metrics);
  const auto started = source_->start();
  ASSERT_TRUE(started.ok()) << started.error().detail;
  listen_ = source_->address();
}

void PrimaryNode::stop() {
  source_.reset();
}

void PrimaryNode::commit(int count, std::size_t bytes) {
  for (int i = 0; i < count; ++i) {
    store::Batch batch;
    ++rows_;
    batch.put(keys::feed_key(FeedId{rows_}), incompressible(bytes, rows_));
    const auto done =
        writer_->commit(batch, static_cast<std::int64_t>(rows_), tell(before_write));
    ASSERT_TRUE(done.ok()) << done.error().detail;
    durable.publish(done->position);
  }
}

store::Writer::Before PrimaryNode::tell(std::function<void()> then) {
  return [this, then = std::move(then)](const store::SealedBatch& sealed) {
    if (source_ != nullptr && tells) source_->writing(sealed);
    if (then) then();
  };
}

void PrimaryNode::commit_in_vain() {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  store::Batch batch;
  batch.put(keys::feed_key(FeedId{rows_ + 1}), "never");
  const auto done = writer_->commit(batch, 0, tell([&] {
    if (before_write) before_write();
    rlimit none = before;
    none.rlim_cur = 1;
    setrlimit(RLIMIT_FSIZE, &none);
  }));
  setrlimit(RLIMIT_FSIZE, &before);
  ASSERT_FALSE(done.ok());
}

void PrimaryNode::flush() {
  ASSERT_TRUE((*store.acquire())->rocks().Flush(rocksdb::FlushOptions()).ok());
}

fs::path PrimaryNode::newest_archived_log() const {
  fs::path newest;
  std::error_code ignored;
  const auto archive = (*store.acquire())->directory() / "archive";
  for (const auto& entry : fs::directory_iterator(archive, ignored)) {
    newest = std::max(newest, entry.path());
  }
  return newest;
}

void PrimaryNode::reopen(const std::function<void(const fs::path&)>& change) {
  const auto directory = (*store.acquire())->directory();
  writer_.reset();
  store.close();
  if (change) change(directory);
  open();
}

store::PositionRecord PrimaryNode::head() const {
  return (*store.acquire())->head();
}

ReplicaNode::ReplicaNode() = default;
ReplicaNode::~ReplicaNode() {
  stop();
}

void ReplicaNode::start(const std::string& primary) {
  auto opened = store::DataDirectory::open(dir_.path(), "replica");
  ASSERT_TRUE(opened.ok()) << opened.error().detail;
  directory = std::move(*opened);
  store = std::make_unique<store::Store>(directory->path());
  const auto status = store->open(false);
  ASSERT_TRUE(status.ok()) << status.error().detail;
  replication::Link::Options options;
  options.primary = primary;
  options.advertise = "127.0.0.1:8081";
  options.node_id = node_id;
  options.heartbeat = heartbeat;
  options.peer_timeout = peer_timeout;
  options.retain_wal = retain_wal;
  link_ = std::make_unique<replication::Link>(options, *directory, *store, applied, metrics);
  if (on_applied) link_->on_applied(on_applied);
  link_->start();
}

void ReplicaNode::stop() {
  if (link_ == nullptr) return;
  link_->stop();
  link_.reset();
  last_head_ = head();
  store->close();
  store.reset();
  directory.reset();
}

store::PositionRecord ReplicaNode::head() const {
  if (store == nullptr) return last_head_;
  auto database = store->acquire();
  return database ? (*database)->head() : store::PositionRecord{};
}

}  // namespace feeds::tests
