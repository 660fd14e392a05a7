#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "common/key_format/value.h"

namespace feeds::key_format {

namespace {

namespace json = boost::json;

constexpr std::size_t kMaxDepth = 128;  // the API lets 64 in

Value number_of(std::string_view text) {
  if (text.find_first_of(".eE") == std::string_view::npos) {
    std::int64_t integer = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), integer);
    if (failed == std::errc{} && end == text.data() + text.size()) {
      return integer_value(Kind::kInt64, integer);
    }
  }
  double real = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), real);
  // from_chars leaves both overflow and underflow to us; strtod gives infinity or zero.
  if (parsed.ec != std::errc{}) real = std::strtod(std::string(text).c_str(), nullptr);
  return float_value(real);
}

// Builds values bottom up: the members of an array or object are the last ones on the stack when it
// ends, and so are the names of an object's. Boost.JSON hands over numbers as written, in parts;
// strings and keys unescaped, in parts.
class Builder {
 public:
  static constexpr std::size_t max_object_size = std::size_t(-1);
  static constexpr std::size_t max_array_size = std::size_t(-1);
  static constexpr std::size_t max_key_size = std::size_t(-1);
  static constexpr std::size_t max_string_size = std::size_t(-1);

  explicit Builder(std::pmr::memory_resource& arena) : arena_(arena) {}

  Value result() const { return values_.empty() ? nil_value() : values_.front(); }

  using Fail = json::error_code;

  bool on_document_begin(Fail&) { return true; }
  bool on_document_end(Fail&) { return true; }
  bool on_object_begin(Fail&) { return true; }
  bool on_array_begin(Fail&) { return true; }

  bool on_array_end(std::size_t size, Fail&) {
    Value* items = allocate<Value>(size);
    const auto first = values_.end() - static_cast<std::ptrdiff_t>(size);
    std::copy(first, values_.end(), items);
    values_.erase(first, values_.end());
    push(slice_value(items, size, size));
    return true;
  }

  bool on_object_end(std::size_t size, Fail&) {
    MapEntry* entries = allocate<MapEntry>(size);
    const auto key = keys_.end() - static_cast<std::ptrdiff_t>(size);
    const auto first = values_.end() - static_cast<std::ptrdiff_t>(size);
    std::transform(key, keys_.end(), first, entries, [](std::string_view name, const Value& value) {
      return MapEntry{name, value};
    });
    keys_.erase(key, keys_.end());
    values_.erase(first, values_.end());
    std::stable_sort(entries, entries + size,
                     [](const MapEntry& a, const MapEntry& b) { return a.key < b.key; });
    std::size_t count = 0;
    for (std::size_t i = 0; i < size; ++i) {
      if (count > 0 && entries[count - 1].key == entries[i].key) --count;
      entries[count++] = entries[i];
    }
    push(map_value(entries, count));
    return true;
  }

  bool on_key_part(json::string_view part, std::size_t, Fail&) { return append(part); }
  bool on_key(json::string_view part, std::size_t, Fail&) {
    append(part);
    keys_.push_back(take_text());
    return true;
  }

  bool on_string_part(json::string_view part, std::size_t, Fail&) { return append(part); }
  bool on_string(json::string_view part, std::size_t, Fail&) {
    append(part);
    push(string_value(take_text()));
    return true;
  }

  bool on_number_part(json::string_view part, Fail&) { return append(part); }
  bool on_int64(std::int64_t, json::string_view part, Fail&) { return number(part); }
  bool on_uint64(std::uint64_t, json::string_view part, Fail&) { return number(part); }
  bool on_double(double, json::string_view part, Fail&) { return number(part); }

  bool on_bool(bool truth, Fail&) {
    push(bool_value(truth));
    return true;
  }
  bool on_null(Fail&) {
    push(nil_value());
    return true;
  }

  bool on_comment_part(json::string_view, Fail&) { return true; }
  bool on_comment(json::string_view, Fail&) { return true; }

 private:
  template <class T>
  T* allocate(std::size_t count) {
    T* made = static_cast<T*>(arena_.allocate(count * sizeof(T), alignof(T)));
    std::uninitialized_default_construct_n(made, count);
    return made;
  }

  bool append(json::string_view part) {
    text_.append(part.data(), part.size());
    return true;
  }

  std::string_view take_text() {
    char* copy = static_cast<char*>(arena_.allocate(text_.size() + 1, 1));
    std::memcpy(copy, text_.data(), text_.size());
    const std::string_view kept{copy, text_.size()};
    text_.clear();
    return kept;
  }

  bool number(json::string_view part) {
    append(part);
    push(number_of(text_));
    text_.clear();
    return true;
  }

  void push(const Value& value) { values_.push_back(value); }

  std::pmr::memory_resource& arena_;
  std::string text_;
  std::vector<Value> values_;
  std::vector<std::string_view> keys_;
};

}  // namespace

bool read_json(std::string_view text, std::pmr::memory_resource& arena, Value& out) {
  json::parse_options options;
  options.max_depth = kMaxDepth;
  json::basic_parser<Builder> parser(options, arena);
  json::error_code failed;
  const std::size_t used = parser.write_some(false, text.data(), text.size(), failed);
  if (failed || used != text.size() || !parser.done()) return false;
  out = parser.handler().result();
  return true;
}

}  // namespace feeds::key_format
