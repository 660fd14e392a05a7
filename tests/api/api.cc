#include "tests/api/api.h"

#include <gtest/gtest.h>

#include <ostream>
#include <set>

#include "common/base/ids.h"

namespace feeds::test {
namespace {

const CodeInfo* find_code(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(Code::kInternal); ++i) {
    const CodeInfo& info = code_info(static_cast<Code>(i));
    if (info.name == name) return &info;
  }
  return nullptr;
}

bool needs_retry_after(Code code) {
  return code == Code::kOverloaded || code == Code::kNoPrimary || code == Code::kReplicaBehind ||
         code == Code::kReopening || code == Code::kWriteFailed;
}

// "" if it is a problem as documented, else what is wrong.
std::string problem_fault(const RawReply& reply) {
  if (reply.header("Content-Type") != "application/problem+json") return "content type";
  boost::system::error_code failed;
  const json::value body = json::parse(reply.body, failed);
  if (failed || !body.is_object()) return "not a JSON object";
  const json::object& problem = body.as_object();
  std::set<std::string> members;
  for (const auto& member : problem) members.insert(std::string(member.key()));
  if (members != std::set<std::string>{"code", "detail", "status", "title", "type"}) {
    return "members";
  }
  for (const char* name : {"type", "title", "detail", "code"}) {
    if (!problem.at(name).is_string()) return std::string(name) + " is no string";
  }
  const CodeInfo* info = find_code(std::string_view(problem.at("code").as_string()));
  if (!info) return "unknown code";
  if (info->status != reply.status) return "status of the code";
  if (!problem.at("status").is_int64() || problem.at("status").as_int64() != reply.status) {
    return "status member";
  }
  if (std::string_view(problem.at("title").as_string()) != info->title) return "title";
  if (needs_retry_after(info->code) && !reply.header("Retry-After")) return "no Retry-After";
  return {};
}

}  // namespace

void PrintTo(const RawReply& reply, std::ostream* out) {
  *out << reply.head << "\n" << std::string_view(reply.body).substr(0, 2000);
  if (!reply.complete) *out << "\n(incomplete)";
}

void check(std::string_view what, const RawReply& reply, bool of_head) {
  const auto told = [&] {
    return std::string(what.substr(0, 300)) + "\n" + ::testing::PrintToString(reply);
  };
  EXPECT_TRUE(reply.complete) << told();
  EXPECT_NE(reply.status, 500) << told();
  EXPECT_LE(reply.count("Content-Type"), 1U) << told();
  EXPECT_LE(reply.count("Content-Length") + reply.count("Transfer-Encoding"), 1U) << told();
  if (const auto position = reply.header("Feeds-Position")) {
    EXPECT_EQ(reply.count("Feeds-Position"), 1U) << told();
    EXPECT_TRUE(position->rfind("1-", 0) == 0 && position->size() > 2 &&
                position->find_first_not_of("0123456789", 2) == std::string::npos)
        << told();
  }
  if (reply.status == 405) {
    EXPECT_TRUE(reply.header("Allow")) << told();
  }
  if (reply.status < 400) return;
  if (of_head) {
    EXPECT_EQ(reply.header("Content-Type"), "application/problem+json") << told();
  } else {
    EXPECT_EQ(problem_fault(reply), "") << told();
  }
}

std::string request_text(std::string_view method, std::string_view target, std::string_view body,
                         std::string_view headers) {
  std::string text;
  text.append(method).append(" ").append(target).append(" HTTP/1.1\r\nHost: test\r\n");
  text.append(headers);
  if (!body.empty() || method == "POST" || method == "PUT" || method == "PATCH") {
    text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  }
  return text.append("\r\n").append(body);
}

RawReply Api::request(std::string_view method, std::string_view target, std::string_view body,
                      std::string_view headers) {
  const std::string text = request_text(method, target, body, headers);
  const bool of_head = method == "HEAD";
  if (!client_) client_.emplace(address_);
  EXPECT_TRUE(client_->connected()) << address_;
  RawReply reply = client_->ask(text, of_head);
  check(text, reply, of_head);
  if (!reply.complete || reply.header("Connection") == "close") client_.reset();
  return reply;
}

RawReply Api::post_json(std::string_view target, std::string_view body) {
  return request("POST", target, body, "Content-Type: application/json\r\n");
}

RawReply Api::patch_json(std::string_view target, std::string_view body) {
  return request("PATCH", target, body, "Content-Type: application/json\r\n");
}

namespace {

std::uint64_t created_id(const RawReply& reply) {
  EXPECT_EQ(reply.status, 201) << ::testing::PrintToString(reply);
  if (reply.status != 201) return 0;
  return parse(reply).at("id").to_number<std::uint64_t>();
}

}  // namespace

std::uint64_t Api::new_feed(std::string_view body) {
  return created_id(body.empty() ? post("/v1/feeds") : post_json("/v1/feeds", body));
}

std::uint64_t Api::new_user() {
  return created_id(post("/v1/users"));
}

std::uint64_t Api::publish(std::uint64_t feed, std::string_view text) {
  return created_id(post(feed_path(feed, "/publishArticle"), text));
}

void Api::subscribe(std::uint64_t user, std::uint64_t feed) {
  EXPECT_THAT(post(subscribe_path(user, feed)), HasStatus(200));
}

json::value parse(const RawReply& reply) {
  boost::system::error_code failed;
  json::value result = json::parse(reply.body, failed);
  EXPECT_FALSE(failed) << ::testing::PrintToString(reply);
  return result;
}

std::string path(std::string_view prefix, std::uint64_t id, std::string_view suffix) {
  return std::string(prefix) + std::to_string(id) + std::string(suffix);
}

std::string feed_path(std::uint64_t feed, std::string_view suffix) {
  return path("/v1/feeds/", feed, suffix);
}

std::string user_path(std::uint64_t user, std::string_view suffix) {
  return path("/v1/users/", user, suffix);
}

std::string subscribe_path(std::uint64_t user, std::uint64_t feed) {
  return user_path(user, path("/subscribe?feedId=", feed));
}

std::vector<std::uint64_t> ids(const json::value& list) {
  std::vector<std::uint64_t> result;
  for (const json::value& item : list.as_array()) {
    result.push_back(item.at("id").to_number<std::uint64_t>());
  }
  return result;
}

std::vector<std::uint64_t> article_ids(const RawReply& feed) {
  EXPECT_EQ(feed.status, 200) << ::testing::PrintToString(feed);
  return feed.status == 200 ? ids(parse(feed).at("articles")) : std::vector<std::uint64_t>{};
}

std::uint64_t sequence(const RawReply& reply) {
  const auto position = reply.header("Feeds-Position");
  return position ? std::stoull(position->substr(position->find('-') + 1)) : 0;
}

std::vector<std::string> names(const std::optional<std::string>& header) {
  std::vector<std::string> result;
  std::string name;
  for (const char c : header.value_or("") + ",") {
    if (c == ',') {
      if (!name.empty()) result.push_back(std::exchange(name, {}));
    } else if (c != ' ') {
      name += c;
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

std::string next_link(const RawReply& reply) {
  const auto link = reply.header("Link");
  if (!link) return {};
  const std::string end = ">; rel=\"next\"";
  if (link->front() != '<' || link->size() <= end.size() ||
      link->compare(link->size() - end.size(), end.size(), end) != 0) {
    return "?";
  }
  return link->substr(1, link->size() - end.size() - 1);
}

}  // namespace feeds::test
