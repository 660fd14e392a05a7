#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "common/base/result.h"
#include "tests/support/raw_client.h"

namespace feeds::test {

namespace json = boost::json;

void PrintTo(const RawReply& reply, std::ostream* out);

// One kept-alive connection to a node, dialled again where the last reply closed it. Every reply is
// held against the rules that all replies obey (see check() in api.cc): a broken one fails the
// test. One thread at a time.
class Api {
 public:
  explicit Api(std::string address) : address_(std::move(address)) {}

  // `headers`: lines that end in CRLF. A Content-Length is added where there is a body, or for
  // POST, PUT and PATCH.
  RawReply request(std::string_view method, std::string_view target, std::string_view body = {},
                   std::string_view headers = {});
  RawReply get(std::string_view target, std::string_view headers = {}) {
    return request("GET", target, {}, headers);
  }
  RawReply head(std::string_view target, std::string_view headers = {}) {
    return request("HEAD", target, {}, headers);
  }
  RawReply post(std::string_view target, std::string_view body = {},
                std::string_view headers = {}) {
    return request("POST", target, body, headers);
  }
  // With a body of type application/json.
  RawReply post_json(std::string_view target, std::string_view body);
  RawReply patch_json(std::string_view target, std::string_view body);
  RawReply del(std::string_view target) { return request("DELETE", target); }

  // What tests build their world from. They fail the test, and give 0, if the node does not do it.
  std::uint64_t new_feed(std::string_view body = {});
  std::uint64_t new_user();
  std::uint64_t publish(std::uint64_t feed, std::string_view text);
  void subscribe(std::uint64_t user, std::uint64_t feed);

  const std::string& address() const { return address_; }

 private:
  std::string address_;
  std::optional<RawClient> client_;
};

// The text of a request, as Api sends it.
std::string request_text(std::string_view method, std::string_view target,
                         std::string_view body = {}, std::string_view headers = {});

// Fails the test unless `reply` obeys what holds for all replies: whole by its framing, never 500;
// one Date, at most one Content-Type; an error is a problem of the documented list; Retry-After
// where it belongs; Feeds-Position well-formed.
void check(std::string_view what, const RawReply& reply, bool of_head);

json::value parse(const RawReply& reply);
std::string path(std::string_view prefix, std::uint64_t id, std::string_view suffix = {});
std::string feed_path(std::uint64_t feed, std::string_view suffix = {});
std::string user_path(std::uint64_t user, std::string_view suffix = {});
std::string subscribe_path(std::uint64_t user, std::uint64_t feed);

// The ids of a list of articles, feeds or users.
std::vector<std::uint64_t> ids(const json::value& list);
std::vector<std::uint64_t> article_ids(const RawReply& feed);
// The sequence of a Feeds-Position; 0 if the reply has none.
std::uint64_t sequence(const RawReply& reply);
// The names of a header's list, sorted.
std::vector<std::string> names(const std::optional<std::string>& header);
// The target of a Link header of the exact form `<TARGET>; rel="next"`; "" if there is none, "?" if
// it is not of that form.
std::string next_link(const RawReply& reply);

// A problem with that code (and the status of that code) whose detail holds `mention`.
MATCHER_P2(IsProblem, code, mention,
           std::string("is ") + std::string(code_info(code).name) + " that mentions \"" + mention +
               "\"") {
  if (arg.status != code_info(code).status) return false;
  boost::system::error_code failed;
  const json::value body = json::parse(arg.body, failed);
  if (failed || !body.is_object()) return false;
  const json::object& problem = body.as_object();
  if (!problem.contains("code") || problem.at("code") != json::string(code_info(code).name)) {
    return false;
  }
  const json::value* detail = problem.if_contains("detail");
  return detail && detail->is_string() &&
         std::string_view(detail->as_string()).find(mention) != std::string_view::npos;
}

inline auto IsProblem(Code code) {
  return IsProblem(code, std::string());
}

MATCHER_P(HasStatus, status, "") {
  return arg.status == status;
}

}  // namespace feeds::test
