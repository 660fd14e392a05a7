#pragma once

#include <filesystem>
#include <string>

namespace feeds::feedctl {

// The database in a node's data directory, or the directory itself if it is one.
inline std::filesystem::path database_of(const std::string& data) {
  const auto path = std::filesystem::path(data) / "db";
  return std::filesystem::exists(path) ? path : std::filesystem::path(data);
}

}  // namespace feeds::feedctl
