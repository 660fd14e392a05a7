#include "tools/feedctl/writer.h"

#include <fmt/format.h>

#include <boost/json.hpp>

namespace feeds::feedctl {
namespace {

constexpr int kRedirects = 3;
constexpr auto kShortestWait = std::chrono::milliseconds(100);
constexpr auto kLongestWait = std::chrono::seconds(10);
constexpr auto kTimeout = std::chrono::seconds(30);

// Seconds, as this service sends it. nullopt: absent or something else.
std::optional<std::chrono::milliseconds> retry_after(const Reply& reply) {
  const auto value = reply.header("retry-after");
  const auto seconds = value ? parse_decimal(*value) : std::nullopt;
  if (!seconds) return std::nullopt;
  const auto wait = std::chrono::seconds(std::min<std::uint64_t>(*seconds, 3600));
  return std::clamp<std::chrono::milliseconds>(wait, kShortestWait, kLongestWait);
}

// The node that a Location names.
Result<Url> node_of(const std::string& location) {
  const std::size_t scheme = location.find("://");
  const std::size_t path = scheme == std::string::npos ? scheme : location.find('/', scheme + 3);
  return parse_url(location.substr(0, path));
}

// The `id` of what was made.
std::optional<boost::json::value> id_of(const Reply& reply) {
  boost::system::error_code error;
  const boost::json::value value = boost::json::parse(reply.body, error);
  const auto* object = error ? nullptr : value.if_object();
  const auto* id = object ? object->if_contains("id") : nullptr;
  return id ? std::optional(*id) : std::nullopt;
}

Error without_id(const Client& client, const std::string& target) {
  return {Code::kInternal,
          fmt::format("{}: POST {} was answered without an id", client.url().text, target)};
}

}  // namespace

void StopSignal::stop() {
  std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

bool StopSignal::stopped() const {
  std::lock_guard lock(mutex_);
  return stopped_;
}

bool StopSignal::wait(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, time, [&] { return stopped_; });
}

Writer::Writer(Client client, StopSignal& stop, std::chrono::milliseconds patience)
    : client_(std::move(client)), stop_(stop), patience_(patience) {}

Result<Reply> Writer::post(const std::string& target, std::string_view body,
                           std::string_view type) {
  int redirects = 0;
  const auto started = std::chrono::steady_clock::now();
  for (;;) {
    auto reply = client_.post(target, body, type);
    if (!reply) return reply;
    if (reply->status == 200 || reply->status == 201) return reply;
    const auto location = reply->header("location");
    if (reply->status == 307 && location && redirects++ < kRedirects) {
      const auto primary = node_of(*location);
      if (!primary) return primary.error();
      client_ = Client(*primary, kTimeout);
      continue;
    }
    const auto wait = reply->status == 503 ? retry_after(*reply) : std::nullopt;
    const bool may_wait = wait && std::chrono::steady_clock::now() - started + *wait <= patience_;
    if (!may_wait || !stop_.wait(*wait)) {
      return Error{Code::kInternal, fmt::format("{}: POST {} was answered {}", client_.url().text,
                                                target, describe_failure(*reply))};
    }
  }
}

Result<std::uint64_t> Writer::create(const std::string& target, std::string_view body,
                                     std::string_view type) {
  const auto reply = post(target, body, type);
  if (!reply) return reply.error();
  const auto id = id_of(*reply);
  boost::system::error_code error;
  const auto number = id ? id->to_number<std::uint64_t>(error) : 0;
  if (!id || error) return without_id(client_, target);
  return number;
}

Result<std::string> Writer::create_text(const std::string& target, std::string_view body,
                                        std::string_view type) {
  const auto reply = post(target, body, type);
  if (!reply) return reply.error();
  const auto id = id_of(*reply);
  if (!id || !id->is_string()) return without_id(client_, target);
  return std::string(id->get_string());
}

}  // namespace feeds::feedctl
