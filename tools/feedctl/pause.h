#pragma once

#include <chrono>

namespace feeds::feedctl {

// Between two looks at a cluster, where nothing tells when the next one is worth it.
void pause(std::chrono::milliseconds time);

}  // namespace feeds::feedctl
