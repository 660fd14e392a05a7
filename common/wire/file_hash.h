#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace feeds::wire {

// XXH3-128 of a file, fed piece by piece. One thread's.
class FileHash {
 public:
  FileHash();
  ~FileHash();
  void update(const void* data, std::size_t bytes);

  struct Value {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    bool operator==(const Value&) const = default;
  };
  // Of what came since the last call; starts again.
  Value take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace feeds::wire
