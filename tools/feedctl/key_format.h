#pragma once

#include <optional>
#include <string>

#include "common/base/result.h"

namespace feeds::feedctl {

// The key that a format gives an activity, which is JSON as the API shows it; what it does not have
// is empty or 0, and times may be integers: nanoseconds since 1970. nullopt: an activity without
// anything. Error: kBadJson, kBadMember: the activity makes no sense; kBadKeyFormat with line and
// column: the format does not parse; kKeyFormatFailed, likewise: it fails on this activity.
Result<std::string> render_key(const std::string& format,
                               const std::optional<std::string>& activity);

}  // namespace feeds::feedctl
