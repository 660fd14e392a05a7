#pragma once

#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/config/config.h"

namespace feeds::config {

// Reads the YAML file at `path` into `config`. Settings of either role are taken. Error: it cannot
// be read, is no YAML, or has an unknown, doubled or wrong key; the detail is `path:line: what`.
Status read_file(const std::string& path, Config& config);

// The same for a text; `name` stands for it in errors.
Status read_yaml(std::string_view yaml, std::string_view name, Config& config);

}  // namespace feeds::config
