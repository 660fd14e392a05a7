#pragma once

#include <memory>

#include "common/feeds/invariants.h"
#include "common/read_api/routes.h"
#include "tests/support/route_client.h"
#include "tests/support/social_rows.h"
#include "tests/support/temp_dir.h"

namespace feeds::test {

// A store with rows made by hand, and the read routes on it.
class ReadWorld : public ::testing::Test {
 protected:
  ReadWorld() {
    if (!store_.open(true)) std::abort();
    rows_ = std::make_unique<SocialRows>(*store_.acquire());
    read_api::mount_read_routes(router_, context_);
  }
  ~ReadWorld() override {
    rows_.reset();
    store_.close();
  }

  SocialRows& rows() { return *rows_; }
  RouteClient::Answer get(const std::string& target) { return RouteClient(router_).get(target); }
  // "404 no_such_feed", or "200".
  std::string outcome(const std::string& target) {
    const auto answer = get(target);
    return std::to_string(answer.status) + (answer.status < 300 ? "" : " " + answer.code());
  }
  // Follows `next` to the end; the pages' ids, separated by bars.
  std::string walk(const std::string& target, std::string_view name) {
    std::string text;
    std::string next;
    const char mark = target.find('?') == std::string::npos ? '?' : '&';
    do {
      const auto page = get(next.empty() ? target : target + mark + "offsetId=" + next);
      if (page.status != 200) return "answered " + std::to_string(page.status);
      if (!next.empty()) text += '|';
      text += page.ids(name);
      const auto before = std::exchange(next, page.next());
      if (!next.empty() && next == before) return text + " and again";
    } while (!next.empty());
    return text;
  }
  store::DatabasePtr database() { return *store_.acquire(); }
  std::vector<std::string> violations() {
    store::View view(*store_.acquire());
    const auto found = find_violations(view, 100);
    return found ? found->found : std::vector<std::string>{found.error().detail};
  }

 private:
  TempDir dir_;
  store::Store store_{dir_.path()};
  SequenceGate gate_;
  read_api::ReadContext context_{store_, gate_, false};
  http::Router router_;
  std::unique_ptr<SocialRows> rows_;
};

}  // namespace feeds::test
