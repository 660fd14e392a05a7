#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

// The functions a template can call: their names and what they take. exec.cc calls them.
namespace feeds::key_format {

enum class Function : std::uint8_t {
  kAnd,
  kOr,
  kNot,
  kLen,
  kIndex,
  kSlice,
  kPrint,
  kPrintf,
  kPrintln,
  kHtml,
  kJs,
  kUrlquery,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kDate,
  kLower,
  kUpper,
  kDefault,
};

// What a parameter accepts.
enum class Parameter : std::uint8_t {
  kNone,
  kAny,     // interface{}, or a reflect.Value
  kString,  // a string, nothing else
  kInt64,   // an int64, or a constant that is an integer
};

struct FunctionInfo {
  std::string_view name;
  Function function;
  std::size_t fixed;  // parameters before the variadic one, if there is one
  Parameter fixed_types[2];
  bool variadic;  // any number more of kAny
};

// Null for an unknown name.
const FunctionInfo* find_function(std::string_view name);

}  // namespace feeds::key_format
