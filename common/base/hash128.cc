#include "common/base/hash128.h"

#include <xxhash.h>

#include <algorithm>
#include <boost/endian/conversion.hpp>

namespace feeds {

// The library allocates a state: it is over 500 bytes and wants 64-byte alignment.
Hash128::Hash128() : state_(XXH3_createState(), [](XXH3_state_s* state) { XXH3_freeState(state); }) {
  XXH3_128bits_reset(state_.get());
}

Hash128::~Hash128() = default;

void Hash128::add(std::string_view bytes) {
  XXH3_128bits_update(state_.get(), bytes.data(), bytes.size());
}

void Hash128::add(std::uint64_t value) {
  boost::endian::native_to_little_inplace(value);
  XXH3_128bits_update(state_.get(), &value, sizeof value);
}

Digest Hash128::finish() {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state_.get()));
  XXH3_128bits_reset(state_.get());
  Digest digest;
  std::copy_n(canonical.digest, digest.bytes.size(), digest.bytes.begin());
  return digest;
}

}  // namespace feeds
