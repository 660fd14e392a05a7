#include "common/feeds/reaction.h"
#include "common/read_api/parameters.h"
#include "common/read_api/routes.h"

namespace feeds::read_api {
namespace {

using http::ExchangePtr;

// `depth`, 1…8; absent is 1.
Result<int> query_depth(const http::Request& request) {
  const auto text = request.query_value("depth");
  if (!text) return text.error();
  if (!*text) return 1;
  const auto depth = parse_decimal(**text);
  if (!depth || *depth < 1 || *depth > static_cast<std::uint64_t>(limits::kReactionDepth)) {
    return Error{Code::kBadParameter, "depth must be 1…8"};
  }
  return static_cast<int>(*depth);
}

void get_reactions(const ReadContext& context, const ExchangePtr& exchange) {
  const auto& request = exchange->request();
  const auto activity = path_id<ActivityId>(request, 0, "activityId");
  if (!activity) return exchange->send_error(activity.error());
  const auto page = query_activity_page(request);
  if (!page) return exchange->send_error(page.error());
  const auto depth = query_depth(request);
  if (!depth) return exchange->send_error(depth.error());
  serve_body(
      context, exchange,
      [wanted = ReactionsRequest{*activity, *page, *depth}](auto& view, auto& pending, auto& body) {
        return append_reactions(view, pending, wanted, body);
      });
}

void get_thread(const ReadContext& context, const ExchangePtr& exchange) {
  const auto activity = path_id<ActivityId>(exchange->request(), 0, "activityId");
  if (!activity) return exchange->send_error(activity.error());
  const auto page = query_activity_page(exchange->request());
  if (!page) return exchange->send_error(page.error());
  serve_body(context, exchange,
             [activity = *activity, page = *page](auto& view, auto& pending, auto& body) {
               return append_thread(view, pending, activity, page, body);
             });
}

void get_reaction(const ReadContext& context, const ExchangePtr& exchange) {
  const auto reaction = path_id<ActivityId>(exchange->request(), 0, "reactionId");
  if (!reaction) return exchange->send_error(reaction.error());
  serve_body(context, exchange, [reaction = *reaction](auto& view, auto& pending, auto& body) {
    return append_reaction(view, pending, reaction, body);
  });
}

}  // namespace

void mount_reaction_routes(http::Router& router, const ReadContext& context) {
  const auto add = [&](std::string pattern, auto handler) {
    router.add(
        {.method = http::Method::kGet,
         .pattern = std::move(pattern),
         .handler = [&context, handler](const auto& exchange) { handler(context, exchange); }});
  };
  add("/v1/activities/{activityId}/reactions", get_reactions);
  add("/v1/activities/{activityId}/thread", get_thread);
  add("/v1/reactions/{reactionId}", get_reaction);
}

}  // namespace feeds::read_api
