#pragma once

#include <cstdint>
#include <string_view>

#include "common/key_format/text.h"

namespace feeds::key_format {

// Appends the time, nanoseconds since 1970, as Go's time.Unix(0, ns).UTC().Format(layout): the
// layout shows how 2006-01-02 15:04:05.999999999 would look.
void append_date(Text& out, std::string_view layout, std::int64_t nanoseconds);

}  // namespace feeds::key_format
