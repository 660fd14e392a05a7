#pragma once

#include <functional>
#include <optional>
#include <string>

#include "common/http/router.h"

namespace feeds::replica {

// Answers every write with a redirect (307) to the primary's advertised address, its body unread, or with
// kNoPrimary while none is known. `primary` is called on io threads.
void mount_write_redirects(http::Router& router,
                           std::function<std::optional<std::string>()> primary);

}  // namespace feeds::replica
