#include "common/read_api/write_routes.h"

namespace feeds::read_api {
namespace {

using http::Body;
using http::Method;

constexpr WriteRoute kWriteRoutes[] = {
    {Method::kPost, "/v1/feeds", Body::kOptionalJson},
    {Method::kPost, "/v1/feeds/{feedId}", Body::kText},
    {Method::kPost, "/v1/feeds/{feedId}/publishArticle", Body::kText},
    {Method::kPatch, "/v1/feeds/{feedId}", Body::kRequiredJson},
    {Method::kDelete, "/v1/feeds/{feedId}", Body::kIgnored},
    {Method::kPost, "/v1/users", Body::kOptionalJson},
    {Method::kPost, "/v1/users/{userId}/subscribe", Body::kIgnored},
    {Method::kPost, "/v1/users/{userId}/unsubscribe", Body::kIgnored},
    {Method::kPost, "/v1/feeds/{feedId}/activities", Body::kRequiredJson},
    {Method::kPut, "/v1/feeds/{feedId}/activities/{activityId}", Body::kIgnored},
    {Method::kDelete, "/v1/feeds/{feedId}/activities/{activityId}", Body::kIgnored},
    {Method::kPatch, "/v1/activities/{activityId}", Body::kRequiredJson},
    {Method::kDelete, "/v1/activities/{activityId}", Body::kIgnored},
    {Method::kPost, "/v1/activities/{activityId}/reactions", Body::kRequiredJson},
    {Method::kPatch, "/v1/reactions/{reactionId}", Body::kRequiredJson},
    {Method::kDelete, "/v1/reactions/{reactionId}", Body::kIgnored},
    {Method::kPost, "/v1/collections", Body::kRequiredJson},
    {Method::kPost, "/v1/collections/{collectionId}/objects", Body::kRequiredJson},
    {Method::kPut, "/v1/collections/{collectionId}/objects/{objectId}", Body::kRequiredJson},
    {Method::kDelete, "/v1/collections/{collectionId}/objects/{objectId}", Body::kIgnored},
    {Method::kPost, "/v1/groupingFeeds", Body::kRequiredJson},
    {Method::kPatch, "/v1/groupingFeeds/{feedId}", Body::kRequiredJson},
    {Method::kDelete, "/v1/groupingFeeds/{feedId}", Body::kIgnored},
};

}  // namespace

std::span<const WriteRoute> write_routes() {
  return kWriteRoutes;
}

}  // namespace feeds::read_api
