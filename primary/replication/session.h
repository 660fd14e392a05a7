#pragma once

#include <kj/async-io.h>

#include <memory>
#include <optional>
#include <string>

#include "common/store/position_record.h"
#include "common/wire/connection.h"
#include "common/wire/leash.h"
#include "primary/replication/context.h"
#include "primary/replication/snapshot_sender.h"
#include "primary/replication/tail_pump.h"
#include "schema/replication.capnp.h"

namespace feeds::replication {

// One replica's connection, from hello to its end. The loop's.
class SourceSession final : private kj::TaskSet::ErrorHandler {
 public:
  using Hello = capnp::CallContext<wire::Source::HelloParams, wire::Source::HelloResults>;

  SourceSession(SourceContext& context, kj::Own<kj::AsyncIoStream> stream, Peers::SessionId id);
  ~SourceSession() noexcept(false);

  // Fails when the session is over; the exception says why. Destroy it then.
  kj::Promise<void> run();
  // `durable` has moved, or is about to.
  void wake();

  Peers::SessionId id() const { return id_; }
  // Empty before the hello.
  const std::string& node_id() const { return node_id_; }
  // While set, the log from here on must be kept.
  std::optional<Sequence> pin() const { return pin_; }
  bool checksum_failed() const { return connection_->checksum_failed(); }

  // Of the capabilities that the replica calls.
  kj::Promise<void> hello(Hello call);
  kj::Promise<void> start();
  kj::Promise<void> ack(wire::Ack::Reader ack);

 private:
  // What a position deserves.
  struct Verdict {
    std::optional<wire::Refusal> refused;
    wire::SnapshotReason snapshot = wire::SnapshotReason::NONE;
    OpenTail tail;  // if neither
  };
  kj::Promise<Verdict> judge(wire::Hello::Reader hello);
  kj::Promise<Verdict> judge_position(const store::PositionRecord& position);
  kj::Promise<Verdict> prove(std::unique_ptr<store::WalTail> tail, int attempt);
  void answer(wire::Welcome::Builder welcome, const Verdict& verdict);
  void log_refusal(wire::Hello::Reader hello, wire::Refusal refusal);

  kj::Promise<void> send_tail(OpenTail tail);
  kj::Promise<void> send_snapshot(wire::SnapshotReason reason);
  kj::Promise<void> beat();
  void pin_log();
  void taskFailed(kj::Exception&& exception) override;

  SourceContext& context_;
  const Peers::SessionId id_;
  kj::Own<wire::Leash<SourceSession>> leash_;
  kj::Own<wire::Connection> connection_;
  std::string node_id_;
  std::optional<Sequence> pin_;
  std::optional<Verdict> verdict_;
  bool greeted_ = false;
  bool snapshot_sent_ = false;
  bool beat_under_way_ = false;
  kj::Maybe<wire::Sink::Client> sink_;
  kj::Maybe<wire::Pulse::Client> pulse_;
  std::unique_ptr<TailPump> pump_;
  std::unique_ptr<SnapshotSender> sender_;
  kj::PromiseFulfillerPair<void> over_ = kj::newPromiseAndFulfiller<void>();
  kj::TaskSet tasks_;  // last: what it runs uses the rest
};

}  // namespace feeds::replication
