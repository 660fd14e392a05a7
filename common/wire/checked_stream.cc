#include "common/wire/checked_stream.h"

#include <capnp/serialize.h>
#include <kj/debug.h>

#include <cstring>

#include "common/base/limits.h"
#include "common/wire/failure.h"
#include "schema/replication.capnp.h"

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

namespace feeds::wire {
namespace {

using capnp::word;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "headers are written as they lie in memory");

struct Header {
  std::uint32_t words;
  std::uint32_t check;
  std::uint64_t checksum;
};
static_assert(sizeof(Header) == 16);

// How long what nobody waits for may wait for a message to go along with.
constexpr auto kCompanyTime = 5 * kj::MILLISECONDS;
// Once so much was read, its answers do not wait: the peer sends limits::kInFlightBytes without.
constexpr std::size_t kPromptBytes = 256 * 1024;

// Small messages - all but frames and chunks - come with one read.
constexpr std::size_t kBufferBytes = 64 * 1024;

std::uint32_t header_check(std::uint32_t words) {
  return static_cast<std::uint32_t>(XXH3_64bits_withSeed(&words, sizeof words, FRAME_SEED));
}

// Room for what waited, header and segment table, and after them the segments as they are.
struct Outgoing {
  kj::Array<kj::byte> head;
  kj::Array<kj::ArrayPtr<const kj::byte>> pieces;
};

Outgoing lay_out(kj::ArrayPtr<const kj::ArrayPtr<const word>> segments) {
  const std::size_t table_words = segments.size() / 2 + 1;
  Outgoing out{kj::heapArray<kj::byte>(sizeof(Header) + table_words * sizeof(word)),
               kj::heapArray<kj::ArrayPtr<const kj::byte>>(segments.size() + 2)};
  std::memset(out.head.begin(), 0, out.head.size());
  kj::byte* table = out.head.begin() + sizeof(Header);
  const auto put = [&table](std::size_t value) {
    const auto narrow = static_cast<std::uint32_t>(value);
    std::memcpy(table, &narrow, sizeof narrow);
    table += sizeof narrow;
  };
  put(segments.size() - 1);
  Header header{static_cast<std::uint32_t>(table_words), 0, 0};
  for (std::size_t i = 0; i < segments.size(); ++i) {
    put(segments[i].size());
    header.words += static_cast<std::uint32_t>(segments[i].size());
    out.pieces[i + 2] = segments[i].asBytes();
  }
  header.check = header_check(header.words);
  std::memcpy(out.head.begin(), &header, sizeof header);
  out.pieces[1] = out.head;
  return out;
}

}  // namespace

struct CheckedStream::HashState {
  XXH3_state_t state;
};

CheckedStream::CheckedStream(kj::AsyncIoStream& stream, kj::Timer& timer)
    : stream_(stream),
      timer_(timer),
      outlet_(std::make_shared<Outlet>(stream)),
      last_heard_(timer.now()),
      buffer_(kj::heapArray<kj::byte>(kBufferBytes)),
      hash_(std::make_unique<HashState>()) {
  XXH3_INITSTATE(&hash_->state);
}

CheckedStream::~CheckedStream() noexcept(false) {
  outlet_->cut();
}

std::uint64_t CheckedStream::hash(kj::ArrayPtr<const kj::ArrayPtr<const kj::byte>> pieces) {
  XXH3_64bits_reset_withSeed(&hash_->state, FRAME_SEED);
  for (const auto& piece : pieces) {
    XXH3_64bits_update(&hash_->state, piece.begin(), piece.size());
  }
  return XXH3_64bits_digest(&hash_->state);
}

kj::Exception CheckedStream::broken(kj::StringPtr why) {
  trouble_ = why;
  return failure(why);
}

kj::Promise<kj::Maybe<capnp::MessageReaderAndFds>> CheckedStream::tryReadMessage(
    kj::ArrayPtr<kj::AutoCloseFd>, capnp::ReaderOptions options, kj::ArrayPtr<word>) {
  return fill(sizeof(Header))
      .then([this, options](bool more) -> kj::Promise<kj::Maybe<capnp::MessageReaderAndFds>> {
        if (!more) return kj::Maybe<capnp::MessageReaderAndFds>(nullptr);
        return read_body(options);
      });
}

