#include "common/key_format/key_format.h"

#include <fmt/format.h>

#include <array>
#include <memory_resource>
#include <utility>

#include "common/key_format/exec.h"
#include "common/key_format/nodes.h"
#include "common/key_format/parser.h"
#include "common/key_format/utf8.h"
#include "common/key_format/value.h"

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

const Value* Subject::extra_data() {
  if (arena_) return extra_data_;
  auto& arena = arena_.emplace(first_block_.data(), first_block_.size());
  Value value = nil_value();
  if (!activity_.extra_data.empty() && !read_json(activity_.extra_data, arena, value)) {
    return nullptr;
  }
  value.boxed = true;
  extra_data_ = new (arena.allocate(sizeof(Value), alignof(Value))) Value(value);
  return extra_data_;
}

bool Template::render(const Activity& activity, std::string& key, FormatError& error) const {
  Subject subject(activity);
  return render(subject, key, error);
}

bool Template::render(Subject& subject, std::string& key, FormatError& error) const {
  // Enough for most keys, so that a render allocates nothing but the key itself.
  std::array<std::byte, 2048> first_block;
  std::pmr::monotonic_buffer_resource arena(first_block.data(), first_block.size());
  key.clear();
  if (!Execution(*program_, subject, key, error, arena).run()) return false;
  if (valid_utf8(key)) return true;
  error = {1, 1, "the key is not UTF-8"};
  return false;
}

std::string_view Template::format() const {
  return program_->text;
}

}  // namespace feeds::key_format
