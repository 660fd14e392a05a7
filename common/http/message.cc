#include "common/http/message.h"

#include "common/base/limits.h"
#include "common/http/text.h"

namespace feeds::http {
namespace {

bool has_escape(std::string_view text) {
  return text.find_first_of("%+") != std::string_view::npos;
}

bool names_equal(std::string_view raw, std::string_view name) {
  if (!has_escape(raw)) return raw == name;
  const auto decoded = percent_decode(raw, true);
  return decoded && *decoded == name;
}

// The codes whose cause passes by itself, so that asking again soon makes sense.
bool is_worth_retrying(Code code) {
  switch (code) {
    case Code::kOverloaded:
    case Code::kNoPrimary:
    case Code::kReplicaBehind:
    case Code::kReopening:
    case Code::kWriteFailed:
    case Code::kPositionNotReached:
      return true;
    default:
      return false;
  }
}

// What a client sent may stand in a detail: names of members, a media type.
std::string clipped(const std::string& detail) {
  std::size_t end = limits::kProblemDetailBytes;
  if (detail.size() <= end) return detail;
  const auto inside_character = [&](std::size_t at) { return (detail[at] & 0xC0) == 0x80; };
  while (end > 0 && inside_character(end)) --end;
  return detail.substr(0, end) + "…";
}

}  // namespace

std::string_view to_string(Method method) {
  switch (method) {
    case Method::kGet:
      return "GET";
    case Method::kHead:
      return "HEAD";
    case Method::kPost:
      return "POST";
    case Method::kPut:
      return "PUT";
    case Method::kPatch:
      return "PATCH";
    case Method::kDelete:
      return "DELETE";
    case Method::kOptions:
      return "OPTIONS";
    case Method::kOther:
      break;
  }
  return "other";
}

Result<std::optional<std::string>> Request::query_value(std::string_view name) const {
  std::string_view rest = query;
  while (!rest.empty()) {
    const std::size_t end = rest.find('&');
    const std::string_view pair = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);

    const std::size_t equals = pair.find('=');
    if (!names_equal(pair.substr(0, equals), name)) continue;
    const std::string_view raw =
        equals == std::string_view::npos ? std::string_view{} : pair.substr(equals + 1);
    auto value = percent_decode(raw, true);
    if (!value || !is_utf8(*value)) {
      std::string detail(name);
      detail += value ? ": not UTF-8" : ": malformed percent-encoding";
      return Error{Code::kBadParameter, std::move(detail)};
    }
    return std::optional<std::string>(*std::move(value));
  }
  return std::optional<std::string>();
}

void Reply::clear() {
  status = 200;
  content_type = "application/json";
  body.clear();
  location.clear();
  allow.clear();
  link.clear();
  position.reset();
  retry_after_s.reset();
  close = false;
}

void Reply::set_error(const Error& error) {
  const CodeInfo& info = code_info(error.code);
  status = info.status;
  content_type = "application/problem+json";
  location.clear();
  link.clear();
  retry_after_s.reset();
  if (is_worth_retrying(error.code)) retry_after_s = 1;

  body.clear();
  body += "{\"type\":\"urn:feeds:problem:";
  body += info.name;
  body += "\",\"title\":";
  append_json_string(body, info.title);
  body += ",\"status\":";
  append_decimal(body, static_cast<std::uint64_t>(info.status));
  body += ",\"detail\":";
  append_json_string(body, clipped(error.detail));
  body += ",\"code\":\"";
  body += info.name;
  body += "\"}";
}

}  // namespace feeds::http
