#include "primary/app.h"

#include <future>

#include "common/base/log.h"
#include "common/read_api/routes.h"
#include "primary/commands/user.h"
#include "primary/write_api/routes.h"

namespace feeds::primary {
namespace {

constexpr std::size_t kDigestQueue = 16;

// A command of the node itself, whose outcome is waited for.
template <class Command>
class OwnCommand : public commit::Submission {
 public:
  OwnCommand(Command command, std::promise<commit::Outcome> outcome)
      : command_(std::move(command)), outcome_(std::move(outcome)) {}
  Status run(commit::Group& group) override { return command_.run(group); }
  std::size_t bytes() const override { return 0; }
  void deliver(commit::SubmissionPtr, commit::Outcome outcome) override {
    outcome_.set_value(std::move(outcome));
  }

 private:
  Command command_;
  std::promise<commit::Outcome> outcome_;
};

std::string state_name(store::StoreState state) {
  switch (state) {
    case store::StoreState::kReopening:
      return "reopening";
    case store::StoreState::kReadOnly:
      return "read_only";
    case store::StoreState::kEmpty:
    case store::StoreState::kServing:
      break;
  }
  return "serving";
}

}  // namespace

App::App(const config::Config& config, std::unique_ptr<store::DataDirectory> data)
    : config_(config),
      data_(std::move(data)),
      store_(data_->path()),
      pins_(system_clock()),
      committer_({config.commit_queue}, store_, durable_, metrics_, system_clock()),
      digest_thread_(kDigestQueue),
      read_context_{store_, durable_, false},
      node_context_{read_context_, metrics_,         pins_,
                    digest_thread_, [this] { return status(); }, [this] { return not_ready(); }},
      command_queue_(committer_),
      write_context_{committer_, read_context_, command_queue_},
      http_(config, router_, metrics_) {
  read_api::mount_read_routes(router_, read_context_);
  read_api::mount_node_routes(router_, node_context_);
  read_api::mount_digest_route(router_, node_context_);
  write_api::mount_write_routes(router_, write_context_);
}

App::~App() { stop(); }

Result<std::unique_ptr<App>> App::start(const config::Config& config) {
  auto data = store::DataDirectory::open(config.db_path, "primary");
  if (!data) return data.error();
  std::unique_ptr<App> app(new App(config, std::move(*data)));
  if (auto opened = app->open(); !opened) return opened.error();
  return app;
}

Status App::open() {
  if (auto opened = store_.open(true); !opened) return opened;
  store_.on_retire([this] { pins_.clear(); });
  committer_.on_commit(
      [this](const auto& database, const auto& record) { pins_.on_commit(database, record); });
  if (auto started = committer_.start(); !started) return started;
  if (auto counted = start_counters(); !counted) return counted;
  // Before replication, which tells replicas the address that was bound.
  if (auto listening = http_.start(); !listening) return listening;
  if (auto feeding = start_source(); !feeding) return feeding;
  read_api::register_node_gauges(node_context_);
  log::info("primary_started", {{"http", http_address()},
                                {"replication", replication_address()},
                                {"data", data_->path().string()},
                                {"cluster", data_->identity().cluster_id},
                                {"node", data_->identity().node_id},
                                {"position", to_string(durable_.current())}});
  return done();
}

Status App::start_counters() {
  if (config_.counters.empty()) return done();
  commands::StartCounters command;
  const std::map<std::string, keys::CounterKind> kinds = {
      {"/users", keys::CounterKind::kUsers},
      {"/feeds", keys::CounterKind::kFeeds},
      {"/activities", keys::CounterKind::kActivities}};
  for (const auto& [name, value] : config_.counters) command.starts[kinds.at(name)] = value;

  std::promise<commit::Outcome> promise;
  auto outcome = promise.get_future();
  std::vector<commit::SubmissionPtr> one;
  one.push_back(std::make_unique<OwnCommand<commands::StartCounters>>(std::move(command),
                                                                      std::move(promise)));
  committer_.submit(std::move(one));
  return outcome.get().status;
}

Status App::start_source() {
  replication::Source::Options options;
  options.listen = config_.replication_listen;
  options.advertise = config_.http_advertise.empty() ? http_address() : config_.http_advertise;
  options.cluster_id = data_->identity().cluster_id;
  options.node_id = data_->identity().node_id;
  options.heartbeat = config_.replication_heartbeat;
  options.peer_timeout = config_.replication_peer_timeout;
  options.retain_wal = config_.replication_retain_wal;
  source_ = std::make_unique<replication::Source>(options, store_, durable_, metrics_);
  return source_->start();
}

void App::stop() {
  if (std::exchange(stopped_, true)) return;
  http_.stop();
  if (source_ != nullptr) source_->stop();
  committer_.stop();
  pins_.clear();
  store_.close();
}

read_api::NodeStatus App::status() const {
  read_api::NodeStatus status;
  status.role = "primary";
  status.cluster_id = data_->identity().cluster_id;
  status.node_id = data_->identity().node_id;
  status.position = durable_.current();
  status.head = status.position;
  status.lag = std::chrono::milliseconds(0);
  status.advertise = config_.http_advertise.empty() ? http_address() : config_.http_advertise;
  status.primary = status.advertise;
  status.state = state_name(store_.state());
  if (source_ != nullptr) status.peers = source_->peers();
  return status;
}

std::optional<std::string> App::not_ready() const {
  const auto state = store_.state();
  if (state == store::StoreState::kServing) return std::nullopt;
  return "the store is " + state_name(state);
}

}  // namespace feeds::primary
