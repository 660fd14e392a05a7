#include "tools/feedctl/printer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace feeds::feedctl {
namespace {

constexpr std::string_view kGap = "  ";
constexpr std::array<std::string_view, 8> kBlocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::size_t kBarColumns = 40;
constexpr auto kRedraw = std::chrono::milliseconds(100);

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

}  // namespace

Table::Table(std::vector<std::string> heads) {
  rows_.push_back(std::move(heads));
}

void Table::add(std::vector<std::string> cells) {
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    if (row.size() > widths.size()) widths.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns(row[i]));
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      line.append(widths[i] - columns(row[i]), ' ');
      line += kGap;
    }
    const std::size_t end = line.find_last_not_of(' ');
    out += line.substr(0, end == std::string::npos ? 0 : end + 1) + "\n";
  }
  return out;
}

std::string lag_text(std::optional<std::uint64_t> lag_ms) {
  if (!lag_ms) return std::string(kUnknown);
  const std::uint64_t seconds = *lag_ms / 1000;
  if (seconds == 0) return fmt::format("{} ms", *lag_ms);
  if (seconds < 60) return fmt::format("{}.{} s", seconds, *lag_ms % 1000 / 100);
  if (seconds < 3600) return fmt::format("{}m{:02}s", seconds / 60, seconds % 60);
  return fmt::format("{}h{:02}m", seconds / 3600, seconds % 3600 / 60);
}

std::string sparkline(std::span<const std::optional<std::uint64_t>> values) {
  std::uint64_t largest = 0;
  for (const auto& value : values) largest = std::max(largest, value.value_or(0));
  std::string out;
  for (const auto& value : values) {
    if (!value) {
      out += kUnknown;
      continue;
    }
    const double share =
        largest == 0 ? 0 : static_cast<double>(*value) / static_cast<double>(largest);
    out += kBlocks[static_cast<std::size_t>(share * (kBlocks.size() - 1) + 0.5)];
  }
  return out;
}

Progress::Progress(std::FILE* out, std::string_view what, std::uint64_t total)
    : out_(out), what_(what), total_(total), is_terminal_(::isatty(::fileno(out)) != 0) {}

Progress::~Progress() {
  if (!is_terminal_) return;
  draw(done_);
  std::fputs("\n", out_);
}

void Progress::advance() {
  std::lock_guard lock(mutex_);
  ++done_;
  const auto now = std::chrono::steady_clock::now();
  if (!is_terminal_ || now - drawn_ < kRedraw) return;
  drawn_ = now;
  draw(done_);
}

void Progress::draw(std::uint64_t done) const {
  const std::size_t full = total_ == 0 ? kBarColumns : done * kBarColumns / total_;
  std::fputs(fmt::format("\r[{}{}] {}/{} {}", std::string(full, '#'),
                         std::string(kBarColumns - full, '.'), done, total_, what_)
                 .c_str(),
             out_);
  std::fflush(out_);
}

}  // namespace feeds::feedctl
