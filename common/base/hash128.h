#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "common/base/ids.h"

struct XXH3_state_s;

namespace feeds {

// XXH3-128 over what is added, piece by piece. One thread's.
class Hash128 {
 public:
  Hash128();
  ~Hash128();

  void add(std::string_view bytes);
  // 8 bytes, little-endian.
  void add(std::uint64_t value);
  // The digest of everything added since the construction or the last finish().
  Digest finish();

 private:
  std::unique_ptr<XXH3_state_s, void (*)(XXH3_state_s*)> state_;
};

}  // namespace feeds
