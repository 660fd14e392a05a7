#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "common/base/result.h"

// Durable steps on files and directories. Every error names the path.
namespace feeds::store {

// An open file, closed with this. Negative: it could not be opened, errno says why.
class Descriptor {
 public:
  // Flags and mode as for open(2); always O_CLOEXEC.
  Descriptor(const std::filesystem::path& path, int flags, unsigned mode = 0);
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

Status sync_directory(const std::filesystem::path& directory);
// Replaces `path` by `contents` in one durable step.
Status write_file_atomically(const std::filesystem::path& path, std::string_view contents);
// Points the symbolic link `link` at `target` (a name in its own directory) in one durable step.
Status point_link(const std::filesystem::path& link, const std::string& target);
// Writes, syncs and removes a file of `bytes` in `directory`: whether there is room and the disk works.
Status probe_disk(const std::filesystem::path& directory, std::size_t bytes);

}  // namespace feeds::store
