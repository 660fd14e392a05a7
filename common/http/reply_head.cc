#include "common/http/reply_head.h"

#include <algorithm>
#include <cstdio>
#include <ctime>

namespace feeds::http {
namespace {

std::string_view status_line(int status) {
  switch (status) {
    case 200:
      return "HTTP/1.1 200 OK\r\n";
    case 201:
      return "HTTP/1.1 201 Created\r\n";
    case 202:
      return "HTTP/1.1 202 Accepted\r\n";
    case 204:
      return "HTTP/1.1 204 No Content\r\n";
    case 304:
      return "HTTP/1.1 304 Not Modified\r\n";
    case 307:
      return "HTTP/1.1 307 Temporary Redirect\r\n";
    case 308:
      return "HTTP/1.1 308 Permanent Redirect\r\n";
    case 400:
      return "HTTP/1.1 400 Bad Request\r\n";
    case 404:
      return "HTTP/1.1 404 Not Found\r\n";
    case 405:
      return "HTTP/1.1 405 Method Not Allowed\r\n";
    case 408:
      return "HTTP/1.1 408 Request Timeout\r\n";
    case 409:
      return "HTTP/1.1 409 Conflict\r\n";
    case 413:
      return "HTTP/1.1 413 Content Too Large\r\n";
    case 415:
      return "HTTP/1.1 415 Unsupported Media Type\r\n";
    case 422:
      return "HTTP/1.1 422 Unprocessable Content\r\n";
    case 431:
      return "HTTP/1.1 431 Request Header Fields Too Large\r\n";
    case 500:
      return "HTTP/1.1 500 Internal Server Error\r\n";
    case 503:
      return "HTTP/1.1 503 Service Unavailable\r\n";
    case 507:
      return "HTTP/1.1 507 Insufficient Storage\r\n";
    default:
      return {};
  }
}

void append_status_line(std::string& out, int status) {
  const std::string_view line = status_line(status);
  if (!line.empty()) {
    out += line;
    return;
  }
  out += "HTTP/1.1 ";
  append_decimal(out, static_cast<std::uint64_t>(status));
  out += " \r\n";
}

// A value that could end its line would let its author write headers of his own.
void append_header(std::string& out, std::string_view name, std::string_view value) {
  out += name;
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= ' ' && byte != 0x7f) out += c;
  }
  out += "\r\n";
}

}  // namespace

CorsPolicy::CorsPolicy(std::vector<std::string> origins) : origins_(std::move(origins)) {
  any_ = std::find(origins_.begin(), origins_.end(), "*") != origins_.end();
}

bool CorsPolicy::takes(std::string_view origin) const {
  return any_ || std::find(origins_.begin(), origins_.end(), origin) != origins_.end();
}

void CorsPolicy::append(std::string& head, std::string_view origin) const {
  if (origins_.empty()) return;
  if (!any_) head += "Vary: Origin\r\n";
  if (!takes(origin)) return;
  append_header(head, "Access-Control-Allow-Origin: ", any_ ? "*" : origin);
  head += "Access-Control-Expose-Headers: Feeds-Position, Location, Link, Retry-After\r\n";
}

void CorsPolicy::append_preflight(std::string& head, std::string_view origin,
                                  std::string_view allow, std::string_view headers) const {
  if (origins_.empty() || !takes(origin)) return;
  append_header(head, "Access-Control-Allow-Methods: ", allow);
  append_header(head, "Access-Control-Allow-Headers: ",
                headers.empty() ? "Content-Type, Feeds-Min-Position, Feeds-Wait-Ms" : headers);
  head += "Access-Control-Max-Age: 600\r\n";
}

void append_head(std::string& out, const Reply& reply, std::string_view date, Framing framing,
                 bool close, bool http10) {
  append_status_line(out, reply.status);
  out += "Date: ";
  out += date;
  out += "\r\n";
  const bool bodyless = reply.status == 204 || reply.status == 304;
  if (!bodyless) {
    if (framing != Framing::kLength || !reply.body.empty()) {
      append_header(out, "Content-Type: ", reply.content_type);
    }
    if (framing == Framing::kLength) {
      out += "Content-Length: ";
      append_decimal(out, reply.body.size());
      out += "\r\n";
    } else if (framing == Framing::kChunked) {
      out += "Transfer-Encoding: chunked\r\n";
    }
  }
  if (reply.position) {
    out += "Feeds-Position: ";
    append_decimal(out, reply.position->epoch.value);
    out += '-';
    append_decimal(out, reply.position->sequence.value);
    out += "\r\n";
  }
  if (!reply.location.empty()) append_header(out, "Location: ", reply.location);
  if (!reply.allow.empty()) append_header(out, "Allow: ", reply.allow);
  if (!reply.link.empty()) append_header(out, "Link: ", reply.link);
  if (reply.retry_after_s) {
    out += "Retry-After: ";
    append_decimal(out, static_cast<std::uint64_t>(std::max(0, *reply.retry_after_s)));
    out += "\r\n";
  }
  if (close) {
    out += "Connection: close\r\n";
  } else if (http10) {
    out += "Connection: keep-alive\r\n";
  }
}

std::string_view DateCache::now() {
  const std::time_t second = std::time(nullptr);
  if (second != second_) {
    // Not strftime: the names of days and months must not follow the locale.
    constexpr std::array kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    std::tm utc{};
    ::gmtime_r(&second, &utc);
    const int size =
        std::snprintf(text_.data(), text_.size(), "%s, %02d %s %04d %02d:%02d:%02d GMT",
                      kDays[static_cast<std::size_t>(utc.tm_wday)], utc.tm_mday,
                      kMonths[static_cast<std::size_t>(utc.tm_mon)], utc.tm_year + 1900,
                      utc.tm_hour, utc.tm_min, utc.tm_sec);
    size_ = std::min(static_cast<std::size_t>(size), text_.size() - 1);
    second_ = second;
  }
  return {text_.data(), size_};
}

}  // namespace feeds::http
