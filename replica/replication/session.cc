#include "replica/replication/session.h"

#include <kj/debug.h>

#include "common/base/limits.h"
#include "common/base/log.h"
#include "common/wire/failure.h"
#include "common/wire/messages.h"
#include "replica/replication/session_servers.h"

namespace feeds::replication {
namespace {

using wire::SnapshotReason;

// RocksDB waits for a flush: how long until a batch is offered to it again.
constexpr auto kStallPause = 2 * kj::MILLISECONDS;
// Frames that come this close together are synced together: a sync and its acknowledgement cost both nodes as
// much as applying several commits, and the readers of this one pay for it.
constexpr auto kSyncEvery = 5 * kj::MILLISECONDS;

TimePoint now() {
  return std::chrono::steady_clock::now();
}

}  // namespace

LinkSession::LinkSession(LinkContext& context, Applier& applier, StoreKeeper& keeper,
                         Resyncs& resyncs, kj::Own<kj::AsyncIoStream> stream)
    : context_(context),
      applier_(applier),
      keeper_(keeper),
      resyncs_(resyncs),
      leash_(kj::refcounted<wire::Leash<LinkSession>>(*this)),
      connection_(kj::heap<wire::Connection>(kj::mv(stream), context.timer)),
      tasks_(*this) {}

LinkSession::~LinkSession() noexcept(false) {
  leash_->cut();
}

kj::Promise<void> LinkSession::run() {
  const auto timeout = wire::duration(context_.options.peer_timeout);
  // So that a source that keeps the connection busy but never answers is not waited for.
  tasks_.add(context_.timer.timeoutAfter(timeout, say_hello()));
  return connection_->lost(timeout).exclusiveJoin(kj::mv(over_.promise));
}

void LinkSession::taskFailed(kj::Exception&& exception) {
  if (over_.fulfiller->isWaiting()) over_.fulfiller->reject(kj::mv(exception));
}

// --- the handshake

kj::Promise<void> LinkSession::say_hello() {
  auto request = connection_->bootstrap().castAs<wire::Source>().helloRequest();
  auto hello = request.initHello();
  hello.setSchemaVersion(wire::SCHEMA_VERSION);
  hello.setClusterId(wire::to_text(context_.directory.identity().cluster_id));
  hello.setNodeId(wire::to_text(context_.options.node_id));
  hello.setAdvertise(wire::to_text(context_.options.advertise));
  hello.setHasData(applier_.attached());
  if (applier_.attached()) wire::write_record(hello.initPosition(), applier_.position());
  hello.setWants(resyncs_.wants());
  request.setSink(sink_server(kj::addRef(*leash_)));
  request.setPulse(pulse_server(kj::addRef(*leash_)));
  return request.send().then([this](Greeting greeting) { return welcomed(kj::mv(greeting)); });
}

kj::Promise<void> LinkSession::welcomed(Greeting greeting) {
  const auto welcome = greeting.getWelcome();
  const auto cluster_id = wire::to_string(welcome.getClusterId());
  if (welcome.isRefused()) {
    return refuse(std::string(wire::refusal_name(welcome.getRefused())), cluster_id);
  }
  if (welcome.getSchemaVersion() != wire::SCHEMA_VERSION) return refuse("other_schema", cluster_id);
  const auto& own = context_.directory.identity().cluster_id;
  if (!own.empty() && own != cluster_id) return refuse("other_cluster", cluster_id);
  if (own.empty()) {
    if (auto stored = context_.directory.set_cluster_id(cluster_id); !stored) {
      return wire::failure(stored.error().detail.c_str());
    }
  }
  context_.state.cluster(cluster_id);
  context_.state.primary(wire::to_string(welcome.getAdvertise()));
  const auto head = welcome.getHead();
  context_.state.told_head(Position{{head.getEpoch()}, {head.getSequence()}}, false, now());
  session_ = greeting.getSession();
  pulse_ = greeting.getPulse();
  if (welcome.isSnapshot()) {
    resyncs_.needed(welcome.getSnapshot());
    context_.state.phase("snapshot", true);
  } else {
    resyncs_.settled();
    begin_tail();
  }
  log::info("link_connected",
            {{"primary", context_.options.primary},
             {"source", wire::to_string(welcome.getNodeId())},
             {"state", welcome.isSnapshot() ? wire::reason_name(welcome.getSnapshot()) : "tail"}});
  tasks_.add(beat());
  // Not waited for: what it starts may be sent before its answer, and take long on a slow link.
  tasks_.add(KJ_ASSERT_NONNULL(session_).startRequest().send().ignoreResult());
  return kj::READY_NOW;
}

kj::Promise<void> LinkSession::refuse(std::string reason, const std::string& its_cluster) {
  refused_ = true;
  log::warn("link_refused", {{"primary", context_.options.primary},
                             {"reason", reason},
                             {"cluster", context_.directory.identity().cluster_id},
                             {"its_cluster", its_cluster}});
  return wire::failure(("refused: " + reason).c_str());
}

// --- the tail

void LinkSession::begin_tail() {
  tailing_ = true;
  context_.state.phase("tail", true);
  // What was applied in an earlier session counts for the source once it is known to be synced.
  ack_soon();
}

kj::Promise<void> LinkSession::frame(FrameCall call) {
  KJ_REQUIRE(tailing_, "a frame outside of a tail");
  const auto frame = call.getParams().getFrame();
  context_.state.told_head(Position{{frame.getEpoch()}, {frame.getHead()}}, false, now());
  return apply_from(kj::mv(call), 0);
}

kj::Promise<void> LinkSession::apply_from(FrameCall call, unsigned first) {
  const auto batches = call.getParams().getFrame().getBatches();
  for (unsigned i = first; i < batches.size(); ++i) {
    switch (applier_.apply(batches[i])) {
      case Applier::Outcome::kApplied:
        continue;
      case Applier::Outcome::kStalled:
        return context_.timer.afterDelay(kStallPause).then([this, call, i]() mutable {
          return apply_from(kj::mv(call), i);
        });
      case Applier::Outcome::kGap:
        return give_up_tail(SnapshotReason::WAL_UNREADABLE);
      case Applier::Outcome::kDiverged:
        return give_up_tail(SnapshotReason::DIVERGED);
      case Applier::Outcome::kFailed:
        return KJ_EXCEPTION(FAILED, "a write failed; the store is reopened");
    }
  }
  useful_ = true;
  ack_soon();
  return kj::READY_NOW;
}

// What came under a right checksum does not follow: the next hello asks for a snapshot.
kj::Promise<void> LinkSession::give_up_tail(SnapshotReason reason) {
  tailing_ = false;
  resyncs_.needed(reason);
  log::error("tail_given_up", {{"reason", wire::reason_name(reason)},
                               {"applied", feeds::to_string(applier_.position().position)}});
  return KJ_EXCEPTION(FAILED, "a commit does not follow");
}

// One sync at a time; what is applied meanwhile is of the next one.
void LinkSession::ack_soon() {
  if (ack_under_way_ || !tailing_ || acked_ == applier_.position().position) return;
  ack_under_way_ = true;
  const auto due = sync_began_ + kSyncEvery;
  if (context_.timer.now() >= due) {
    tasks_.add(sync_and_ack());
  } else {
    tasks_.add(context_.timer.atTime(due).then([this] { return sync_and_ack(); }));
  }
}

kj::Promise<void> LinkSession::sync_and_ack() {
  ack_under_way_ = false;
  // A snapshot may have begun meanwhile.
  if (!tailing_ || !applier_.attached()) return kj::READY_NOW;
  ack_under_way_ = true;
  sync_began_ = context_.timer.now();
  return applier_.sync().then([this](Result<Position> synced) -> kj::Promise<void> {
    if (!synced) return KJ_EXCEPTION(FAILED, "a sync failed; the store is reopened");
    return send_ack(*synced);
  });
}

kj::Promise<void> LinkSession::send_ack(Position synced) {
  ack_under_way_ = false;
  // A snapshot that began meanwhile replaces what was synced.
  if (!tailing_) return kj::READY_NOW;
  acked_ = synced;
  context_.state.synced(synced);
  auto request = KJ_ASSERT_NONNULL(session_).ackRequest();
  auto ack = request.initAck();
  ack.setEpoch(synced.epoch.value);
  ack.setSynced(synced.sequence.value);
  ack.setApplied(applier_.position().position.sequence.value);
  ack_under_way_ = true;
  return request.send().then([this] {
    ack_under_way_ = false;
    ack_soon();
  });
}

// --- snapshots

kj::Promise<void> LinkSession::begin_snapshot(wire::SnapshotManifest::Reader manifest) {
  KJ_REQUIRE(receiver_ == nullptr, "a second snapshot");
  tailing_ = false;
  resyncs_.needed(manifest.getReason());
  context_.state.phase("snapshot", true);
  receiver_ = std::make_unique<SnapshotReceiver>(context_);
  return receiver_->begin(manifest);
}

kj::Promise<void> LinkSession::chunk(wire::SnapshotChunk::Reader chunk) {
  KJ_REQUIRE(receiver_ != nullptr, "a chunk outside of a snapshot");
  return receiver_->chunk(chunk);
}

kj::Promise<void> LinkSession::end_snapshot(EndCall call) {
  KJ_REQUIRE(receiver_ != nullptr, "the end of a snapshot that did not begin");
  return receiver_->finish(call.getParams().getEnd())
      .then([this](std::filesystem::path incoming) { return keeper_.swap(std::move(incoming)); })
      .then([this, call](Status swapped) mutable {
        KJ_REQUIRE(swapped.ok() && applier_.attached(), "the snapshot could not be swapped in");
        useful_ = true;
        wire::write_record(call.getResults().initPosition(), applier_.position());
        begin_tail();
      });
}

// --- heartbeats

kj::Promise<void> LinkSession::heard_beat(wire::Heartbeat::Reader heartbeat) {
  context_.state.primary(wire::to_string(heartbeat.getAdvertise()));
  context_.state.told_head(Position{{heartbeat.getEpoch()}, {heartbeat.getSequence()}}, true,
                           now());
  return kj::READY_NOW;
}

kj::Promise<void> LinkSession::beat() {
  // A source that stopped costs one message, not one a tick. One that is heard may have its answer
  // queued behind megabytes of frames or chunks on a slow link, and must hear from here meanwhile.
  if (!beat_under_way_ || connection_->last_heard() > beat_sent_) {
    auto request = KJ_ASSERT_NONNULL(pulse_).beatRequest();
    auto heartbeat = request.initHeartbeat();
    if (applier_.attached()) {
      const auto position = applier_.position().position;
      heartbeat.setEpoch(position.epoch.value);
      heartbeat.setSequence(position.sequence.value);
    }
    heartbeat.setSentNs((context_.timer.now() - kj::origin<kj::TimePoint>()) / kj::NANOSECONDS);
    heartbeat.setAdvertise(wire::to_text(context_.options.advertise));
    beat_under_way_ = true;
    beat_sent_ = context_.timer.now();
    tasks_.add(request.send().then([this](auto&&) { beat_under_way_ = false; }));
  }
  return context_.timer.afterDelay(wire::duration(context_.options.heartbeat)).then([this] {
    return beat();
  });
}

}  // namespace feeds::replication
