#include "common/wire/connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "common/base/limits.h"
#include "common/wire/failure.h"

namespace feeds::wire {
namespace {

capnp::ReaderOptions reader_options() {
  capnp::ReaderOptions options;
  options.traversalLimitInWords = limits::kMessageBytes / sizeof(capnp::word);
  return options;
}

}  // namespace

Connection::Connection(kj::Own<kj::AsyncIoStream> stream, kj::Timer& timer)
    : timer_(timer),
      stream_(kj::mv(stream)),
      checked_(*stream_, timer),
      network_(checked_, capnp::rpc::twoparty::Side::CLIENT, reader_options()),
      rpc_(capnp::makeRpcClient(network_)) {}

Connection::Connection(kj::Own<kj::AsyncIoStream> stream, kj::Timer& timer,
                       capnp::Capability::Client bootstrap)
    : timer_(timer),
      stream_(kj::mv(stream)),
      checked_(*stream_, timer),
      network_(checked_, capnp::rpc::twoparty::Side::SERVER, reader_options()),
      rpc_(capnp::makeRpcServer(network_, kj::mv(bootstrap))) {}

capnp::Capability::Client Connection::bootstrap() {
  capnp::MallocMessageBuilder message(4);
  auto vat = message.initRoot<capnp::rpc::twoparty::VatId>();
  vat.setSide(capnp::rpc::twoparty::Side::SERVER);
  return rpc_.bootstrap(vat);
}

kj::Promise<void> Connection::lost(kj::Duration timeout) {
  auto closed = network_.onDisconnect().then([this]() -> kj::Promise<void> {
    const auto trouble = checked_.trouble();
    return failure(trouble.size() > 0 ? trouble : "the connection was closed");
  });
  auto silent = silent_for(timeout).then(
      []() -> kj::Promise<void> { return failure("nothing was heard for peer_timeout"); });
  return closed.exclusiveJoin(kj::mv(silent));
}

kj::Promise<void> Connection::silent_for(kj::Duration timeout) {
  const auto due = checked_.last_heard() + timeout;
  if (timer_.now() >= due) return kj::READY_NOW;
  return timer_.atTime(due).then([this, timeout] { return silent_for(timeout); });
}

void tune_socket(kj::AsyncIoStream& stream, std::chrono::milliseconds peer_timeout) {
  const auto set = [&stream](int level, int option, int value) {
    stream.setsockopt(level, option, &value, sizeof value);
  };
  const int milliseconds = static_cast<int>(peer_timeout.count());
  const int seconds = std::max(1, milliseconds / 1000);
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, milliseconds);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, seconds);
  set(IPPROTO_TCP, TCP_KEEPINTVL, seconds);
  set(IPPROTO_TCP, TCP_KEEPCNT, 2);
}

}  // namespace feeds::wire
