#include "common/http/router.h"

#include <cassert>

#include "common/http/text.h"

namespace feeds::http {
namespace {

constexpr std::size_t kMaxSegments = 12;
constexpr std::size_t kMethods = static_cast<std::size_t>(Method::kOther);
constexpr std::size_t kNoRoute = static_cast<std::size_t>(-1);

std::size_t slot(Method method) {
  return static_cast<std::size_t>(method);
}

bool is_placeholder(std::string_view segment) {
  return segment.size() > 2 && segment.front() == '{' && segment.back() == '}';
}

}  // namespace

// One segment deep of the tree of patterns.
struct Router::Node {
  Node() { by_method.fill(kNoRoute); }

  std::vector<std::pair<std::string, std::unique_ptr<Node>>> literals;
  std::unique_ptr<Node> placeholder;
  // Where a pattern ends.
  std::array<std::size_t, kMethods> by_method;
  bool has_routes = false;
  std::string allow;
  std::string pattern;
  std::vector<std::size_t> placeholders;  // which segments they are
};

// A path taken apart. `text[i]` is segment i decoded, or as sent where `bad[i]`.
struct Router::Segments {
  std::array<std::string_view, kMaxSegments> text;
  std::array<bool, kMaxSegments> bad{};
  std::array<std::string, kMaxSegments> decoded;  // storage of those that had escapes
  std::size_t count = 0;
  bool any_bad = false;
  bool too_many = false;

  explicit Segments(std::string_view path) {
    assert(!path.empty() && path.front() == '/');
    path.remove_prefix(1);
    if (!path.empty() && path.back() == '/') path.remove_suffix(1);
    if (path.empty()) return;
    for (;;) {
      const std::size_t end = path.find('/');
      add(path.substr(0, end));
      if (end == std::string_view::npos) return;
      path.remove_prefix(end + 1);
    }
  }

 private:
  void add(std::string_view raw) {
    if (count == kMaxSegments) {
      too_many = true;
      return;
    }
    text[count] = raw;
    bool good = true;
    if (raw.find('%') != std::string_view::npos) {
      auto value = percent_decode(raw, false);
      good = value.has_value();
      if (good) {
        decoded[count] = *std::move(value);
        text[count] = decoded[count];
      }
    }
    good = good && is_utf8(text[count]);
    bad[count] = !good;
    any_bad = any_bad || !good;
    ++count;
  }
};

Router::Router() : root_(std::make_unique<Node>()) {}
Router::~Router() = default;
Router::Router(Router&&) noexcept = default;
Router& Router::operator=(Router&&) noexcept = default;

void Router::add(Route route) {
  assert(route.method != Method::kHead && route.method != Method::kOptions &&
         route.method != Method::kOther);
  const Segments segments(route.pattern);
  assert(!segments.too_many);
  Node* node = root_.get();
  std::vector<std::size_t> placeholders;
  for (std::size_t i = 0; i < segments.count; ++i) {
    const std::string_view segment = segments.text[i];
    if (is_placeholder(segment)) {
      placeholders.push_back(i);
      if (!node->placeholder) node->placeholder = std::make_unique<Node>();
      node = node->placeholder.get();
      continue;
    }
    Node* next = nullptr;
    for (auto& [literal, child] : node->literals) {
      if (literal == segment) next = child.get();
    }
    if (next == nullptr) {
      next = node->literals.emplace_back(segment, std::make_unique<Node>()).second.get();
    }
    node = next;
  }
  assert(placeholders.size() <= Request{}.path_values.size());
  assert(node->by_method[slot(route.method)] == kNoRoute);

  node->by_method[slot(route.method)] = routes_.size();
  if (!node->has_routes) node->pattern = route.pattern;
  node->has_routes = true;
  node->placeholders = std::move(placeholders);
  node->allow.clear();
  for (const Method method :
       {Method::kGet, Method::kPost, Method::kPut, Method::kPatch, Method::kDelete}) {
    if (node->by_method[slot(method)] == kNoRoute) continue;
    node->allow += to_string(method);
    node->allow += method == Method::kGet ? ", HEAD, " : ", ";
  }
  node->allow += "OPTIONS";
  routes_.push_back(std::move(route));
}

const Router::Node* Router::find(const Node& node, const Segments& segments, std::size_t at) const {
  if (at == segments.count) return node.has_routes ? &node : nullptr;
  if (!segments.bad[at]) {
    for (const auto& [literal, child] : node.literals) {
      if (literal != segments.text[at]) continue;
      if (const Node* found = find(*child, segments, at + 1)) return found;
      break;
    }
  }
  if (node.placeholder && !segments.text[at].empty()) {
    return find(*node.placeholder, segments, at + 1);
  }
  return nullptr;
}

Router::Match Router::match(Request& request) const {
  Match result;
  const Segments segments(request.path);
  const Node* node = segments.too_many ? nullptr : find(*root_, segments, 0);
  if (node == nullptr) {
    if (segments.any_bad) {
      result.error = Code::kBadPath;
      result.detail = "a path segment is not percent-encoded UTF-8";
    } else {
      result.detail = "no such path";
    }
    return result;
  }
  result.pattern = node->pattern;
  const Method method = request.method == Method::kHead ? Method::kGet : request.method;
  const std::size_t index = method == Method::kOther ? kNoRoute : node->by_method[slot(method)];
  if (index == kNoRoute) {
    result.error = Code::kMethodNotAllowed;
    result.allow = node->allow;
    result.detail = "this path takes " + node->allow;
    return result;
  }
  for (std::size_t i = 0; i < node->placeholders.size(); ++i) {
    const std::size_t segment = node->placeholders[i];
    if (segments.bad[segment]) {
      result.error = Code::kBadPath;
      result.detail = "a path segment is not percent-encoded UTF-8";
      return result;
    }
    request.path_values[i] = segments.text[segment];
  }
  result.route = &routes_[index];
  return result;
}

}  // namespace feeds::http
