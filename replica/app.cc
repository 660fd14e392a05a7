#include "replica/app.h"

#include "common/base/log.h"
#include "replica/write_redirect.h"

namespace feeds::replica {

App::App(const config::Config& config, std::unique_ptr<store::DataDirectory> data)
    : config_(config),
      node_(
          config, std::move(data), true, [this] { return status(); },
          [this] { return not_ready(); }) {
  mount_write_redirects(node_.router(), [this] { return link_->status().primary; });
}

App::~App() { stop(); }

Result<std::unique_ptr<App>> App::start(const config::Config& config) {
  auto data = store::DataDirectory::open(config.db_path, "replica");
  if (!data) return data.error();
  std::unique_ptr<App> app(new App(config, std::move(*data)));
  if (auto opened = app->open(); !opened) return opened.error();
  return app;
}

Status App::open() {
  if (auto opened = node_.open(false); !opened) {
    if (opened.error().code != Code::kInternal) return opened;
    // All of it is on the primary: what cannot be read here is replaced by a snapshot.
    log::error("database_set_aside", {{"reason", opened.error().detail}});
    if (auto aside = node_.store().set_aside(); !aside) return aside;
    if (auto again = node_.open(false); !again) return again;
  }
  link_.emplace(replication::Link::Options{.primary = config_.replication_primary,
                                           .advertise = node_.advertise(),
                                           .node_id = node_.identity().node_id,
                                           .heartbeat = config_.replication_heartbeat,
                                           .peer_timeout = config_.replication_peer_timeout,
                                           .retain_wal = config_.replication_retain_wal},
                node_.data(), node_.store(), node_.gate(), node_.metrics());
  link_->on_applied([this](const auto& database, const auto& record) {
    node_.pins().on_commit(database, record);
  });
  register_gauges();
  link_->start();
  if (auto serving = node_.serve(); !serving) return serving;
  log::info("replica_started", {{"http", node_.http_address()},
                                {"primary", config_.replication_primary},
                                {"data", node_.data().path().string()},
                                {"node", node_.identity().node_id},
                                {"position", to_string(node_.gate().current())}});
  return done();
}

void App::stop() {
  if (std::exchange(stopped_, true)) return;
  node_.drain();
  if (link_) link_->stop();
  node_.close();
}

read_api::NodeStatus App::status() const {
  const auto link = link_->status();
  read_api::NodeStatus status;
  status.role = "replica";
  if (!link.cluster_id.empty()) status.cluster_id = link.cluster_id;
  status.head = link.head;
  // An empty store is level with nothing.
  if (node_.store().state() != store::StoreState::kEmpty) status.lag = link.lag;
  status.primary = link.primary;
  status.state = link.state;
  return status;
}

std::optional<std::string> App::not_ready() const {
  const auto link = link_->status();
  if (node_.store().state() == store::StoreState::kEmpty) return "no data yet";
  if (link.state == "snapshot") return "a snapshot is being received";
  if (!link.lag) return "the lag is not known yet";
  if (*link.lag > config_.replication_max_lag) {
    return "the lag is " + std::to_string(link.lag->count()) + " ms";
  }
  return std::nullopt;
}

void App::register_gauges() {
  auto& metrics = node_.metrics();
  metrics.gauge("feeds_lag_seconds", "Time since this replica last knew it was level with the primary",
                [this]() -> std::optional<double> {
                  const auto lag = status().lag;
                  if (!lag) return std::nullopt;
                  return std::chrono::duration<double>(*lag).count();
                });
  metrics.gauge("feeds_durable_sequence", "Sequence of the newest commit that is on disk here",
                [this]() -> std::optional<double> {
                  const auto durable = link_->status().durable;
                  if (!durable) return std::nullopt;
                  return static_cast<double>(durable->sequence.value);
                });
  metrics.gauge("feeds_lag_sequences", "Sequences behind the newest head the primary told",
                [this]() -> std::optional<double> {
                  const auto sequences = link_->status().lag_sequences;
                  if (!sequences) return std::nullopt;
                  return static_cast<double>(*sequences);
                });
  metrics.gauge("feeds_replication_connected", "1 while a session with the primary stands",
                [this]() -> std::optional<double> { return link_->status().connected ? 1 : 0; });
}

}  // namespace feeds::replica
