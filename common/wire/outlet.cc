#include "common/wire/outlet.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>

#include "common/wire/failure.h"

namespace feeds::wire {
namespace {

constexpr std::size_t kPiecesAtOnce = 32;

std::size_t size_of(Outlet::Pieces pieces) {
  std::size_t bytes = 0;
  for (const auto& piece : pieces) bytes += piece.size();
  return bytes;
}

// What is left of `pieces` behind the first `bytes`.
kj::Array<kj::ArrayPtr<const kj::byte>> behind(Outlet::Pieces pieces, std::size_t bytes) {
  while (bytes >= pieces[0].size()) {
    bytes -= pieces[0].size();
    pieces = pieces.slice(1, pieces.size());
  }
  auto rest = kj::heapArray(pieces);
  rest[0] = rest[0].slice(bytes, rest[0].size());
  return rest;
}

}  // namespace

Outlet::Outlet(kj::AsyncIoStream& stream) : stream_(stream) {
  KJ_IF_MAYBE (fd, stream.getFd()) { fd_ = *fd; }
}

bool Outlet::keep(Pieces message, std::uint64_t until, kj::ArrayPtr<const kj::byte> before) {
  std::lock_guard lock(mutex_);
  if (cut_ || (kept_.empty() && until <= released_)) return false;
  append(kept_, message);
  append(before_kept_, kj::arrayPtr(&before, 1));
  kept_until_ = std::max(kept_until_, until);
  return true;
}

kj::Maybe<kj::Promise<void>> Outlet::write(Pieces pieces) {
  std::lock_guard lock(mutex_);
  if (cut_) {
    return kj::Promise<void>(failure("the connection was cut", kj::Exception::Type::DISCONNECTED));
  }
  if (writing_ || !due_.empty() || !before_kept_.empty()) {
    take_over(before_kept_);
    append(due_, pieces);
    return send_due();
  }
  const std::size_t sent = send_now(pieces);
  if (sent == size_of(pieces)) return nullptr;
  writing_ = true;
  auto rest = behind(pieces, sent);
  // A stream may throw instead of failing its promise.
  auto written = kj::evalNow([&] { return stream_.write(rest); });
  return after(written.attach(kj::mv(rest)));
}

// Under the lock, as the next three.
void Outlet::take_over(Bytes& from) {
  if (due_.empty()) return due_.swap(from);
  due_.insert(due_.end(), from.begin(), from.end());
  from.clear();
}

void Outlet::send_some() {
  const kj::ArrayPtr<const kj::byte> due(due_.data(), due_.size());
  const auto sent = static_cast<std::ptrdiff_t>(send_now(kj::arrayPtr(&due, 1)));
  due_.erase(due_.begin(), due_.begin() + sent);
}

kj::Maybe<kj::Promise<void>> Outlet::send_due() {
  if (writing_) return nullptr;
  send_some();
  if (due_.empty()) return nullptr;
  writing_ = true;
  return kj::evalLater([this] { return write_due(); });
}

// An error is left to the loop's own write, which will meet it too.
std::size_t Outlet::send_now(Pieces pieces) {
  if (fd_ < 0) return 0;
  std::array<iovec, kPiecesAtOnce> vectors;
  const std::size_t count = std::min(pieces.size(), vectors.size());
  for (std::size_t i = 0; i < count; ++i) {
    vectors[i] = {const_cast<kj::byte*>(pieces[i].begin()), pieces[i].size()};
  }
  msghdr message{};
  message.msg_iov = vectors.data();
  message.msg_iovlen = count;
  const auto sent = ::sendmsg(fd_, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  return sent < 0 ? 0 : static_cast<std::size_t>(sent);
}

kj::Promise<void> Outlet::write_due() {
  Bytes bytes;
  {
    std::lock_guard lock(mutex_);
    if (cut_ || due_.empty()) {
      writing_ = false;
      return kj::READY_NOW;
    }
    bytes.swap(due_);
  }
  auto written = kj::evalNow([&] { return stream_.write(bytes.data(), bytes.size()); });
  return after(written.attach(kj::mv(bytes)));
}

// The loop's write, then what came to be due meanwhile.
kj::Promise<void> Outlet::after(kj::Promise<void> written) {
  return written.then([this] { return write_due(); },
                      [this](kj::Exception&& exception) -> kj::Promise<void> {
                        cut();
                        return kj::mv(exception);
                      });
}

kj::Promise<void> Outlet::flush() {
  {
    std::lock_guard lock(mutex_);
    if (writing_ || due_.empty()) return kj::READY_NOW;
    writing_ = true;
  }
  return write_due();
}

void Outlet::keep_back() {
  std::lock_guard lock(mutex_);
  released_ = 0;
}

bool Outlet::release(std::uint64_t until, bool send) {
  std::lock_guard lock(mutex_);
  released_ = std::max(released_, until);
  if (kept_.empty() || kept_until_ > released_) return false;
  take_over(before_kept_);
  take_over(kept_);
  if (writing_) return false;
  if (send) send_some();
  return !due_.empty();
}

void Outlet::cut() {
  std::lock_guard lock(mutex_);
  cut_ = true;
  fd_ = -1;
  kept_.clear();
  before_kept_.clear();
  due_.clear();
}

void Outlet::append(Bytes& to, Pieces pieces) {
  for (const auto& piece : pieces) to.insert(to.end(), piece.begin(), piece.end());
}

}  // namespace feeds::wire
