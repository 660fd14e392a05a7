#include "common/json/text.h"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/locale/utf.hpp>
#include <unordered_set>

#include "common/base/ids.h"
#include "common/base/limits.h"

namespace feeds::json {
namespace {

namespace bj = boost::json;

// Names of so many are compared in less time than hashed.
constexpr std::size_t kFewMembers = 16;

// Takes every event and keeps nothing: the parser's own checks are what is wanted.
struct Validator {
  static constexpr std::size_t max_object_size = std::size_t(-1);
  static constexpr std::size_t max_array_size = std::size_t(-1);
  static constexpr std::size_t max_key_size = std::size_t(-1);
  static constexpr std::size_t max_string_size = std::size_t(-1);
  using Failure = bj::error_code;
  bool on_document_begin(Failure&) { return true; }
  bool on_document_end(Failure&) { return true; }
  bool on_object_begin(Failure&) { return true; }
  bool on_object_end(std::size_t, Failure&) { return true; }
  bool on_array_begin(Failure&) { return true; }
  bool on_array_end(std::size_t, Failure&) { return true; }
  bool on_key_part(bj::string_view, std::size_t, Failure&) { return true; }
  bool on_key(bj::string_view, std::size_t, Failure&) { return true; }
  bool on_string_part(bj::string_view, std::size_t, Failure&) { return true; }
  bool on_string(bj::string_view, std::size_t, Failure&) { return true; }
  bool on_number_part(bj::string_view, Failure&) { return true; }
  bool on_int64(std::int64_t, bj::string_view, Failure&) { return true; }
  bool on_uint64(std::uint64_t, bj::string_view, Failure&) { return true; }
  bool on_double(double, bj::string_view, Failure&) { return true; }
  bool on_bool(bool, Failure&) { return true; }
  bool on_null(Failure&) { return true; }
  bool on_comment_part(bj::string_view, Failure&) { return true; }
  bool on_comment(bj::string_view, Failure&) { return true; }
};

Status validate(std::string_view text) {
  bj::parse_options options;
  options.max_depth = limits::kJsonDepth;
  bj::basic_parser<Validator> parser(options);
  bj::error_code error;
  const auto used = parser.write_some(false, text.data(), text.size(), error);
  if (!error && used < text.size()) error = bj::error::extra_data;
  if (!error) return done();
  if (error == bj::error::too_deep) {
    return Error{Code::kBadJson, "the JSON is nested deeper than 64"};
  }
  return Error{Code::kBadJson,
               "not valid JSON at byte " + std::to_string(used) + ": " + error.message()};
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Walks text that was validated, so every token is well formed and ends.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  char peek() {
    while (is_space(text_[at_])) ++at_;
    return text_[at_];
  }
  void skip() { ++at_; }

  std::string_view value() {
    const char first = peek();
    const auto begin = at_;
    if (first == '"') {
      skip_string();
    } else if (first == '{' || first == '[') {
      skip_nested();
    } else {
      while (at_ < text_.size() && !is_space(text_[at_]) && text_[at_] != ',' &&
             text_[at_] != '}' && text_[at_] != ']') {
        ++at_;
      }
    }
    return text_.substr(begin, at_ - begin);
  }

 private:
  void skip_string() {
    for (++at_; text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    ++at_;
  }
  void skip_nested() {
    int depth = 0;
    do {
      const char c = text_[at_];
      if (c == '"') {
        skip_string();
        continue;
      }
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      ++at_;
    } while (depth > 0);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::string unescape(std::string_view raw) {
  if (raw.find('\\') == std::string_view::npos) return std::string(raw.substr(1, raw.size() - 2));
  return std::string(bj::parse(bj::string_view(raw.data(), raw.size())).as_string());
}

Kind kind_of(std::string_view raw) {
  switch (raw[0]) {
    case 'n':
      return Kind::kNull;
    case 't':
    case 'f':
      return Kind::kBool;
    case '"':
      return Kind::kString;
    case '[':
      return Kind::kArray;
    case '{':
      return Kind::kObject;
    default:
      return Kind::kNumber;
  }
}

}  // namespace

const Member* Object::find(std::string_view name) const {
  for (const auto& member : members_) {
    if (member.name == name) return &member;
  }
  return nullptr;
}

Status Object::only(std::initializer_list<std::string_view> known) const {
  for (const auto& member : members_) {
    if (std::find(known.begin(), known.end(), member.name) == known.end()) {
      return Error{Code::kUnknownMember, "unknown member \"" + member.name + "\""};
    }
  }
  return done();
}

Result<Object> parse_object(std::string_view text) {
  if (auto valid = validate(text); !valid) return valid.error();
  Scanner scanner(text);
  if (scanner.peek() != '{') return Error{Code::kBadJson, "the body must be a JSON object"};
  scanner.skip();

  Object object;
  auto& members = object.members_;
  std::unordered_set<std::string> seen;
  const auto is_given = [&](const std::string& name) {
    if (members.size() < kFewMembers) return object.find(name) != nullptr;
    if (seen.empty()) {
      for (const auto& member : members) seen.insert(member.name);
    }
    return !seen.insert(name).second;
  };
  while (scanner.peek() != '}') {
    if (scanner.peek() == ',') scanner.skip();
    Member member;
    member.name = unescape(scanner.value());
    scanner.peek();  // the colon
    scanner.skip();
    member.raw = scanner.value();
    member.kind = kind_of(member.raw);
    if (is_given(member.name)) {
      return Error{Code::kDuplicateMember, "member \"" + member.name + "\" is given twice"};
    }
    members.push_back(std::move(member));
  }
  return object;
}

Result<std::string> string_value(const Member& member) {
  if (member.kind != Kind::kString) {
    return Error{Code::kBadMember, "member \"" + member.name + "\" must be a string"};
  }
  return unescape(member.raw);
}

Result<std::uint64_t> id_value(const Member& member) {
  std::optional<std::uint64_t> id;
  if (member.kind == Kind::kNumber) id = parse_decimal(member.raw);
  if (member.kind == Kind::kString) id = parse_decimal(unescape(member.raw));
  if (id) return *id;
  return Error{Code::kBadMember, "member \"" + member.name +
                                     "\" must be an id: decimal digits, as a number or a string"};
}

std::string compact(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  bool in_string = false;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const char c = raw[i];
    if (!in_string && is_space(c)) continue;
    out += c;
    if (in_string && c == '\\') {
      out += raw[++i];
    } else if (c == '"') {
      in_string = !in_string;
    }
  }
  return out;
}

void append_string(std::string& out, std::string_view text) {
  out += bj::serialize(bj::string_view(text.data(), text.size()));
}

bool is_utf8(std::string_view text) {
  namespace utf = boost::locale::utf;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    if (static_cast<unsigned char>(*at) < 0x80) {
      ++at;
      continue;
    }
    const auto point = utf::utf_traits<char>::decode(at, end);
    if (point == utf::illegal || point == utf::incomplete) return false;
  }
  return true;
}

}  // namespace feeds::json
