#pragma once

#include "common/http/router.h"
#include "primary/write_api/write_context.h"

// The routes that write: request -> command -> reply, one file a resource. To add one, list it in
// common/read_api/write_routes.cc and add its file beside feed_routes.cc.
namespace feeds::write_api {

// Mounts a handler for a route of read_api::write_routes(); one that is not listed there is a bug.
void mount(http::Router& router, http::Method method, std::string_view pattern,
           http::Handler handler);

// `context` outlives the router.
void mount_feed_routes(http::Router& router, const WriteContext& context);
void mount_user_routes(http::Router& router, const WriteContext& context);
void mount_activity_routes(http::Router& router, const WriteContext& context);
void mount_reaction_routes(http::Router& router, const WriteContext& context);
void mount_collection_routes(http::Router& router, const WriteContext& context);
void mount_grouping_feed_routes(http::Router& router, const WriteContext& context);

inline void mount_write_routes(http::Router& router, const WriteContext& context) {
  mount_feed_routes(router, context);
  mount_user_routes(router, context);
  mount_activity_routes(router, context);
  mount_reaction_routes(router, context);
  mount_collection_routes(router, context);
  mount_grouping_feed_routes(router, context);
}

}  // namespace feeds::write_api
