#include "common/read_api/openapi.h"

#include <boost/json.hpp>
#include <set>

#include "common/base/task_thread.h"
#include "common/read_api/node_routes.h"
#include "common/read_api/write_routes.h"
#include "tests/unit/read_api/read_world.h"

namespace feeds {
namespace {

namespace bj = boost::json;

class Openapi : public test::ReadWorld {
 protected:
  // All that a node mounts.
  Openapi() {
    read_api::mount_read_routes(node_, read_);
    read_api::mount_node_routes(node_, context_);
    read_api::mount_digest_route(node_, context_);
    for (const auto& route : read_api::write_routes()) {
      node_.add({.method = route.method,
                 .pattern = std::string(route.pattern),
                 .body = route.body,
                 .handler = [](const auto&) {}});
    }
  }

  static std::string lower(std::string_view text) {
    std::string out(text);
    for (auto& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
  }
  static std::set<std::string> documented(const bj::value& document) {
    std::set<std::string> operations;
    for (const auto& [path, item] : document.at("paths").as_object()) {
      for (const auto& [method, operation] : item.as_object()) {
        operations.insert(std::string(method) + " " + std::string(path));
      }
    }
    return operations;
  }

  const bj::value document_ = bj::parse(read_api::openapi_json());
  http::Router node_;

 private:
  store::Store no_store_{"/nonexistent"};
  SequenceGate gate_;
  obs::Metrics metrics_;
  DigestPins pins_{system_clock()};
  TaskThread thread_{1};
  read_api::ReadContext read_{no_store_, gate_, false};
  read_api::NodeContext context_{read_, metrics_, pins_, thread_, {}, {}};
};

TEST_F(Openapi, RoutesAndPaths_AreTheSame) {
  std::set<std::string> mounted;
  for (const auto& route : node_.routes()) {
    mounted.insert(lower(http::to_string(route.method)) + " " + route.pattern);
  }
  EXPECT_EQ(documented(document_), mounted);
}

TEST_F(Openapi, BodiesAreTaken_WhereTheyAreDocumented) {
  for (const auto& route : node_.routes()) {
    const auto& operation = document_.at("paths")
                                .at(route.pattern)
                                .at(lower(http::to_string(route.method)))
                                .as_object();
    const auto* body = operation.if_contains("requestBody");
    EXPECT_EQ(body != nullptr, route.body != http::Body::kIgnored) << route.pattern;
    if (body == nullptr) continue;
    EXPECT_EQ(body->at("content").as_object().contains("text/plain"),
              route.body == http::Body::kText)
        << route.pattern;
    if (route.body == http::Body::kOptionalJson) {
      EXPECT_FALSE(body->at("required").as_bool()) << route.pattern;
    }
  }
}

TEST_F(Openapi, EveryPathParameter_IsDeclared) {
  for (const auto& [path, item] : document_.at("paths").as_object()) {
    for (const auto& [method, operation] : item.as_object()) {
      std::set<std::string> declared;
      const auto* parameters = operation.as_object().if_contains("parameters");
      for (const auto& parameter : parameters ? parameters->as_array() : bj::array()) {
        const auto* reference = parameter.as_object().if_contains("$ref");
        if (reference == nullptr) continue;
        std::string name(reference->as_string());
        name.erase(0, name.rfind('/') + 1);
        const auto& one = document_.at("components").at("parameters").at(name);
        if (one.at("in").as_string() == "path")
          declared.insert(std::string(one.at("name").as_string()));
      }
      std::set<std::string> in_path;
      for (auto at = path.find('{'); at != bj::string_view::npos; at = path.find('{', at + 1)) {
        in_path.insert(std::string(path.substr(at + 1, path.find('}', at) - at - 1)));
      }
      EXPECT_EQ(declared, in_path) << std::string_view(path);
    }
  }
}

TEST_F(Openapi, EveryCode_IsListed) {
  std::set<std::string> listed;
  for (const auto& code : document_.at("components")
                              .at("schemas")
                              .at("Problem")
                              .at("properties")
                              .at("code")
                              .at("enum")
                              .as_array()) {
    listed.insert(std::string(code.as_string()));
  }
  std::set<std::string> codes;
  for (int code = 0; code <= static_cast<int>(Code::kInternal); ++code) {
    codes.insert(std::string(code_info(static_cast<Code>(code)).name));
  }
  EXPECT_EQ(listed, codes);
}

TEST_F(Openapi, Node_ServesIt) {
  const auto answer = test::RouteClient(node_).get("/openapi.json");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.json.at("openapi").as_string(), "3.1.0");
}

}  // namespace
}  // namespace feeds
