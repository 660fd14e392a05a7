#include "common/key_format/compare.h"

#include <algorithm>

namespace feeds::key_format {

namespace {

// What Go's comparisons tell apart.
enum class Basic : std::uint8_t { kNone, kBool, kInteger, kFloat, kComplex, kString };

Basic basic_of(const Value& value) {
  switch (value.kind) {
    case Kind::kBool:
      return Basic::kBool;
    case Kind::kInt:
    case Kind::kInt64:
    case Kind::kUint8:
      return Basic::kInteger;
    case Kind::kFloat64:
      return Basic::kFloat;
    case Kind::kComplex128:
      return Basic::kComplex;
    case Kind::kString:
      return Basic::kString;
    default:
      return Basic::kNone;
  }
}

// Neither is of a basic kind: nothing at all, slices, maps, the activity.
std::optional<bool> equal_others(const Value& first, const Value& second, std::string& error) {
  if (!has_value(first) || !has_value(second)) return has_value(first) == has_value(second);
  if (first.kind != second.kind) {
    error = "non-comparable types";
    return std::nullopt;
  }
  // There is one activity, so two are equal; but Go compares them, which fails for what is in it.
  const Value& inner = first.kind == Kind::kStruct ? first.items[kExtraDataField] : first;
  if (inner.kind == Kind::kSlice || inner.kind == Kind::kMap) {
    error = "non-comparable type " + std::string(type_name(inner));
    return std::nullopt;
  }
  return true;
}

std::optional<bool> equal(const Value& first, const Value& second, Budget& budget,
                          std::string& error) {
  const Basic basic = basic_of(first);
  if (basic != basic_of(second)) {
    if (!has_value(first) || !has_value(second)) return false;
    error = "incompatible types for comparison";
    return std::nullopt;
  }
  switch (basic) {
    case Basic::kBool:
    case Basic::kInteger:
      return first.integer == second.integer;
    case Basic::kFloat:
      return first.real == second.real;
    case Basic::kComplex:
      return first.real == second.real && first.imaginary == second.imaginary;
    case Basic::kString:
      budget.spend_bytes(std::min(first.size, second.size));
      return first.text() == second.text();
    case Basic::kNone:
      break;
  }
  return equal_others(first, second, error);
}

}  // namespace

std::optional<bool> equal_to_any(const Value& first, std::span<const Value> others, Budget& budget,
                                 std::string& error) {
  if (others.empty()) {
    error = "missing argument for comparison";
    return std::nullopt;
  }
  for (const Value& other : others) {
    const auto same = equal(first, other, budget, error);
    if (!same || *same) return same;
  }
  return false;
}

std::optional<bool> less(const Value& first, const Value& second, Budget& budget,
                         std::string& error) {
  const Basic basic = basic_of(first);
  const Basic other = basic_of(second);
  const bool ordered =
      basic == Basic::kInteger || basic == Basic::kFloat || basic == Basic::kString;
  if (basic == Basic::kNone || other == Basic::kNone || (basic == other && !ordered)) {
    error = "invalid type for comparison";
    return std::nullopt;
  }
  if (basic != other) {
    error = "incompatible types for comparison";
    return std::nullopt;
  }
  if (basic == Basic::kInteger) return first.integer < second.integer;
  if (basic == Basic::kFloat) return first.real < second.real;
  budget.spend_bytes(std::min(first.size, second.size));
  return first.text() < second.text();
}

}  // namespace feeds::key_format
