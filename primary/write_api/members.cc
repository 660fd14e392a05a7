#include "primary/write_api/members.h"

#include <fmt/format.h>

#include <charconv>
#include <set>

#include "common/base/limits.h"
#include "common/feeds/activity.h"

namespace feeds::write_api {
namespace {

Error bad_member(std::string_view name, std::string_view what) {
  return Error{Code::kBadMember, fmt::format("member \"{}\" {}", name, what)};
}

// nullopt: it may be the id of a collection or object.
std::optional<std::string> unfit_id(std::string_view id) {
  if (id.empty() || id.size() > limits::kTextIdBytes) {
    return fmt::format("must be 1…{} bytes", limits::kTextIdBytes);
  }
  if (id == "." || id == ".." || id == kDeletedMark) {
    return R"(must be none of ".", ".." and "deleted")";
  }
  return std::nullopt;
}

// A JSON number that is an integer of 64 bits.
std::optional<std::int64_t> integer(std::string_view raw) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), value);
  if (error != std::errc{} || end != raw.data() + raw.size()) return std::nullopt;
  return value;
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// The elements of a valid JSON array of numbers and strings without escapes. nullopt for another.
std::optional<std::vector<std::string_view>> scalars(std::string_view raw) {
  std::vector<std::string_view> elements;
  std::size_t at = 1;
  while (true) {
    while (is_space(raw[at]) || raw[at] == ',') ++at;
    if (raw[at] == ']') return elements;
    if (raw[at] == '[' || raw[at] == '{') return std::nullopt;
    std::size_t end =
        raw[at] == '"' ? raw.find('"', at + 1) + 1 : raw.find_first_of(",] \t\r\n", at);
    const auto element = raw.substr(at, end - at);
    if (element.find('\\') != std::string_view::npos) return std::nullopt;
    elements.push_back(element);
    at = end;
  }
}

}  // namespace

bool present(const json::Member* member) {
  return member != nullptr && member->kind != json::Kind::kNull;
}

Result<std::string> text_member(const json::Object& object, std::string_view name) {
  const auto* member = object.find(name);
  if (!present(member)) return std::string();
  auto text = json::string_value(*member);
  if (text && text->size() > limits::kTextIdBytes) {
    return bad_member(name, fmt::format("is over {} bytes", limits::kTextIdBytes));
  }
  return text;
}

Result<std::string> user_member(const json::Object& object) {
  const auto* member = object.find("userId");
  if (!present(member) || member->kind != json::Kind::kNumber) return text_member(object, "userId");
  const auto id = json::id_value(*member);
  if (!id) return id.error();
  return std::to_string(*id);
}

Result<std::string> id_member(const json::Object& object) {
  const auto* member = object.find("id");
  if (!present(member)) return std::string();
  auto id = json::string_value(*member);
  if (!id) return id;
  if (const auto unfit = unfit_id(*id)) return bad_member("id", *unfit);
  return id;
}

Result<std::optional<std::int64_t>> time_member(const json::Object& object) {
  constexpr std::string_view kWhat =
      "must be RFC 3339 with at most nine decimals, or an integer: nanoseconds since 1970; "
      "1677-09-21 to 2262-04-11";
  const auto* member = object.find("time");
  if (!present(member)) return std::optional<std::int64_t>();
  std::optional<std::int64_t> time;
  if (member->kind == json::Kind::kNumber) {
    time = integer(member->raw);
    if (time == 0) return std::optional<std::int64_t>();
  } else if (member->kind == json::Kind::kString) {
    const auto text = json::string_value(*member);
    if (!text) return text.error();
    time = parse_time(*text);
  }
  if (!time) return bad_member("time", kWhat);
  return time;
}

Result<std::vector<FeedId>> redirects_member(const json::Object& object) {
  constexpr std::string_view kName = "redirectTo";
  const auto* member = object.find(kName);
  if (!present(member)) return std::vector<FeedId>();
  const auto elements = member->kind == json::Kind::kArray ? scalars(member->raw) : std::nullopt;
  if (!elements) return bad_member(kName, "must be an array of feed ids");
  std::vector<FeedId> feeds;
  std::set<std::uint64_t> seen;
  for (auto element : *elements) {
    if (element.front() == '"') element = element.substr(1, element.size() - 2);
    const auto id = parse_decimal(element);
    if (!id)
      return bad_member(kName, "must hold feed ids only: decimal digits, as numbers or strings");
    if (!seen.insert(*id).second) continue;
    if (feeds.size() == limits::kRedirects) {
      return bad_member(kName, fmt::format("names more than {} feeds", limits::kRedirects));
    }
    feeds.push_back(FeedId{*id});
  }
  return feeds;
}

std::string json_member(const json::Object& object, std::string_view name) {
  const auto* member = object.find(name);
  return member != nullptr ? json::compact(member->raw) : "null";
}

Result<std::string> only_member(std::string_view body, std::string_view name) {
  const auto object = json::parse_object(body);
  if (!object) return object.error();
  if (auto known = object->only({name}); !known) return known.error();
  if (object->find(name) == nullptr) {
    return Error{Code::kMissingMember, fmt::format("member \"{}\" is missing", name)};
  }
  return json_member(*object, name);
}

Result<std::string> path_text(const http::Request& request, std::size_t index,
                              std::string_view name) {
  std::string id(request.path_value(index));
  if (const auto unfit = unfit_id(id)) {
    return Error{Code::kBadPath, fmt::format("{} {}", name, *unfit)};
  }
  return id;
}

std::string path_segment(std::string_view text) {
  constexpr std::string_view kUnreserved = "-._~";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                       kUnreserved.find(c) != std::string_view::npos;
    if (plain) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", byte);
    }
  }
  return out;
}

}  // namespace feeds::write_api