// Reads until the buffer holds `bytes`. False: the stream ended, and at the end of a message.
kj::Promise<bool> CheckedStream::fill(std::size_t bytes) {
  if (end_ - begin_ >= bytes) return true;
  if (buffer_.size() - begin_ < bytes) {
    std::memmove(buffer_.begin(), buffer_.begin() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  return stream_.tryRead(buffer_.begin() + end_, 1, buffer_.size() - end_)
      .then([this, bytes](std::size_t got) -> kj::Promise<bool> {
        if (got == 0) {
          if (begin_ == end_) return false;
          return broken("the connection ended inside a message");
        }
        last_heard_ = timer_.now();
        read_meanwhile_ += got;
        end_ += got;
        return fill(bytes);
      });
}

kj::Promise<kj::Maybe<capnp::MessageReaderAndFds>> CheckedStream::read_body(
    capnp::ReaderOptions options) {
  Header header;
  std::memcpy(&header, buffer_.begin() + begin_, sizeof header);
  begin_ += sizeof header;
  if (header.check != header_check(header.words)) {
    checksum_failed_ = true;
    return broken("wrong checksum of a message's length");
  }
  if (header.words == 0 || header.words > limits::kMessageBytes / sizeof(word)) {
    return broken("a message of a length that is not allowed");
  }
  auto body = kj::heapArray<word>(header.words);
  auto bytes = body.asBytes();
  const std::size_t buffered = kj::min(bytes.size(), end_ - begin_);
  std::memcpy(bytes.begin(), buffer_.begin() + begin_, buffered);
  begin_ += buffered;
  if (begin_ == end_) begin_ = end_ = 0;
  if (buffered == bytes.size()) {
    return kj::Maybe<capnp::MessageReaderAndFds>(
        capnp::MessageReaderAndFds{verified(kj::mv(body), header.checksum, options), nullptr});
  }
  auto rest = read_exactly(bytes.begin() + buffered, bytes.size() - buffered);
  return rest.then([this, body = kj::mv(body), checksum = header.checksum, options]() mutable {
    return kj::Maybe<capnp::MessageReaderAndFds>(
        capnp::MessageReaderAndFds{verified(kj::mv(body), checksum, options), nullptr});
  });
}

// In pieces as they come, so that a slow but living peer is heard.
kj::Promise<void> CheckedStream::read_exactly(kj::byte* at, std::size_t bytes) {
  return stream_.tryRead(at, 1, bytes)
      .then([this, at, bytes](std::size_t got) -> kj::Promise<void> {
        if (got == 0) return broken("the connection ended inside a message");
        last_heard_ = timer_.now();
        read_meanwhile_ += got;
        if (got == bytes) return kj::READY_NOW;
        return read_exactly(at + got, bytes - got);
      });
}

kj::Own<capnp::MessageReader> CheckedStream::verified(kj::Array<word> body, std::uint64_t checksum,
                                                      capnp::ReaderOptions options) {
  const kj::ArrayPtr<const kj::byte> piece = body.asBytes();
  if (hash(kj::arrayPtr(&piece, 1)) != checksum) {
    checksum_failed_ = true;
    kj::throwFatalException(broken("wrong checksum of a message"));
  }
  auto reader = kj::heap<capnp::FlatArrayMessageReader>(body.asPtr(), options);
  return reader.attach(kj::mv(body));
}

kj::Promise<void> CheckedStream::writeMessage(
    kj::ArrayPtr<const int>, kj::ArrayPtr<const kj::ArrayPtr<const word>> segments) {
  auto out = lay_out(segments);
  // The header is not part of what it covers.
  out.pieces[1] = out.head.slice(sizeof(Header), out.head.size());
  const auto message = out.pieces.slice(1, out.pieces.size());
  const std::uint64_t checksum = hash(message);
  std::memcpy(out.head.begin() + offsetof(Header, checksum), &checksum, sizeof checksum);
  out.pieces[1] = out.head;

  const auto envelope = envelope_of(segments);
  if (envelope.can_wait && read_meanwhile_ < kPromptBytes) {
    wait_for_company(message);
    return kj::READY_NOW;
  }
  company_ = nullptr;
  if (envelope.of_sink && outlet_->keep(message, envelope.until, kj::arrayPtr(waiting_.data(), waiting_.size()))) {
    waiting_.clear();
    return kj::READY_NOW;
  }
  auto waited = std::exchange(waiting_, {});
  out.pieces[0] = kj::arrayPtr(waited.data(), waited.size());
  read_meanwhile_ = 0;
  KJ_IF_MAYBE (leaving, outlet_->write(out.pieces)) {
    return leaving->attach(kj::mv(out.pieces), kj::mv(out.head), kj::mv(waited));
  }
  return kj::READY_NOW;
}

void CheckedStream::wait_for_company(Outlet::Pieces message) {
  if (waiting_.empty()) {
    company_ =
        timer_.afterDelay(kCompanyTime).then([this] { leave_alone(); }).eagerlyEvaluate(nullptr);
  }
  for (const auto& piece : message) waiting_.insert(waiting_.end(), piece.begin(), piece.end());
}

void CheckedStream::leave_alone() {
  auto waited = std::exchange(waiting_, {});
  const kj::ArrayPtr<const kj::byte> piece(waited.data(), waited.size());
  read_meanwhile_ = 0;
  // Null while an earlier write is under way, which may be this one's.
  KJ_IF_MAYBE (leaving, outlet_->write(kj::arrayPtr(&piece, 1))) {
    alone_ = leaving->attach(kj::mv(waited)).eagerlyEvaluate(nullptr);
  }
}

kj::Promise<void> CheckedStream::writeMessages(
    kj::ArrayPtr<kj::ArrayPtr<const kj::ArrayPtr<const word>>> messages) {
  if (messages.size() == 0) return kj::READY_NOW;
  return writeMessage(nullptr, messages[0]).then([this, messages]() mutable {
    return writeMessages(messages.slice(1, messages.size()));
  });
}

kj::Maybe<int> CheckedStream::getSendBufferSize() {
  return static_cast<int>(limits::kInFlightBytes);
}

kj::Promise<void> CheckedStream::end() {
  stream_.shutdownWrite();
  return kj::READY_NOW;
}

}  // namespace feeds::wire
