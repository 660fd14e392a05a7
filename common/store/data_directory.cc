#include "common/store/data_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "common/base/ids.h"
#include "common/store/files.h"

namespace feeds::store {
namespace {

namespace fs = std::filesystem;
constexpr int kFormat = 1;

Error data_error(const fs::path& path, const std::string& what) {
  return Error{Code::kBadParameter, "data directory " + path.string() + ": " + what};
}

Result<NodeIdentity> read_identity(const fs::path& path) {
  std::ifstream file(path / "node.json");
  std::stringstream text;
  text << file.rdbuf();
  boost::system::error_code error;
  const auto parsed = boost::json::parse(text.str(), error);
  if (error || !parsed.is_object()) return data_error(path, "node.json cannot be read");
  const auto& object = parsed.as_object();
  const auto text_of = [&](std::string_view name) -> std::string {
    const auto* value = object.if_contains(name);
    return value != nullptr && value->is_string() ? std::string(value->as_string()) : "";
  };
  const auto* format = object.if_contains("format");
  if (format == nullptr || !format->is_int64() || format->as_int64() != kFormat) {
    return data_error(path, "node.json has an unknown format");
  }
  NodeIdentity identity{text_of("role"), text_of("nodeId"), text_of("clusterId")};
  if (identity.role.empty() || identity.node_id.empty()) {
    return data_error(path, "node.json has no role or nodeId");
  }
  return identity;
}

// What an interrupted snapshot or swap left: directories that `db` does not point at. If it points
// at none, the copy that this directory may be has lost its links, and they are the data.
void remove_leftovers(const fs::path& path) {
  std::error_code ignored;
  const auto current = fs::read_symlink(path / "db", ignored).filename().string();
  const bool linked = !current.empty() && fs::exists(path / current, ignored);
  for (const auto& entry : fs::directory_iterator(path, ignored)) {
    const auto name = entry.path().filename().string();
    const bool stale_db = linked && name.starts_with("db-") && name != current;
    if (stale_db || name == "incoming" || name.starts_with("checkpoint-") || name == "probe") {
      fs::remove_all(entry.path(), ignored);
    }
  }
}

}  // namespace

Result<std::unique_ptr<DataDirectory>> DataDirectory::open(const fs::path& path,
                                                           const std::string& role) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return data_error(path, error.message());

  std::unique_ptr<DataDirectory> directory(new DataDirectory());
  directory->path_ = fs::canonical(path, error);
  if (error) return data_error(path, error.message());
  directory->lock_fd_ = ::open((path / "LOCK").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (directory->lock_fd_ < 0) return data_error(path, std::strerror(errno));
  if (::flock(directory->lock_fd_, LOCK_EX | LOCK_NB) != 0) {
    return data_error(path, "in use by another process");
  }

  if (fs::exists(path / "node.json")) {
    auto identity = read_identity(path);
    if (!identity) return identity.error();
    directory->identity_ = *identity;
    if (identity->role != role) {
      return data_error(path, "belongs to a " + identity->role + "; this program is a " + role);
    }
  } else {
    directory->identity_ = {role, random_id(), role == "primary" ? random_id() : ""};
    if (auto saved = directory->save(); !saved) return saved.error();
  }
  remove_leftovers(path);
  return directory;
}

DataDirectory::~DataDirectory() {
  if (lock_fd_ >= 0) ::close(lock_fd_);
}

Status DataDirectory::set_cluster_id(const std::string& cluster_id) {
  identity_.cluster_id = cluster_id;
  return save();
}

Status DataDirectory::save() {
  boost::json::object object;
  object["format"] = kFormat;
  object["role"] = identity_.role;
  object["nodeId"] = identity_.node_id;
  if (!identity_.cluster_id.empty()) object["clusterId"] = identity_.cluster_id;
  return write_file_atomically(path_ / "node.json", boost::json::serialize(object) + "\n");
}

}  // namespace feeds::store
