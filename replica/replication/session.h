#pragma once

#include <kj/async-io.h>

#include <memory>
#include <optional>
#include <string>

#include "common/wire/connection.h"
#include "common/wire/leash.h"
#include "replica/replication/applier.h"
#include "replica/replication/context.h"
#include "replica/replication/resyncs.h"
#include "replica/replication/snapshot_receiver.h"
#include "replica/replication/store_keeper.h"
#include "schema/replication.capnp.h"

namespace feeds::replication {

// One connection to the source, from hello to its end. The loop's.
class LinkSession final : private kj::TaskSet::ErrorHandler {
 public:
  using FrameCall = capnp::StreamingCallContext<wire::Sink::FrameParams>;
  using EndCall = capnp::CallContext<wire::Sink::EndSnapshotParams, wire::Sink::EndSnapshotResults>;

  LinkSession(LinkContext& context, Applier& applier, StoreKeeper& keeper, Resyncs& resyncs,
              kj::Own<kj::AsyncIoStream> stream);
  ~LinkSession() noexcept(false);

  // Says hello and serves the source. Fails when the session is over; the exception says why.
  kj::Promise<void> run();

  bool refused() const { return refused_; }
  // It did what a session is for, so the next dial need not wait long.
  bool useful() const { return useful_; }
  bool checksum_failed() const { return connection_->checksum_failed(); }

  // Of the capabilities that the source calls.
  kj::Promise<void> frame(FrameCall call);
  kj::Promise<void> begin_snapshot(wire::SnapshotManifest::Reader manifest);
  kj::Promise<void> chunk(wire::SnapshotChunk::Reader chunk);
  kj::Promise<void> end_snapshot(EndCall call);
  kj::Promise<void> heard_beat(wire::Heartbeat::Reader heartbeat);
  // Handles a call; if it fails, the session ends: this side does not wait for the source to see
  // it.
  template <class F>
  kj::Promise<void> or_end(F&& handle) {
    return kj::evalNow(std::forward<F>(handle))
        .catch_([this](kj::Exception&& exception) -> kj::Promise<void> {
          taskFailed(kj::cp(exception));
          return kj::mv(exception);
        });
  }

 private:
  using Greeting = capnp::Response<wire::Source::HelloResults>;
  kj::Promise<void> say_hello();
  kj::Promise<void> welcomed(Greeting greeting);
  Status accept_cluster(const std::string& cluster_id);
  kj::Promise<void> refuse(std::string reason, const std::string& its_cluster);
  void begin_tail();

  kj::Promise<void> apply_from(FrameCall call, unsigned first);
  kj::Promise<void> give_up_tail(wire::SnapshotReason reason);
  void ack_soon();
  kj::Promise<void> sync_and_ack();
  kj::Promise<void> send_ack(Position synced);
  kj::Promise<void> beat();
  void taskFailed(kj::Exception&& exception) override;

  LinkContext& context_;
  Applier& applier_;
  StoreKeeper& keeper_;
  Resyncs& resyncs_;
  kj::Own<wire::Leash<LinkSession>> leash_;
  kj::Own<wire::Connection> connection_;
  bool refused_ = false;
  bool useful_ = false;
  bool tailing_ = false;
  bool ack_under_way_ = false;
  bool beat_under_way_ = false;
  kj::TimePoint sync_began_ = kj::origin<kj::TimePoint>();
  kj::TimePoint beat_sent_ = kj::origin<kj::TimePoint>();
  std::optional<Position> acked_;
  kj::Maybe<wire::Session::Client> session_;
  kj::Maybe<wire::Pulse::Client> pulse_;
  std::unique_ptr<SnapshotReceiver> receiver_;
  kj::PromiseFulfillerPair<void> over_ = kj::newPromiseAndFulfiller<void>();
  kj::TaskSet tasks_;  // last: what it runs uses the rest
};

}  // namespace feeds::replication
