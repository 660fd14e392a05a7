#include "tests/support/small_disk.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <string>

namespace feeds::test {
namespace {

std::string size_option(std::uint64_t bytes) {
  return "size=" + std::to_string(bytes);
}

// Once a process: mounts made from then on end with it, whatever becomes of it.
bool own_mounts() {
  static const bool own = ::unshare(CLONE_NEWNS) == 0 &&
                          ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  return own;
}

}  // namespace

SmallDisk::SmallDisk(std::filesystem::path path, std::uint64_t bytes) : path_(std::move(path)) {
  std::filesystem::create_directories(path_);
  mounted_ =
      own_mounts() && ::mount("tmpfs", path_.c_str(), "tmpfs", 0, size_option(bytes).c_str()) == 0;
}

SmallDisk::~SmallDisk() {
  if (mounted_) ::umount2(path_.c_str(), MNT_DETACH);
}

void SmallDisk::resize(std::uint64_t bytes) {
  ::mount("tmpfs", path_.c_str(), "tmpfs", MS_REMOUNT, size_option(bytes).c_str());
}

void SmallDisk::ballast(std::uint64_t bytes) {
  const auto file = path_ / "ballast";
  std::filesystem::remove(file);
  if (bytes == 0) return;
  const int fd = ::open(file.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
  [[maybe_unused]] const int taken = ::posix_fallocate(fd, 0, static_cast<off_t>(bytes));
  ::close(fd);
}

}  // namespace feeds::test
