#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace feeds::http {

// The bytes read from a connection and not used yet, in one piece. Grows up to kMaxBytes, which
// is above the head limit: a head that does not fit was refused before.
class ReadBuffer {
 public:
  static constexpr std::size_t kMinBytes = 4 * 1024;
  static constexpr std::size_t kMaxBytes = 32 * 1024;

  std::string_view data() const { return {bytes_.get() + begin_, end_ - begin_}; }
  bool empty() const { return begin_ == end_; }
  void consume(std::size_t count) {
    begin_ += count;
    if (begin_ == end_) begin_ = end_ = 0;
  }
  void clear() { begin_ = end_ = 0; }

  // Room to read into, at least one byte unless kMaxBytes are waiting. Moves what data() showed.
  std::span<char> prepare() {
    if (begin_ > 0 && capacity_ - end_ < kMinBytes / 2) {
      std::memmove(bytes_.get(), bytes_.get() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    if (capacity_ - end_ < kMinBytes / 2 && capacity_ < kMaxBytes) {
      grow(capacity_ == 0 ? kMinBytes : std::min(kMaxBytes, capacity_ * 2));
    }
    return {bytes_.get() + end_, capacity_ - end_};
  }
  void commit(std::size_t count) { end_ += count; }

  // Gives memory back while nothing is buffered.
  void shrink() {
    if (!empty() || capacity_ <= kMinBytes) return;
    bytes_.reset();
    begin_ = end_ = capacity_ = 0;
  }

 private:
  void grow(std::size_t capacity) {
    std::unique_ptr<char[]> bytes(new char[capacity]);
    if (!empty()) std::memcpy(bytes.get(), bytes_.get() + begin_, end_ - begin_);
    bytes_ = std::move(bytes);
    end_ -= begin_;
    begin_ = 0;
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> bytes_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace feeds::http
