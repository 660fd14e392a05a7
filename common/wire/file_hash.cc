#include "common/wire/file_hash.h"

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

namespace feeds::wire {

struct FileHash::State {
  XXH3_state_t xxh;
};

FileHash::FileHash() : state_(std::make_unique<State>()) {
  XXH3_INITSTATE(&state_->xxh);
  XXH3_128bits_reset(&state_->xxh);
}

FileHash::~FileHash() = default;

void FileHash::update(const void* data, std::size_t bytes) {
  XXH3_128bits_update(&state_->xxh, data, bytes);
}

FileHash::Value FileHash::take() {
  const auto hash = XXH3_128bits_digest(&state_->xxh);
  XXH3_128bits_reset(&state_->xxh);
  return {hash.high64, hash.low64};
}

}  // namespace feeds::wire
