#pragma once

#include <cstdint>
#include <filesystem>

namespace feeds::test {

// A file system of its own, in memory, at a new directory `path`. Seen only by this process and
// those it starts afterwards. Needs the right to mount.
class SmallDisk {
 public:
  SmallDisk(std::filesystem::path path, std::uint64_t bytes);
  ~SmallDisk();
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  // False: this system does not let the test mount.
  bool mounted() const { return mounted_; }
  const std::filesystem::path& path() const { return path_; }

  void resize(std::uint64_t bytes);
  // Takes up `bytes` of it with a file, in place of the one from before; 0 frees all of that.
  void ballast(std::uint64_t bytes);

 private:
  std::filesystem::path path_;
  bool mounted_ = false;
};

}  // namespace feeds::test
