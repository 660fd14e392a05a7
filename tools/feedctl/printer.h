#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// What people see: tables, lags, sparklines, a progress bar. Pure but for Progress.
namespace feeds::feedctl {

// What is not known, everywhere.
inline constexpr std::string_view kUnknown = "-";

// Columns as wide as their widest cell; a cell is UTF-8 of one column a code point.
class Table {
 public:
  explicit Table(std::vector<std::string> heads);
  // Cells left out are empty.
  void add(std::vector<std::string> cells);
  // Lines with a line feed each, without trailing spaces.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// "340 ms", "1.2 s", "3m20s", "2h05m"; kUnknown for nullopt.
std::string lag_text(std::optional<std::uint64_t> lag_ms);

// One block a value, scaled to the largest; kUnknown for a value that is not known.
std::string sparkline(std::span<const std::optional<std::uint64_t>> values);

// A bar on the terminal behind `out`, or nothing if it is none. Thread-safe.
class Progress {
 public:
  Progress(std::FILE* out, std::string_view what, std::uint64_t total);
  ~Progress();  // leaves the line
  void advance();

 private:
  void draw(std::uint64_t done) const;

  std::FILE* out_;
  const std::string what_;
  const std::uint64_t total_;
  const bool is_terminal_;
  std::mutex mutex_;
  std::uint64_t done_ = 0;
  std::chrono::steady_clock::time_point drawn_{};
};

}  // namespace feeds::feedctl
