#include "common/feeds/group_head.h"

#include "common/base/limits.h"
#include "common/keys/key_codec.h"

namespace feeds {
namespace {

void append_framed(std::string& out, std::string_view text) {
  keys::append_integer(out, text.size());
  out += text;
}

std::optional<std::string_view> take_framed(std::string_view& rest) {
  const auto size = keys::take_integer(rest);
  if (!size || *size > rest.size()) return std::nullopt;
  const auto text = rest.substr(0, *size);
  rest.remove_prefix(*size);
  return text;
}

}  // namespace

bool GroupHead::append(ActivityId activity, std::string_view value) {
  std::size_t bytes = value.size();
  for (const auto& copy : newest) bytes += copy.value.size();
  const bool room = newest.size() < limits::kHeadActivities && bytes <= limits::kHeadBytes;
  if (!room || value.empty()) return false;
  newest.push_back({activity, std::string(value)});
  return true;
}

std::string encode(const GroupHead& head) {
  auto value = keys::encode_integer(head.entries);
  append_framed(value, head.key);
  for (const auto& copy : head.newest) {
    keys::append_integer(value, copy.activity.value);
    append_framed(value, copy.value);
  }
  return value;
}

std::optional<GroupHeadReader> GroupHeadReader::read(std::string_view value) {
  GroupHeadReader head;
  const auto entries = keys::take_integer(value);
  const auto key = entries ? take_framed(value) : std::nullopt;
  if (!key) return std::nullopt;
  head.entries_ = *entries;
  head.key_ = *key;
  head.rest_ = value;
  while (!value.empty()) {
    if (!keys::take_integer(value) || !take_framed(value)) return std::nullopt;
    ++head.copies_;
  }
  return head;
}

GroupHeadReader::Copy GroupHeadReader::next() {
  const auto activity = keys::take_integer(rest_);
  const auto value = take_framed(rest_);
  return {ActivityId{*activity}, *value};
}

std::optional<GroupHead> decode_group_head(std::string_view value) {
  auto reader = GroupHeadReader::read(value);
  if (!reader) return std::nullopt;
  GroupHead head{reader->entries(), std::string(reader->key()), {}};
  for (std::uint64_t i = 0; i < reader->copies(); ++i) {
    const auto copy = reader->next();
    head.newest.push_back({copy.activity, std::string(copy.value)});
  }
  return head;
}

}  // namespace feeds
