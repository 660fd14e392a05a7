#include "primary/replication/session.h"

#include <kj/debug.h>

#include "common/base/limits.h"
#include "common/base/log.h"
#include "common/wire/messages.h"
#include "primary/replication/session_servers.h"

namespace feeds::replication {

using Outcome = store::WalTail::Outcome;
using wire::Refusal;
using wire::SnapshotReason;

namespace {

constexpr std::size_t kNameBytes = 256;  // of what a replica says of itself and is kept

}  // namespace

SourceSession::SourceSession(SourceContext& context, kj::Own<kj::AsyncIoStream> stream,
                             Peers::SessionId id)
    : context_(context),
      id_(id),
      leash_(kj::refcounted<wire::Leash<SourceSession>>(*this)),
      connection_(kj::heap<wire::Connection>(kj::mv(stream), context.timer,
                                             bootstrap_server(kj::addRef(*leash_)))),
      tasks_(*this) {
  ++context_.sessions;
  // In this order it misses no commit.
  context_.relay.add(connection_->outlet());
  connection_->outlet()->release(context_.durable.current().sequence.value, false);
}

SourceSession::~SourceSession() noexcept(false) {
  --context_.sessions;
  leash_->cut();
  context_.relay.remove(*connection_->outlet());
  context_.peers.disconnected(id_, std::chrono::steady_clock::now());
}

kj::Promise<void> SourceSession::run() {
  const auto timeout = wire::duration(context_.options.peer_timeout);
  auto mute = context_.timer.afterDelay(timeout).then([this]() -> kj::Promise<void> {
    if (greeted_) return kj::NEVER_DONE;
    return KJ_EXCEPTION(DISCONNECTED, "no hello came within peer_timeout");
  });
  return connection_->lost(timeout)
      .exclusiveJoin(kj::mv(mute))
      .exclusiveJoin(kj::mv(over_.promise));
}

void SourceSession::wake() {
  tasks_.add(connection_->outlet()->flush());
  if (pump_ != nullptr) pump_->wake();
}

void SourceSession::taskFailed(kj::Exception&& exception) {
  if (over_.fulfiller->isWaiting()) over_.fulfiller->reject(kj::mv(exception));
}

// --- the handshake

kj::Promise<void> SourceSession::hello(Hello call) {
  KJ_REQUIRE(!greeted_, "a second hello");
  greeted_ = true;
  auto params = call.getParams();
  sink_ = params.getSink();
  pulse_ = params.getPulse();
  node_id_ = wire::to_string(params.getHello().getNodeId());
  KJ_REQUIRE(!node_id_.empty() && node_id_.size() <= kNameBytes, "a node id of that length");
  KJ_REQUIRE(params.getHello().getAdvertise().size() <= kNameBytes, "an address of that length");
  return judge(params.getHello()).then([this, call](Verdict verdict) mutable {
    const auto hello = call.getParams().getHello();
    auto results = call.getResults();
    answer(results.initWelcome(), verdict);
    if (verdict.refused) {
      log_refusal(hello, *verdict.refused);
      return;
    }
    const bool snapshot = verdict.snapshot != SnapshotReason::NONE;
    if (snapshot) pin_log();
    results.setSession(session_server(kj::addRef(*leash_)));
    results.setPulse(pulse_server());
    context_.peers.connected(id_, node_id_, wire::to_string(hello.getAdvertise()),
                             snapshot ? "snapshot" : "tail");
    verdict_ = std::move(verdict);
  });
}

kj::Promise<SourceSession::Verdict> SourceSession::judge(wire::Hello::Reader hello) {
  const auto refuse = [](Refusal refusal) {
    Verdict verdict;
    verdict.refused = refusal;
    return verdict;
  };
  const auto snapshot = [](SnapshotReason reason) {
    Verdict verdict;
    verdict.snapshot = reason;
    return verdict;
  };
  if (hello.getSchemaVersion() != wire::SCHEMA_VERSION) return refuse(Refusal::OTHER_SCHEMA);
  const auto cluster_id = wire::to_string(hello.getClusterId());
  if (!cluster_id.empty() && cluster_id != context_.options.cluster_id) {
    return refuse(Refusal::OTHER_CLUSTER);
  }
  const auto position = wire::read_record<store::PositionRecord>(hello.getPosition());
  if (position.position.epoch > context_.durable.current().epoch) {
    return refuse(Refusal::NEWER_EPOCH);
  }
  if (context_.sessions > limits::kReplicas) return refuse(Refusal::TOO_MANY);
  if (!hello.getHasData()) return snapshot(SnapshotReason::EMPTY);
  if (hello.getWants() != SnapshotReason::NONE) return snapshot(hello.getWants());
  return judge_position(position);
}

kj::Promise<SourceSession::Verdict> SourceSession::judge_position(
    const store::PositionRecord& position) {
  auto database = context_.store.acquire();
  if (!database) return KJ_EXCEPTION(DISCONNECTED, "the store is being reopened");
  const auto head = (*database)->head();
  Verdict verdict;
  if (position.position == head.position && position.digest == head.digest) {
    verdict.tail.tail = std::make_unique<store::WalTail>(std::move(*database), position);
    return verdict;
  }
  if (position.position.sequence >= head.position.sequence) {
    verdict.snapshot = SnapshotReason::DIVERGED;
    return verdict;
  }
  return prove(std::make_unique<store::WalTail>(std::move(*database), position), 1);
}

// The next commit in the log is chained on the position's digest, or there is no tail from there.
kj::Promise<SourceSession::Verdict> SourceSession::prove(std::unique_ptr<store::WalTail> tail,
                                                         int attempt) {
  Verdict verdict;
  store::CheckedBatch batch;
  switch (tail->next(context_.durable.current().sequence, batch)) {
    case Outcome::kBatch:
      verdict.tail.first = std::move(batch);
      break;
    case Outcome::kEnd:
      break;  // the next commit is not durable yet; it will be judged when it is
    case Outcome::kRetry:
      context_.metrics.tail_reopen();
      return context_.timer.afterDelay(attempt * kj::MILLISECONDS)
          .then([this, attempt, tail = std::move(tail)]() mutable {
            return prove(std::move(tail), attempt + 1);
          });
    case Outcome::kPurged:
      verdict.snapshot = SnapshotReason::WAL_PURGED;
      break;
    case Outcome::kUnreadable:
      verdict.snapshot = SnapshotReason::WAL_UNREADABLE;
      break;
    case Outcome::kDiverged:
      verdict.snapshot = SnapshotReason::DIVERGED;
      break;
  }
  if (verdict.snapshot == SnapshotReason::NONE) verdict.tail.tail = std::move(tail);
  return verdict;
}

void SourceSession::answer(wire::Welcome::Builder welcome, const Verdict& verdict) {
  const auto& options = context_.options;
  welcome.setSchemaVersion(wire::SCHEMA_VERSION);
  welcome.setClusterId(wire::to_text(options.cluster_id));
  welcome.setNodeId(wire::to_text(options.node_id));
  welcome.setAdvertise(wire::to_text(options.advertise));
  auto head = welcome.initHead();
  head.setEpoch(context_.durable.current().epoch.value);
  head.setSequence(context_.durable.current().sequence.value);
  if (verdict.refused) {
    welcome.setRefused(*verdict.refused);
  } else if (verdict.snapshot != SnapshotReason::NONE) {
    welcome.setSnapshot(verdict.snapshot);
  } else {
    welcome.setTail();
  }
}

void SourceSession::log_refusal(wire::Hello::Reader hello, Refusal refusal) {
  log::warn("replica_refused", {{"node", node_id_},
                                {"reason", wire::refusal_name(refusal)},
                                {"cluster", context_.options.cluster_id},
                                {"its_cluster", wire::to_string(hello.getClusterId())},
                                {"schema", wire::SCHEMA_VERSION + 0},
                                {"its_schema", hello.getSchemaVersion()}});
}

// --- after it

kj::Promise<void> SourceSession::start() {
  KJ_REQUIRE(verdict_.has_value(), "start without a welcome");
  auto verdict = std::move(*verdict_);
  verdict_.reset();
  tasks_.add(beat());
  if (verdict.snapshot != SnapshotReason::NONE) {
    tasks_.add(send_snapshot(verdict.snapshot));
  } else {
    tasks_.add(send_tail(std::move(verdict.tail)));
  }
  return kj::READY_NOW;
}

kj::Promise<void> SourceSession::send_tail(OpenTail tail) {
  context_.peers.state(id_, "tail");
  auto from = tail.tail->position().position;
  if (tail.first) from.sequence.value = tail.first->first_sequence - 1;
  log::info("replica_tails", {{"node", node_id_}, {"from", feeds::to_string(from)}});
  pump_ = std::make_unique<TailPump>(context_, KJ_ASSERT_NONNULL(sink_), std::move(tail));
  // The log is open at the replica's position: what was kept for it may go.
  pin_.reset();
  return pump_->run().then([this](Outcome outcome) -> kj::Promise<void> {
    pump_.reset();
    switch (outcome) {
      case Outcome::kPurged:
        return send_snapshot(SnapshotReason::WAL_PURGED);
      case Outcome::kDiverged:
        return send_snapshot(SnapshotReason::DIVERGED);
      default:
        return send_snapshot(SnapshotReason::WAL_UNREADABLE);
    }
  });
}

kj::Promise<void> SourceSession::send_snapshot(SnapshotReason reason) {
  if (snapshot_sent_) {
    return KJ_EXCEPTION(FAILED, "a second snapshot would be needed");
  }
  snapshot_sent_ = true;
  pin_log();
  context_.peers.state(id_, "snapshot");
  sender_ = std::make_unique<SnapshotSender>(context_, KJ_ASSERT_NONNULL(sink_), node_id_);
  return sender_->run(reason)
      .then([this](store::PositionRecord position) {
        sender_.reset();
        return judge_position(position);
      })
      .then([this](Verdict verdict) -> kj::Promise<void> {
        if (verdict.snapshot != SnapshotReason::NONE) return send_snapshot(verdict.snapshot);
        return send_tail(std::move(verdict.tail));
      });
}

void SourceSession::pin_log() {
  if (!pin_) pin_ = context_.durable.current().sequence;
}

kj::Promise<void> SourceSession::ack(wire::Ack::Reader ack) {
  // One past what there is cannot be of this history; it counts for nothing.
  const auto durable = context_.durable.current();
  if (ack.getEpoch() == durable.epoch.value && ack.getSynced() <= durable.sequence.value) {
    context_.peers.acked(id_, Position{{ack.getEpoch()}, {ack.getSynced()}});
  }
  return kj::READY_NOW;
}

kj::Promise<void> SourceSession::beat() {
  // One at a time: a peer that stopped costs one message, not one a tick.
  if (!beat_under_way_) {
    auto request = KJ_ASSERT_NONNULL(pulse_).beatRequest();
    auto heartbeat = request.initHeartbeat();
    const auto durable = context_.durable.current();
    heartbeat.setEpoch(durable.epoch.value);
    heartbeat.setSequence(durable.sequence.value);
    heartbeat.setSentNs((context_.timer.now() - kj::origin<kj::TimePoint>()) / kj::NANOSECONDS);
    heartbeat.setAdvertise(wire::to_text(context_.options.advertise));
    beat_under_way_ = true;
    tasks_.add(request.send().then([this](auto&&) { beat_under_way_ = false; }));
  }
  return context_.timer.afterDelay(wire::duration(context_.options.heartbeat)).then([this] {
    return beat();
  });
}

}  // namespace feeds::replication
