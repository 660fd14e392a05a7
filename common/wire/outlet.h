#pragma once

#include <kj/async-io.h>

#include <cstdint>
#include <mutex>
#include <vector>

namespace feeds::wire {

// The way out of a connection: bytes leave in the order in which they are written, at once if the
// socket takes them. What tells of a commit may be kept back until that is durable; the thread that
// made it so then sends it itself, without rousing the loop.
//
// Belongs to a kj loop, but for release() and cut(), which any thread may call, also once the
// stream is gone.
class Outlet {
 public:
  explicit Outlet(kj::AsyncIoStream& stream);

  using Pieces = kj::ArrayPtr<const kj::ArrayPtr<const kj::byte>>;

  // Null if nothing is left to do; else `pieces` must live until the promise resolves. Fails as the
  // stream does. Overtakes what is kept back.
  kj::Maybe<kj::Promise<void>> write(Pieces pieces);
  // Takes `message` to be kept back until release(`until`), and behind what is kept back already;
  // `before` leaves along with it, or with an earlier write. False: it is to be written at once.
  bool keep(Pieces message, std::uint64_t until, kj::ArrayPtr<const kj::byte> before);
  // Writes what release() left to the loop.
  kj::Promise<void> flush();

  // From here on something may be kept back. Before it, all counts as released.
  void keep_back();
  // Sends what was kept back up to `until` (with `send`, else leaves that to the loop). True: the
  // loop is to call flush().
  bool release(std::uint64_t until, bool send);
  // Nothing leaves any more; what was kept back is dropped.
  void cut();

 private:
  using Bytes = std::vector<kj::byte>;
  std::size_t send_now(Pieces pieces);
  void take_over(Bytes& from);
  void send_some();
  kj::Maybe<kj::Promise<void>> send_due();
  kj::Promise<void> write_due();
  kj::Promise<void> after(kj::Promise<void> written);
  static void append(Bytes& to, Pieces pieces);

  kj::AsyncIoStream& stream_;
  std::mutex mutex_;       // over what follows
  int fd_ = -1;            // the stream's, if it is a socket
  bool cut_ = false;
  bool writing_ = false;   // the loop waits for the stream to take something
  std::uint64_t released_ = UINT64_MAX;
  std::uint64_t kept_until_ = 0;
  Bytes kept_;
  Bytes before_kept_;      // leaves before kept_, but need not wait for it
  Bytes due_;              // for the loop to write
};

}  // namespace feeds::wire
