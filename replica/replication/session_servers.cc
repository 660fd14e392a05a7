#include "replica/replication/session_servers.h"

namespace feeds::replication {
namespace {

// Calls that wait (for a full memtable, for the disk) end with the session: nobody would get the
// answer.
class SinkServer final : public wire::Sink::Server {
 public:
  explicit SinkServer(kj::Own<wire::Leash<LinkSession>> session) : session_(kj::mv(session)) {}

  kj::Promise<void> frame(FrameContext context) override {
    return handle([&](LinkSession& session) { return session.frame(context); });
  }
  kj::Promise<void> beginSnapshot(BeginSnapshotContext context) override {
    return handle([&](LinkSession& session) {
      return session.begin_snapshot(context.getParams().getManifest());
    });
  }
  kj::Promise<void> chunk(ChunkContext context) override {
    return handle(
        [&](LinkSession& session) { return session.chunk(context.getParams().getChunk()); });
  }
  kj::Promise<void> endSnapshot(EndSnapshotContext context) override {
    return handle([&](LinkSession& session) { return session.end_snapshot(context); });
  }

 private:
  template <class F>
  kj::Promise<void> handle(F&& call) {
    return session_->call(
        [&](LinkSession& session) { return session.or_end([&] { return call(session); }); });
  }

  kj::Own<wire::Leash<LinkSession>> session_;
};

class PulseServer final : public wire::Pulse::Server {
 public:
  explicit PulseServer(kj::Own<wire::Leash<LinkSession>> session) : session_(kj::mv(session)) {}

  kj::Promise<void> beat(BeatContext context) override {
    return session_->call([&](LinkSession& session) {
      return session.heard_beat(context.getParams().getHeartbeat());
    });
  }

 private:
  kj::Own<wire::Leash<LinkSession>> session_;
};

}  // namespace

wire::Sink::Client sink_server(kj::Own<wire::Leash<LinkSession>> session) {
  return kj::heap<SinkServer>(kj::mv(session));
}

wire::Pulse::Client pulse_server(kj::Own<wire::Leash<LinkSession>> session) {
  return kj::heap<PulseServer>(kj::mv(session));
}

}  // namespace feeds::replication
