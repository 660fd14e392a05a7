#include "common/http/router.h"

namespace feeds::http {
namespace {

class RouterTest : public ::testing::Test {
 protected:
  void add(Method method, const std::string& pattern) {
    router_.add({method, pattern, Body::kIgnored, [](const ExchangePtr&) {}});
  }
  Router::Match match(Method method, std::string_view path) {
    request_ = {};
    request_.method = method;
    request_.path = path;
    return router_.match(request_);
  }
  std::string pattern(Method method, std::string_view path) {
    const Router::Match found = match(method, path);
    return found.route != nullptr ? found.route->pattern : std::string(code_info(found.error).name);
  }

  Router router_;
  Request request_;
};

TEST_F(RouterTest, Path_FindsItsRoute) {
  add(Method::kGet, "/v1/feeds");
  add(Method::kPost, "/v1/feeds");
  add(Method::kGet, "/v1/feeds/{feedId}");
  add(Method::kPut, "/v1/feeds/{feedId}/activities/{activityId}");
  add(Method::kGet, "/");
  EXPECT_EQ(pattern(Method::kGet, "/v1/feeds"), "/v1/feeds");
  EXPECT_EQ(pattern(Method::kHead, "/v1/feeds"), "/v1/feeds");
  EXPECT_EQ(pattern(Method::kPost, "/v1/feeds"), "/v1/feeds");
  EXPECT_EQ(pattern(Method::kGet, "/v1/feeds/10000"), "/v1/feeds/{feedId}");
  EXPECT_EQ(request_.path_value(0), "10000");
  EXPECT_EQ(pattern(Method::kPut, "/v1/feeds/1/activities/2"),
            "/v1/feeds/{feedId}/activities/{activityId}");
  EXPECT_EQ(request_.path_value(0), "1");
  EXPECT_EQ(request_.path_value(1), "2");
  EXPECT_EQ(pattern(Method::kGet, "/"), "/");
  for (const char* path : {"/v1", "/v2/feeds", "/v1/feedsx", "/V1/feeds", "/v1/feeds/1/2",
                           "/v1//feeds", "//v1/feeds", "/v1/feeds/1/activities"}) {
    EXPECT_EQ(pattern(Method::kGet, path), "no_such_route") << path;
  }
}

TEST_F(RouterTest, OneTrailingSlash_MeansNone) {
  add(Method::kGet, "/v1/feeds");
  add(Method::kGet, "/v1/feeds/{feedId}");
  EXPECT_EQ(pattern(Method::kGet, "/v1/feeds/"), "/v1/feeds");
  EXPECT_EQ(pattern(Method::kGet, "/v1/feeds/7/"), "/v1/feeds/{feedId}");
  EXPECT_EQ(pattern(Method::kGet, "/v1/feeds//"), "no_such_route");
}

TEST_F(RouterTest, Literal_WinsOverPlaceholder) {
  add(Method::kGet, "/a/{id}");
  add(Method::kGet, "/a/special");
  add(Method::kGet, "/a/{id}/tail");
  EXPECT_EQ(pattern(Method::kGet, "/a/special"), "/a/special");
  EXPECT_EQ(pattern(Method::kGet, "/a/other"), "/a/{id}");
  // The literal leads nowhere here, so the placeholder is tried after it.
  EXPECT_EQ(pattern(Method::kGet, "/a/special/tail"), "/a/{id}/tail");
  EXPECT_EQ(request_.path_value(0), "special");
}

TEST_F(RouterTest, Escapes_AreDecodedOnceAfterTheSplit) {
  add(Method::kGet, "/c/{id}");
  add(Method::kGet, "/c/{id}/objects/{o}");
  EXPECT_EQ(pattern(Method::kGet, "/c/a%2Fb"), "/c/{id}");
  EXPECT_EQ(request_.path_value(0), "a/b");
  match(Method::kGet, "/c/100%2525");
  EXPECT_EQ(request_.path_value(0), "100%25");
  match(Method::kGet, "/c/a+b");
  EXPECT_EQ(request_.path_value(0), "a+b");
  match(Method::kGet, "/c/%00%c3%a9");
  EXPECT_EQ(request_.path_value(0), std::string_view("\0\xc3\xa9", 3));
  EXPECT_EQ(pattern(Method::kGet, "/%63/x"), "/c/{id}");
}

TEST_F(RouterTest, BadEscapeOrText_IsBadPath) {
  add(Method::kGet, "/c/{id}");
  for (const char* path : {"/c/%", "/c/%4", "/c/%zz", "/c/%ff", "/c/%c3", "/c/%ed%a0%80", "/c/a%2",
                           "/c/\xff", "/c/%c0%af", "/x/%zz"}) {
    EXPECT_EQ(pattern(Method::kGet, path), "bad_path") << path;
  }
  EXPECT_EQ(pattern(Method::kPost, "/c/%zz"), "method_not_allowed");
}

TEST_F(RouterTest, WrongMethod_NamesTheRightOnes) {
  add(Method::kGet, "/a/{id}");
  add(Method::kDelete, "/a/{id}");
  add(Method::kPost, "/b");
  Router::Match found = match(Method::kPut, "/a/1");
  EXPECT_EQ(found.error, Code::kMethodNotAllowed);
  EXPECT_EQ(found.allow, "GET, HEAD, DELETE, OPTIONS");
  EXPECT_EQ(found.pattern, "/a/{id}");
  EXPECT_EQ(match(Method::kOptions, "/b").allow, "POST, OPTIONS");
  EXPECT_EQ(match(Method::kHead, "/b").error, Code::kMethodNotAllowed);
  EXPECT_EQ(match(Method::kOther, "/b").error, Code::kMethodNotAllowed);
  EXPECT_EQ(match(Method::kOptions, "/c").error, Code::kNoSuchRoute);
  EXPECT_EQ(match(Method::kOptions, "/c").pattern, "");
}

TEST_F(RouterTest, VeryDeepPath_IsNoRoute) {
  add(Method::kGet, "/a/{id}");
  std::string path;
  for (int i = 0; i < 5000; ++i) path += "/a";
  EXPECT_EQ(pattern(Method::kGet, path), "no_such_route");
}

}  // namespace
}  // namespace feeds::http
