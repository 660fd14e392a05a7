#include "primary/replication/session_servers.h"

namespace feeds::replication {
namespace {

class BootstrapServer final : public wire::Source::Server {
 public:
  explicit BootstrapServer(kj::Own<wire::Leash<SourceSession>> session)
      : session_(kj::mv(session)) {}
  kj::Promise<void> hello(HelloContext context) override {
    return session_->call([&](SourceSession& session) { return session.hello(context); });
  }

 private:
  kj::Own<wire::Leash<SourceSession>> session_;
};

class SessionServer final : public wire::Session::Server {
 public:
  explicit SessionServer(kj::Own<wire::Leash<SourceSession>> session) : session_(kj::mv(session)) {}
  kj::Promise<void> ack(AckContext context) override {
    return session_->call(
        [&](SourceSession& session) { return session.ack(context.getParams().getAck()); });
  }
  kj::Promise<void> start(StartContext) override {
    return session_->call([](SourceSession& session) { return session.start(); });
  }

 private:
  kj::Own<wire::Leash<SourceSession>> session_;
};

// That a heartbeat came is all there is to know: the connection has heard its bytes.
class PulseServer final : public wire::Pulse::Server {
 public:
  kj::Promise<void> beat(BeatContext) override { return kj::READY_NOW; }
};

}  // namespace

wire::Source::Client bootstrap_server(kj::Own<wire::Leash<SourceSession>> session) {
  return kj::heap<BootstrapServer>(kj::mv(session));
}

wire::Session::Client session_server(kj::Own<wire::Leash<SourceSession>> session) {
  return kj::heap<SessionServer>(kj::mv(session));
}

wire::Pulse::Client pulse_server() {
  return kj::heap<PulseServer>();
}

}  // namespace feeds::replication
