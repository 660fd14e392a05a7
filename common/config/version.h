#pragma once

#include <string_view>

namespace feeds::config {

// Of the build, such as `0.1.0`.
std::string_view version();

}  // namespace feeds::config
