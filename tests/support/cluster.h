#pragma once

#include <boost/json.hpp>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/address.h"
#include "tests/support/eventually.h"
#include "tests/support/http_client.h"
#include "tests/support/process.h"
#include "tests/support/proxy.h"
#include "tests/support/temp_dir.h"

namespace feeds::test {

using tests::Proxy;

// Where the programs of this build are: beside the test's own.
std::string program(const std::string& name);

// Settings by the names of the configuration file, such as {"replication.peer_timeout", "1s"}.
using Settings = std::map<std::string, std::string>;

// A primary or a replica in a process of its own. It keeps its data and, from its first start on,
// its addresses over restarts. One thread's; client() makes one for another thread.
class TestNode {
 public:
  // `source`: the replication address a replica dials; empty makes a primary.
  TestNode(std::filesystem::path home, std::string source, Settings settings = {});

  // Starts and waits until it listens. False, with the reason in the test's output: it did not.
  [[nodiscard]] bool start();
  // SIGKILL.
  void kill() { process_->kill(); }
  // SIGTERM; the exit code, or nullopt after kPatience.
  std::optional<int> stop();
  Process& process() { return *process_; }

  const std::string& http() const { return http_; }
  std::string url() const { return "http://" + http_; }
  const std::string& replication() const { return replication_; }
  const std::filesystem::path& data() const { return data_; }
  // Where the data is from the next start on.
  void set_data(std::filesystem::path data) { data_ = std::move(data); }
  void set_source(std::string source) { source_ = std::move(source); }
  Settings& settings() { return settings_; }
  // Everything since the first start.
  std::filesystem::path log() const { return home_ / "log"; }

  HttpReply get(std::string_view target, const HttpClient::Headers& headers = {}) {
    return http_client_->get(target, headers);
  }
  HttpReply post(std::string_view target, std::string_view body = {},
                 const HttpClient::Headers& headers = {}) {
    return http_client_->post(target, body, headers);
  }
  HttpReply del(std::string_view target) { return http_client_->del(target); }
  std::unique_ptr<HttpClient> client() const { return std::make_unique<HttpClient>(http_); }

  // /v1/cluster; empty if it does not answer.
  boost::json::object cluster();
  // Its member of that name, as text: null is "null", absent or no answer is "".
  std::string status(const std::string& member);
  std::string position() { return status("position"); }
  // In milliseconds; nullopt: unknown.
  std::optional<std::int64_t> lag();
  // The series of that name, labels included, such as feeds_resync_total{reason="empty"}.
  std::optional<double> metric(const std::string& series);
  // All of feeds_resync_total.
  double resyncs();
  // A primary's entry for a replica's node id; empty if there is none.
  boost::json::object peer(const std::string& node_id);

  // Paths below its data directory that start with `prefix`.
  std::vector<std::string> entries(const std::string& prefix) const;

 private:
  std::vector<std::string> command() const;

  std::filesystem::path home_;
  std::filesystem::path data_;
  std::string source_;
  Settings settings_;
  std::string http_ = own_loopback() + ":0";
  std::string replication_ = own_loopback() + ":0";
  std::unique_ptr<Process> process_;
  std::unique_ptr<HttpClient> http_client_;
};

// A primary and replicas below one temporary directory. The output of nodes is shown if a test
// failed.
class TestCluster {
 public:
  // `settings` of every node. Starts the primary; replicas are added.
  explicit TestCluster(Settings settings = {});
  ~TestCluster();

  TestNode& primary() { return *primary_; }
  // Not started yet. Dials the primary itself, or `source`.
  TestNode& add_replica(Settings more = {}, std::string source = {});
  // The same, started.
  TestNode& start_replica(Settings more = {}, std::string source = {});
  TestNode& replica(std::size_t index) { return *replicas_[index]; }
  std::size_t size() const { return replicas_.size(); }
  const std::filesystem::path& path() const { return dir_.path(); }
  const Settings& settings() const { return settings_; }

  // Waits until every replica serves the position of the primary.
  [[nodiscard]] bool level(std::chrono::milliseconds time = kPatience);
  // feedctl verify over all nodes.
  Finished verify();

 private:
  TempDir dir_;
  Settings settings_;
  std::unique_ptr<TestNode> primary_;
  std::vector<std::unique_ptr<TestNode>> replicas_;
};

// The id of a created feed, user, article or activity; 0 if the reply is not a 201.
std::uint64_t created_id(const HttpReply& reply);
std::uint64_t make_feed(TestNode& primary);

// All articles of a feed, by following `next` in pages of 1000: {id, text}. Stops at the first
// reply that is not 200.
std::vector<std::pair<std::uint64_t, std::string>> all_articles(HttpClient& client,
                                                                std::uint64_t feed);

}  // namespace feeds::test
