#include "primary/app.h"

#include <future>

#include "common/base/log.h"
#include "primary/commands/deletion_steps.h"
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

}  // namespace

App::App(const config::Config& config, std::unique_ptr<store::DataDirectory> data)
    : config_(config),
      node_(
          config, std::move(data), false, [this] { return status(); },
          [this] { return not_ready(); }),
      committer_({.queue = config.commit_queue, .deletion_step = commands::deletion_step},
                 node_.store(), node_.gate(), node_.metrics(), system_clock()),
      command_queue_(committer_),
      write_context_{committer_, node_.read_context(), command_queue_} {
  write_api::mount_write_routes(node_.router(), write_context_);
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
  if (auto opened = node_.open(true); !opened) return opened;
  source_.emplace(
      replication::Source::Options{.listen = config_.replication_listen,
                                   .advertise = node_.advertise(),
                                   .cluster_id = node_.identity().cluster_id,
                                   .node_id = node_.identity().node_id,
                                   .heartbeat = config_.replication_heartbeat,
                                   .peer_timeout = config_.replication_peer_timeout,
                                   .retain_wal = config_.replication_retain_wal},
      node_.store(), node_.gate(), node_.metrics());
  committer_.before_commit([this](const auto& batch) { source_->writing(batch); });
  committer_.on_commit([this](const auto& database, const auto& record) {
    node_.pins().on_commit(database, record);
  });
  if (auto started = committer_.start(); !started) return started;
  if (auto counted = start_counters(); !counted) return counted;
  if (auto feeding = source_->start(); !feeding) return feeding;
  register_gauges();
  if (auto serving = node_.serve(); !serving) return serving;
  log::info("primary_started", {{"http", node_.http_address()},
                                {"replication", source_->address()},
                                {"data", node_.data().path().string()},
                                {"cluster", node_.identity().cluster_id},
                                {"node", node_.identity().node_id},
                                {"position", to_string(node_.gate().current())}});
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

void App::stop() {
  if (std::exchange(stopped_, true)) return;
  node_.drain();
  if (source_) source_->stop();
  committer_.stop();
  node_.close();
}

read_api::NodeStatus App::status() const {
  read_api::NodeStatus status;
  status.role = "primary";
  status.cluster_id = node_.identity().cluster_id;
  status.head = node_.gate().current();
  status.lag = std::chrono::milliseconds(0);
  status.primary = node_.advertise();
  status.state = node::state_name(node_.store().state());
  status.peers = source_->peers();
  return status;
}

std::optional<std::string> App::not_ready() const {
  const auto state = node_.store().state();
  if (state == store::StoreState::kServing) return std::nullopt;
  return "the store is " + node::state_name(state);
}

void App::register_gauges() {
  auto& metrics = node_.metrics();
  // One series a connected peer that the value is known of.
  const auto per_peer = [&](std::string name, std::string help, auto value_of) {
    metrics.peer_gauge(std::move(name), std::move(help), [this, value_of] {
      std::vector<std::pair<std::string, double>> series;
      for (const auto& peer : source_->peers()) {
        const std::optional<double> value = value_of(peer);
        if (value) series.emplace_back(peer.node_id, *value);
      }
      return series;
    });
  };
  using Value = std::optional<double>;
  per_peer("feeds_lag_seconds", "Age of the first commit that the peer has not acknowledged",
           [](const obs::PeerStatus& peer) -> Value {
             if (!peer.lag) return std::nullopt;
             return std::chrono::duration<double>(*peer.lag).count();
           });
  per_peer("feeds_lag_sequences", "Sequences that the peer has not acknowledged",
           [](const obs::PeerStatus& peer) -> Value {
             if (!peer.lag_sequences) return std::nullopt;
             return static_cast<double>(*peer.lag_sequences);
           });
  per_peer("feeds_replication_connected", "1 while a session with the peer stands",
           [](const obs::PeerStatus& peer) -> Value { return peer.connected ? 1 : 0; });
  metrics.gauge("feeds_durable_sequence", "Sequence of the newest commit that is on disk here",
                [this] { return Value(node_.gate().current().sequence.value); });
}

}  // namespace feeds::primary
