#include "tests/support/cluster.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>

namespace feeds::test {
namespace {

namespace bj = boost::json;

// {"a.b", "v"} as YAML. A value is written as it is; several of one section share its head.
std::string yaml(const Settings& settings) {
  std::map<std::string, std::string> sections;
  for (const auto& [name, value] : settings) {
    const auto dot = name.find('.');
    sections[name.substr(0, dot)] += "  " + name.substr(dot + 1) + ": " + value + "\n";
  }
  std::string text;
  for (const auto& [section, lines] : sections) text += section + ":\n" + lines;
  return text;
}

bj::object parse_object(const std::string& text) {
  boost::system::error_code error;
  const auto value = bj::parse(text, error);
  return !error && value.is_object() ? value.as_object() : bj::object();
}

}  // namespace

std::string program(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

TestNode::TestNode(std::filesystem::path home, std::string source, Settings settings)
    : home_(std::move(home)),
      data_(home_ / "data"),
      source_(std::move(source)),
      settings_(std::move(settings)) {
  std::filesystem::create_directories(home_);
}

std::vector<std::string> TestNode::command() const {
  const auto config = home_ / "config.yml";
  std::ofstream(config) << yaml(settings_);
  std::vector<std::string> command = {program(source_.empty() ? "feeds-primary" : "feeds-replica"),
                                      "--data", data_.string(), "--http", http_};
  if (source_.empty()) {
    command.insert(command.end(), {"--replication", replication_});
  } else {
    command.insert(command.end(), {"--primary", source_});
  }
  if (!settings_.empty()) command.insert(command.end(), {"--config", config.string()});
  return command;
}

bool TestNode::start() {
  process_ = std::make_unique<Process>(Process::Options{command(), log(), {}});
  const std::string event = source_.empty() ? "primary_started" : "replica_started";
  std::optional<std::map<std::string, std::string>> started;
  eventually([&] { return (started = process_->event(event)).has_value() || !process_->running(); },
             kPatience, std::chrono::milliseconds(2));
  if (!started) {
    ADD_FAILURE() << home_ << " did not start:\n" << process_->output();
    return false;
  }
  http_ = started->at("http");
  if (source_.empty()) replication_ = started->at("replication");
  http_client_ = client();
  return true;
}

std::optional<int> TestNode::stop() {
  process_->signal(SIGTERM);
  return process_->wait(kPatience);
}

bj::object TestNode::cluster() {
  return parse_object(get("/v1/cluster").body);
}

std::string TestNode::status(const std::string& member) {
  const auto all = cluster();
  const auto* value = all.if_contains(member);
  if (value == nullptr) return {};
  return value->is_string() ? std::string(value->as_string()) : bj::serialize(*value);
}

std::optional<std::int64_t> TestNode::lag() {
  const auto text = status("lagMs");
  if (text.empty() || text == "null") return std::nullopt;
  return std::stoll(text);
}

std::optional<double> TestNode::metric(const std::string& series) {
  std::istringstream lines(get("/metrics").body);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(series + " ")) return std::stod(line.substr(series.size() + 1));
  }
  return std::nullopt;
}

double TestNode::resyncs() {
  double total = 0;
  std::istringstream lines(get("/metrics").body);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("feeds_resync_total")) total += std::stod(line.substr(line.rfind(' ')));
  }
  return total;
}

bj::object TestNode::peer(const std::string& node_id) {
  const auto all = cluster();
  const auto* peers = all.if_contains("peers");
  if (peers == nullptr || !peers->is_array()) return {};
  for (const auto& peer : peers->as_array()) {
    if (peer.at("nodeId").as_string() == node_id) return peer.as_object();
  }
  return {};
}

std::vector<std::string> TestNode::entries(const std::string& prefix) const {
  std::vector<std::string> found;
  std::error_code gone;
  for (const auto& entry : std::filesystem::directory_iterator(data_, gone)) {
    const auto name = entry.path().filename().string();
    if (name.starts_with(prefix)) found.push_back(name);
  }
  return found;
}

TestCluster::TestCluster(Settings settings) : settings_(std::move(settings)) {
  primary_ = std::make_unique<TestNode>(dir_.path() / "primary", "", settings_);
  if (!primary_->start()) throw std::runtime_error("the primary did not start");
}

TestCluster::~TestCluster() {
  if (!testing::Test::HasFailure()) return;
  for (const auto& entry : std::filesystem::directory_iterator(dir_.path())) {
    const auto log = entry.path() / "log";
    if (!std::filesystem::exists(log)) continue;
    std::cout << "---- " << log << "\n" << std::ifstream(log).rdbuf() << std::flush;
  }
}

TestNode& TestCluster::add_replica(Settings more, std::string source) {
  more.insert(settings_.begin(), settings_.end());
  if (source.empty()) source = primary_->replication();
  replicas_.push_back(
      std::make_unique<TestNode>(dir_.path() / ("replica" + std::to_string(replicas_.size() + 1)),
                                 std::move(source), std::move(more)));
  return *replicas_.back();
}

TestNode& TestCluster::start_replica(Settings more, std::string source) {
  auto& replica = add_replica(std::move(more), std::move(source));
  if (!replica.start()) throw std::runtime_error("a replica did not start");
  return replica;
}

bool TestCluster::level(std::chrono::milliseconds time) {
  return eventually(
      [&] {
        const auto position = primary_->position();
        return !position.empty() &&
               std::all_of(replicas_.begin(), replicas_.end(),
                           [&](const auto& replica) { return replica->position() == position; });
      },
      time);
}

Finished TestCluster::verify() {
  std::vector<std::string> command = {program("feedctl"), "verify", "--url", primary_->url()};
  for (const auto& replica : replicas_) command.insert(command.end(), {"--url", replica->url()});
  return run_program(command);
}

std::uint64_t created_id(const HttpReply& reply) {
  if (reply.status != 201) return 0;
  const auto object = parse_object(reply.body);
  const auto* id = object.if_contains("id");
  if (id == nullptr) return 0;
  return id->is_string() ? std::stoull(std::string(id->as_string()))
                         : id->to_number<std::uint64_t>();
}

std::uint64_t make_feed(TestNode& primary) {
  return created_id(primary.post("/v1/feeds"));
}

std::vector<std::pair<std::uint64_t, std::string>> all_articles(HttpClient& client,
                                                                std::uint64_t feed) {
  std::vector<std::pair<std::uint64_t, std::string>> all;
  std::string target = "/v1/feeds/" + std::to_string(feed) + "?limit=1000&startId=";
  // The newest page tells where the counter stands; the first id is that of an empty feed's
  // counter.
  std::uint64_t next = 10000;
  for (;;) {
    const auto reply = client.get(target + std::to_string(next));
    if (reply.status != 200) return all;
    const auto page = parse_object(reply.body);
    const auto& articles = page.at("articles").as_array();
    if (articles.empty()) return all;
    for (const auto& article : articles) {
      all.emplace_back(article.at("id").to_number<std::uint64_t>(),
                       std::string(article.at("text").as_string()));
    }
    next = page.at("next").to_number<std::uint64_t>();
  }
}

}  // namespace feeds::test
