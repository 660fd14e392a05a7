#include "common/key_format/value.h"

#include <algorithm>

namespace feeds::key_format {

bool truth(const Value& value) {
  switch (value.kind) {
    case Kind::kInvalid:
    case Kind::kNil:
      return false;
    case Kind::kBool:
    case Kind::kInt:
    case Kind::kInt64:
    case Kind::kUint8:
      return value.integer != 0;
    case Kind::kFloat64:
      return value.real != 0;
    case Kind::kComplex128:
      return value.real != 0 || value.imaginary != 0;
    case Kind::kString:
    case Kind::kSlice:
    case Kind::kMap:
      return value.size > 0;
    case Kind::kStruct:
      return true;
  }
  return false;
}

Value map_entry(const Value& map, std::string_view key) {
  const MapEntry* end = map.entries + map.size;
  const MapEntry* entry =
      std::lower_bound(map.entries, end, key,
                       [](const MapEntry& each, std::string_view name) { return each.key < name; });
  if (entry == end || entry->key != key) return {};
  Value value = entry->value;
  value.boxed = true;
  return value;
}

Value slice_item(const Value& slice, std::size_t index) {
  Value value = slice.items[index];
  value.boxed = true;
  return value;
}

std::string_view type_name(const Value& value) {
  switch (value.kind) {
    case Kind::kInvalid:
    case Kind::kNil:
      return "<nil>";
    case Kind::kBool:
      return "bool";
    case Kind::kInt:
      return "int";
    case Kind::kInt64:
      return "int64";
    case Kind::kUint8:
      return "uint8";
    case Kind::kFloat64:
      return "float64";
    case Kind::kComplex128:
      return "complex128";
    case Kind::kString:
      return "string";
    case Kind::kSlice:
      return "[]interface {}";
    case Kind::kMap:
      return "map[string]interface {}";
    case Kind::kStruct:
      return "main.Activity";
  }
  return "<nil>";
}

}  // namespace feeds::key_format
