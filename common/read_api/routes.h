#pragma once

#include "common/http/router.h"
#include "common/read_api/read_context.h"

// The read routes, the same on every node: one file a resource. To add a resource, add a mount
// function here and its file beside feed_routes.cc.
namespace feeds::read_api {

// `context` outlives the router.
void mount_feed_routes(http::Router& router, const ReadContext& context);
void mount_user_routes(http::Router& router, const ReadContext& context);
void mount_counter_routes(http::Router& router, const ReadContext& context);
void mount_activity_routes(http::Router& router, const ReadContext& context);
void mount_reaction_routes(http::Router& router, const ReadContext& context);
void mount_collection_routes(http::Router& router, const ReadContext& context);
void mount_grouping_feed_routes(http::Router& router, const ReadContext& context);

inline void mount_read_routes(http::Router& router, const ReadContext& context) {
  mount_feed_routes(router, context);
  mount_user_routes(router, context);
  mount_counter_routes(router, context);
  mount_activity_routes(router, context);
  mount_reaction_routes(router, context);
  mount_collection_routes(router, context);
  mount_grouping_feed_routes(router, context);
}

}  // namespace feeds::read_api
