#include <fmt/format.h>

#include "common/json/text.h"
#include "common/read_api/parameters.h"
#include "primary/commands/feed.h"
#include "primary/write_api/routes.h"

namespace feeds::write_api {
namespace {

using http::ExchangePtr;
using http::Method;
using read_api::path_id;

constexpr std::size_t kUserIdBytes = 512;

// A member's JSON as it is kept: compact, empty for null.
std::string kept(const json::Member* member) {
  if (member == nullptr || member->kind == json::Kind::kNull) return {};
  return json::compact(member->raw);
}

// The owner of a feed: an integer id, or any text of up to 512 bytes, kept as sent. Need not exist.
Result<std::string> owner(const json::Member* member) {
  if (member == nullptr || member->kind == json::Kind::kNull) return std::string();
  if (member->kind == json::Kind::kNumber) {
    const auto id = json::id_value(*member);
    if (!id) return id.error();
  } else {
    const auto text = json::string_value(*member);
    if (!text) return text.error();
    if (text->size() > kUserIdBytes) {
      return Error{Code::kBadMember, "member \"userId\" is over 512 bytes"};
    }
  }
  return std::string(member->raw);
}

void create_feed(const WriteContext& context, const ExchangePtr& exchange) {
  commands::CreateFeed command;
  const auto& body = exchange->request().body;
  if (!body.empty()) {
    const auto object = json::parse_object(body);
    if (!object) return exchange->send_error(object.error());
    if (auto known = object->only({"userId", "extraData"}); !known) {
      return exchange->send_error(known.error());
    }
    auto user = owner(object->find("userId"));
    if (!user) return exchange->send_error(user.error());
    command.user_id = std::move(*user);
    command.extra_data = kept(object->find("extraData"));
  }
  const auto bytes = body.size();
  run_command<commands::CreateFeed>(
      context, exchange, std::move(command), bytes, [](auto& done, auto& reply_to) {
        reply_to.reply().status = 201;
        reply_to.reply().location = fmt::format("/v1/feeds/{}", done.feed.value);
        reply_to.reply().body += done.value;
        reply_to.send();
      });
}

bool is_json(std::string_view content_type) {
  constexpr std::string_view kJson = "application/json";
  if (content_type.size() < kJson.size()) return false;
  return std::equal(kJson.begin(), kJson.end(), content_type.begin(),
                    [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
}

// The text of an article: the body itself, or the member `text` of a JSON body.
Result<std::string> article_text(const http::Request& request) {
  if (!is_json(request.content_type)) {
    if (!json::is_utf8(request.body)) return Error{Code::kBadText, "the text is not UTF-8"};
    return request.body;
  }
  if (request.body.empty()) {
    return Error{Code::kMissingBody, "a JSON body has the text as its member \"text\""};
  }
  const auto object = json::parse_object(request.body);
  if (!object) return object.error();
  if (auto known = object->only({"text"}); !known) return known.error();
  const auto* text = object->find("text");
  if (text == nullptr) return Error{Code::kMissingMember, "member \"text\" is missing"};
  return json::string_value(*text);
}

void publish_article(const WriteContext& context, const ExchangePtr& exchange) {
  const auto feed = path_id<FeedId>(exchange->request(), 0, "feedId");
  if (!feed) return exchange->send_error(feed.error());
  auto text = article_text(exchange->request());
  if (!text) return exchange->send_error(text.error());
  const auto bytes = text->size();
  run_command<commands::PublishArticle>(
      context, exchange, {*feed, std::move(*text)}, bytes, [](auto& done, auto& reply_to) {
        reply_to.reply().status = 201;
        reply_to.reply().location =
            fmt::format("/v1/feeds/{}?startId={}&limit=1", done.feed.value, done.article.value);
        reply_to.reply().body += done.value;
        reply_to.send();
      });
}

void update_feed(const WriteContext& context, const ExchangePtr& exchange) {
  const auto feed = path_id<FeedId>(exchange->request(), 0, "feedId");
  if (!feed) return exchange->send_error(feed.error());
  const auto object = json::parse_object(exchange->request().body);
  if (!object) return exchange->send_error(object.error());
  if (auto known = object->only({"extraData"}); !known) return exchange->send_error(known.error());
  const auto* extra_data = object->find("extraData");
  if (extra_data == nullptr) {
    return exchange->send_error({Code::kMissingMember, "member \"extraData\" is missing"});
  }
  const auto bytes = exchange->request().body.size();
  run_command<commands::UpdateFeed>(context, exchange, {*feed, kept(extra_data)}, bytes,
                                    [](auto& done, auto& reply_to) {
                                      reply_to.reply().body += done.value;
                                      reply_to.send();
                                    });
}

void delete_feed(const WriteContext& context, const ExchangePtr& exchange) {
  const auto feed = path_id<FeedId>(exchange->request(), 0, "feedId");
  if (!feed) return exchange->send_error(feed.error());
  run_command<commands::DeleteFeed>(context, exchange, {*feed}, 0, [](auto&, auto& reply_to) {
    reply_to.reply().status = 204;
    reply_to.send();
  });
}

}  // namespace

void mount_feed_routes(http::Router& router, const WriteContext& context) {
  const auto with = [&context](auto handler) {
    return [&context, handler](const ExchangePtr& exchange) { handler(context, exchange); };
  };
  mount(router, Method::kPost, "/v1/feeds", with(create_feed));
  mount(router, Method::kPost, "/v1/feeds/{feedId}", with(publish_article));
  mount(router, Method::kPost, "/v1/feeds/{feedId}/publishArticle", with(publish_article));
  mount(router, Method::kPatch, "/v1/feeds/{feedId}", with(update_feed));
  mount(router, Method::kDelete, "/v1/feeds/{feedId}", with(delete_feed));
}

}  // namespace feeds::write_api
