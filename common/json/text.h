#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

// JSON as text: requests are validated by Boost.JSON and then kept as they were written, so that
// numbers, escapes, order and duplicates inside extraData come back as sent. Pure functions.
namespace feeds::json {

enum class Kind { kNull, kBool, kNumber, kString, kArray, kObject };

struct Member {
  std::string name;      // unescaped
  std::string_view raw;  // the value as written, inside the parsed text
  Kind kind = Kind::kNull;
};

// The members of a request's object, in order.
class Object {
 public:
  const std::vector<Member>& members() const { return members_; }
  const Member* find(std::string_view name) const;

  // Error: kUnknownMember naming the first member that is none of `known`.
  Status only(std::initializer_list<std::string_view> known) const;

 private:
  friend Result<Object> parse_object(std::string_view text);
  std::vector<Member> members_;
};

// Validates `text` whole (syntax, UTF-8, surrogates, nesting up to limits::kJsonDepth) and lists the
// members of its outermost object, which refer to `text`.
// Error: kBadJson; kDuplicateMember naming it, for the outermost object only.
Result<Object> parse_object(std::string_view text);

// The text of a string member. Error: kBadMember naming it, if it is not a string.
Result<std::string> string_value(const Member& member);

// The id in a member: a number in canonical digits or the same as a string. Error: kBadMember.
Result<std::uint64_t> id_value(const Member& member);

// A validated value without the white space outside its strings.
std::string compact(std::string_view raw);

// Appends `text` (UTF-8) as a JSON string, quotes included.
void append_string(std::string& out, std::string_view text);

bool is_utf8(std::string_view text);

}  // namespace feeds::json
