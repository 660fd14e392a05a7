#include "tools/feedctl/key_format.h"

#include <fmt/format.h>

#include <charconv>

#include "common/feeds/activity.h"
#include "common/json/text.h"
#include "common/key_format/key_format.h"

namespace feeds::feedctl {
namespace {

const json::Member* given(const json::Object& object, std::string_view name) {
  const auto* member = object.find(name);
  return member != nullptr && member->kind != json::Kind::kNull ? member : nullptr;
}

Status read_text(const json::Object& object, std::string_view name, std::string& to) {
  const auto* member = given(object, name);
  if (member == nullptr) return done();
  auto text = json::string_value(*member);
  if (!text) return text.error();
  to = std::move(*text);
  return done();
}

// An integer is taken as it is, 0 too: here no commit gives it a time.
Status read_time(const json::Object& object, std::string_view name, std::int64_t& to) {
  const auto* member = given(object, name);
  if (member == nullptr) return done();
  if (member->kind == json::Kind::kNumber) {
    const auto* end = member->raw.data() + member->raw.size();
    const auto parsed = std::from_chars(member->raw.data(), end, to);
    if (parsed.ec == std::errc() && parsed.ptr == end) return done();
  } else if (const auto text = json::string_value(*member)) {
    if (const auto time = parse_time(*text)) {
      to = *time;
      return done();
    }
  }
  return Error{Code::kBadMember,
               fmt::format("member \"{}\" must be an RFC 3339 time, or nanoseconds "
                           "since 1970",
                           name)};
}

Result<Activity> read_activity(std::string_view text) {
  const auto object = json::parse_object(text);
  if (!object) return object.error();
  Activity activity;
  if (const auto* member = given(*object, "id")) {
    const auto id = json::id_value(*member);
    if (!id) return id.error();
    activity.id.value = *id;
  }
  for (const auto& [name, to] : {std::pair{"objectId", &activity.object_id},
                                 {"collectionId", &activity.collection_id},
                                 {"linkedActivityId", &activity.linked_activity_id},
                                 {"userId", &activity.user_id},
                                 {"activityType", &activity.activity_type}}) {
    if (const auto read = read_text(*object, name, *to); !read) return read.error();
  }
  if (const auto read = read_time(*object, "createdAt", activity.created_at_ns); !read) {
    return read.error();
  }
  if (const auto read = read_time(*object, "updatedAt", activity.updated_at_ns); !read) {
    return read.error();
  }
  if (const auto* extra = object->find("extraData"))
    activity.extra_data = json::compact(extra->raw);
  return activity;
}

Error at(Code code, std::string_view what, const key_format::FormatError& error) {
  return Error{code, fmt::format("{} at line {}, column {}: {}", what, error.line, error.column,
                                 error.message)};
}

}  // namespace

Result<std::string> render_key(const std::string& format,
                               const std::optional<std::string>& activity) {
  key_format::FormatError error;
  const auto parsed = key_format::Template::parse(format, error);
  if (!parsed) return at(Code::kBadKeyFormat, "the format does not parse", error);
  const auto read = activity ? read_activity(*activity) : Result<Activity>(Activity{});
  if (!read) return read.error();
  const key_format::Activity fields{.id = static_cast<std::int64_t>(read->id.value),
                                    .object_id = read->object_id,
                                    .collection_id = read->collection_id,
                                    .linked_activity_id = read->linked_activity_id,
                                    .created_at_ns = read->created_at_ns,
                                    .updated_at_ns = read->updated_at_ns,
                                    .user_id = read->user_id,
                                    .activity_type = read->activity_type,
                                    .extra_data = read->extra_data};
  std::string key;
  if (parsed->render(fields, key, error)) return key;
  return at(Code::kKeyFormatFailed, "the format fails on this activity", error);
}

}  // namespace feeds::feedctl
