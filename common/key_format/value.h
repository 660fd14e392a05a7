#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory_resource>
#include <string_view>

// The values of the template language: what a Go program would hold in its interface{} variables.
namespace feeds::key_format {

enum class Kind : std::uint8_t {
  kInvalid,  // no value at all: a missing map entry
  kNil,      // an interface that holds nothing: JSON's null
  kBool,
  kInt,    // constants and lengths
  kInt64,  // fields and JSON integers
  kUint8,  // bytes of a string
  kFloat64,
  kComplex128,
  kString,
  kSlice,   // []interface{}
  kMap,     // map[string]interface{}
  kStruct,  // the activity itself
};

struct MapEntry;

// A small handle: text, items and entries belong to the activity, the template or the arena of the
// render that made it.
struct Value {
  Kind kind = Kind::kInvalid;
  // Reached as an element of an interface type, not unwrapped yet. Go's `slice` tells the
  // difference.
  bool boxed = false;
  std::uint32_t size = 0;  // of text, slice or map
  union {
    std::int64_t integer = 0;  // also of kBool and kUint8
    double real;
    const char* bytes;
    const Value* items;  // of kStruct: its fields, in order
    const MapEntry* entries;
  };
  union {
    double imaginary = 0;
    std::uint32_t capacity;  // of kSlice: what may be sliced up to
  };

  std::string_view text() const { return {bytes, size}; }
};

// Sorted by key, bytewise; keys are unique.
struct MapEntry {
  std::string_view key;
  Value value;
};

inline Value nil_value() {
  Value value;
  value.kind = Kind::kNil;
  return value;
}

inline Value bool_value(bool truth) {
  Value value;
  value.kind = Kind::kBool;
  value.integer = truth;
  return value;
}

inline Value integer_value(Kind kind, std::int64_t integer) {
  Value value;
  value.kind = kind;
  value.integer = integer;
  return value;
}

inline Value float_value(double real) {
  Value value;
  value.kind = Kind::kFloat64;
  value.real = real;
  return value;
}

inline Value complex_value(double real, double imaginary) {
  Value value;
  value.kind = Kind::kComplex128;
  value.real = real;
  value.imaginary = imaginary;
  return value;
}

inline Value string_value(std::string_view text) {
  Value value;
  value.kind = Kind::kString;
  value.size = static_cast<std::uint32_t>(text.size());
  value.bytes = text.data();
  return value;
}

inline Value slice_value(const Value* items, std::size_t size, std::size_t capacity) {
  Value value;
  value.kind = Kind::kSlice;
  value.size = static_cast<std::uint32_t>(size);
  value.items = items;
  value.capacity = static_cast<std::uint32_t>(capacity);
  return value;
}

inline Value map_value(const MapEntry* entries, std::size_t size) {
  Value value;
  value.kind = Kind::kMap;
  value.size = static_cast<std::uint32_t>(size);
  value.entries = entries;
  return value;
}

inline bool has_value(const Value& value) {
  return value.kind != Kind::kInvalid && value.kind != Kind::kNil;
}

// Go's truth: not the zero of its type, not empty; the activity itself is always true.
bool truth(const Value& value);

// The entry of that key, boxed, or an invalid value.
Value map_entry(const Value& map, std::string_view key);

// The element at `index`, which is below the size, boxed.
Value slice_item(const Value& slice, std::size_t index);

// "int64", "map[string]interface {}"; "<nil>" for neither value nor type.
std::string_view type_name(const Value& value);

// Fields of the activity in Go's order, which is also that of their values in a kStruct.
inline constexpr std::string_view kFieldNames[] = {
    "Id",        "StringId",  "ObjectId", "CollectionId", "LinkedActivityId",
    "CreatedAt", "UpdatedAt", "UserId",   "ActivityType", "ExtraData"};
inline constexpr std::size_t kFieldCount = std::size(kFieldNames);
inline constexpr std::size_t kExtraDataField = kFieldCount - 1;

// Reads JSON: integers without '.' or exponent that fit are int64, other numbers float64; of
// members with one name the last counts. Everything made lives in `arena`, and views `json`'s copy
// there. False if `json` is no JSON text.
bool read_json(std::string_view json, std::pmr::memory_resource& arena, Value& out);

}  // namespace feeds::key_format
