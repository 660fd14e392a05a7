#include "common/key_format/key_format.h"

#include <fmt/format.h>

#include <array>
#include <memory_resource>
#include <utility>

#include "common/key_format/exec.h"
#include "common/key_format/nodes.h"
#include "common/key_format/parser.h"
#include "common/key_format/utf8.h"

namespace feeds::key_format {

std::optional<Template> Template::parse(std::string_view format, FormatError& error) {
  if (format.size() > kFormatBytes) {
    error = {1, 1, fmt::format("the format is longer than {} bytes", kFormatBytes)};
    return std::nullopt;
  }
  if (!valid_utf8(format)) {
    error = {1, 1, "the format is not UTF-8"};
    return std::nullopt;
  }
  auto program = std::make_shared<Program>();
  program->text = format;
  if (!Parser(*program, error).parse()) return std::nullopt;
  return Template(std::move(program));
}

bool Template::render(const Activity& activity, std::string& key, FormatError& error) const {
  // Enough for most keys, so that a render allocates nothing but the key itself.
  std::array<std::byte, 2048> first_block;
  std::pmr::monotonic_buffer_resource arena(first_block.data(), first_block.size());
  key.clear();
  if (!Execution(*program_, activity, key, error, arena).run()) return false;
  if (valid_utf8(key)) return true;
  error = {1, 1, "the key is not UTF-8"};
  return false;
}

std::string_view Template::format() const {
  return program_->text;
}

}  // namespace feeds::key_format
