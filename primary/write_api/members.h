#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/http/message.h"
#include "common/json/text.h"

// Members of request bodies, and ids in paths, that several resources take. A member that is null
// counts as absent. Every error names the member. Errors: kBadMember, and kMissingMember where
// said.
namespace feeds::write_api {

bool present(const json::Member* member);

// A text of at most limits::kTextIdBytes; empty if absent.
Result<std::string> text_member(const json::Object& object, std::string_view name);
// Whoever did it: a text, or a user's id as a number, which becomes the text of its digits.
Result<std::string> user_member(const json::Object& object);
// The id of a collection or object: 1…limits::kTextIdBytes, none of ".", "..", "deleted"; empty if
// absent.
Result<std::string> id_member(const json::Object& object);
// `time`: RFC 3339, or an integer, nanoseconds since 1970. nullopt if absent or the integer 0.
Result<std::optional<std::int64_t>> time_member(const json::Object& object);
// `redirectTo`: at most limits::kRedirects feeds.
Result<std::vector<FeedId>> redirects_member(const json::Object& object);
// Any JSON, compact; "null" if absent.
std::string json_member(const json::Object& object, std::string_view name);

// The body as an object of these members alone, with its only one, `name`, which must be given,
// null or not: its value, compact. Error: of json::parse_object(); kUnknownMember, kMissingMember.
Result<std::string> only_member(std::string_view body, std::string_view name);

// The id of a collection or object in the path. Error: kBadPath.
Result<std::string> path_text(const http::Request& request, std::size_t index,
                              std::string_view name);
// The text as a segment of a path: all but unreserved characters percent-encoded.
std::string path_segment(std::string_view text);

}  // namespace feeds::write_api
