#include "common/node/node.h"

#include "common/read_api/routes.h"

namespace feeds::node {
namespace {

constexpr std::size_t kDigestQueue = 16;

}  // namespace

Node::Node(const config::Config& config, std::unique_ptr<store::DataDirectory> data, bool replica,
           ReadStatus status, NotReady not_ready)
    : config_(config),
      data_(std::move(data)),
      role_status_(std::move(status)),
      store_(data_->path()),
      pins_(system_clock()),
      digest_thread_(kDigestQueue),
      read_context_{store_, gate_, replica},
      node_context_{read_context_,  metrics_,
                    pins_,          digest_thread_,
                    [this] { return this->status(); }, std::move(not_ready)},
      http_(config, router_, metrics_) {
  read_api::mount_read_routes(router_, read_context_);
  read_api::mount_node_routes(router_, node_context_);
  read_api::mount_digest_route(router_, node_context_);
}

Status Node::open(bool create) {
  store_.on_retire([this] { pins_.clear(); });
  if (auto opened = store_.open(create); !opened) return opened;
  if (const auto database = store_.acquire()) gate_.publish((*database)->head().position);
  return http_.listen();
}

Status Node::serve() {
  read_api::register_node_gauges(node_context_);
  return http_.start();
}

void Node::drain() { http_.stop(); }

void Node::close() {
  pins_.clear();
  store_.close();
}

std::string Node::advertise() const {
  return config_.http_advertise.empty() ? http_.address() : config_.http_advertise;
}

read_api::NodeStatus Node::status() const {
  auto status = role_status_();
  status.node_id = data_->identity().node_id;
  status.advertise = advertise();
  if (store_.state() != store::StoreState::kEmpty) status.position = gate_.current();
  return status;
}

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

}  // namespace feeds::node
