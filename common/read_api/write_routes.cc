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
};

}  // namespace

std::span<const WriteRoute> write_routes() {
  return kWriteRoutes;
}

}  // namespace feeds::read_api
