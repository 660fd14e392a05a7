#include "common/store/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace feeds::store {
namespace {

Error file_error(const std::filesystem::path& path) {
  const auto code = errno == ENOSPC || errno == EDQUOT ? Code::kDiskFull : Code::kInternal;
  return Error{code, path.string() + ": " + std::strerror(errno)};
}

class File : private Descriptor {
 public:
  File(const std::filesystem::path& path, int flags) : Descriptor(path, flags, 0644) {}

  bool opened() const { return get() >= 0; }
  bool write(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto written = ::write(get(), bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }
  bool sync() { return ::fsync(get()) == 0; }
};

}  // namespace

Descriptor::Descriptor(const std::filesystem::path& path, int flags, unsigned mode)
    : fd_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

Status sync_directory(const std::filesystem::path& directory) {
  File file(directory, O_RDONLY | O_DIRECTORY);
  if (!file.opened() || !file.sync()) return file_error(directory);
  return done();
}

Status write_file_atomically(const std::filesystem::path& path, std::string_view contents) {
  const std::filesystem::path fresh = path.string() + ".new";
  {
    File file(fresh, O_WRONLY | O_CREAT | O_TRUNC);
    if (!file.opened() || !file.write(contents) || !file.sync()) return file_error(fresh);
  }
  if (::rename(fresh.c_str(), path.c_str()) != 0) return file_error(path);
  return sync_directory(path.parent_path());
}

Status point_link(const std::filesystem::path& link, const std::string& target) {
  const std::filesystem::path fresh = link.string() + ".new";
  ::unlink(fresh.c_str());
  if (::symlink(target.c_str(), fresh.c_str()) != 0) return file_error(fresh);
  if (::rename(fresh.c_str(), link.c_str()) != 0) return file_error(link);
  return sync_directory(link.parent_path());
}

Status probe_disk(const std::filesystem::path& directory, std::size_t bytes) {
  const auto path = directory / "probe";
  const std::string block(64 * 1024, 'p');
  Status result = done();
  {
    File file(path, O_WRONLY | O_CREAT | O_TRUNC);
    bool ok = file.opened();
    for (std::size_t written = 0; ok && written < bytes; written += block.size()) {
      ok = file.write(block);
    }
    if (!ok || !file.sync()) result = file_error(path);
  }
  ::unlink(path.c_str());
  return result;
}

}  // namespace feeds::store
