#pragma once

#include <string>

#include "common/config/config.h"

namespace feeds::config {

// A configuration file with every setting of `role`, explained and commented out at its default.
// It is a valid file as it stands.
std::string sample(Role role);

}  // namespace feeds::config
