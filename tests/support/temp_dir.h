#pragma once

#include <filesystem>
#include <string>

namespace feeds::test {

// A fresh directory under TMPDIR (or /tmp), removed at the end.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace feeds::test
