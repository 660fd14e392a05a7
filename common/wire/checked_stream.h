#pragma once

#include <capnp/serialize-async.h>
#include <kj/async-io.h>
#include <kj/timer.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "common/wire/envelope.h"
#include "common/wire/outlet.h"

namespace feeds::wire {

// Cap'n Proto messages over a byte stream, each under a checksum. The format is in
// schema/replication.capnp, "Framing". One kj loop's.
//
// A message whose checksum is wrong, or that is over limits::kMessageBytes, makes the read fail; so
// does the end of the stream inside a message. The stream is of no use after that.
//
// What nobody waits for (envelope.h) leaves along with the next message, or after five milliseconds:
// each message that comes alone rouses the peer, which costs both more than to handle it.
class CheckedStream final : public capnp::MessageStream {
 public:
  CheckedStream(kj::AsyncIoStream& stream, kj::Timer& timer);
  ~CheckedStream() noexcept(false);

  // When a byte last came.
  kj::TimePoint last_heard() const { return last_heard_; }
  // Whether reading ended because of a wrong checksum.
  bool checksum_failed() const { return checksum_failed_; }
  // Why reading ended, if it was not the end of the stream.
  kj::StringPtr trouble() const { return trouble_; }
  // Through which all that is written leaves. Cut when this is destroyed.
  const std::shared_ptr<Outlet>& outlet() const { return outlet_; }

  using capnp::MessageStream::tryReadMessage;
  using capnp::MessageStream::writeMessage;
  using capnp::MessageStream::writeMessages;
  kj::Promise<kj::Maybe<capnp::MessageReaderAndFds>> tryReadMessage(
      kj::ArrayPtr<kj::AutoCloseFd> fds, capnp::ReaderOptions options,
      kj::ArrayPtr<capnp::word> scratch) override;
  kj::Promise<void> writeMessage(
      kj::ArrayPtr<const int> fds,
      kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments) override;
  kj::Promise<void> writeMessages(
      kj::ArrayPtr<kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>>> messages) override;
  // Not the socket's: this is what bounds the bytes in flight to a peer that does not answer.
  kj::Maybe<int> getSendBufferSize() override;
  kj::Promise<void> end() override;

 private:
  kj::Exception broken(kj::StringPtr why);
  kj::Promise<bool> fill(std::size_t bytes);
  kj::Promise<void> read_exactly(kj::byte* at, std::size_t bytes);
  kj::Promise<kj::Maybe<capnp::MessageReaderAndFds>> read_body(capnp::ReaderOptions options);
  kj::Own<capnp::MessageReader> verified(kj::Array<capnp::word> body, std::uint64_t checksum,
                                         capnp::ReaderOptions options);
  std::uint64_t hash(kj::ArrayPtr<const kj::ArrayPtr<const kj::byte>> pieces);
  void wait_for_company(Outlet::Pieces message);
  void leave_alone();

  kj::AsyncIoStream& stream_;
  kj::Timer& timer_;
  std::shared_ptr<Outlet> outlet_;
  kj::TimePoint last_heard_;
  bool checksum_failed_ = false;
  kj::StringPtr trouble_ = "";
  kj::Array<kj::byte> buffer_;
  std::size_t begin_ = 0;  // of what was read and not yet taken
  std::size_t end_ = 0;
  std::vector<kj::byte> waiting_;     // messages that can wait
  std::size_t read_meanwhile_ = 0;    // bytes, since one of those left
  struct HashState;
  std::unique_ptr<HashState> hash_;
  kj::Promise<void> company_ = nullptr;  // until the time of waiting_ is up
  kj::Promise<void> alone_ = nullptr;    // until it has left then
};

}  // namespace feeds::wire
