#include "common/key_format/functions.h"

#include <algorithm>
#include <iterator>

namespace feeds::key_format {

namespace {

constexpr Parameter kAny = Parameter::kAny;
constexpr Parameter kNone = Parameter::kNone;

// Sorted by name. Go's `call` is left out: there is nothing to call.
constexpr FunctionInfo kFunctions[] = {
    {"and", Function::kAnd, 1, {kAny, kNone}, true},
    {"date", Function::kDate, 2, {Parameter::kString, Parameter::kInt64}, false},
    {"default", Function::kDefault, 2, {kAny, kAny}, false},
    {"eq", Function::kEq, 1, {kAny, kNone}, true},
    {"ge", Function::kGe, 2, {kAny, kAny}, false},
    {"gt", Function::kGt, 2, {kAny, kAny}, false},
    {"html", Function::kHtml, 0, {kNone, kNone}, true},
    {"index", Function::kIndex, 1, {kAny, kNone}, true},
    {"js", Function::kJs, 0, {kNone, kNone}, true},
    {"le", Function::kLe, 2, {kAny, kAny}, false},
    {"len", Function::kLen, 1, {kAny, kNone}, false},
    {"lower", Function::kLower, 1, {Parameter::kString, kNone}, false},
    {"lt", Function::kLt, 2, {kAny, kAny}, false},
    {"ne", Function::kNe, 2, {kAny, kAny}, false},
    {"not", Function::kNot, 1, {kAny, kNone}, false},
    {"or", Function::kOr, 1, {kAny, kNone}, true},
    {"print", Function::kPrint, 0, {kNone, kNone}, true},
    {"printf", Function::kPrintf, 1, {Parameter::kString, kNone}, true},
    {"println", Function::kPrintln, 0, {kNone, kNone}, true},
    {"slice", Function::kSlice, 1, {kAny, kNone}, true},
    {"upper", Function::kUpper, 1, {Parameter::kString, kNone}, false},
    {"urlquery", Function::kUrlquery, 0, {kNone, kNone}, true},
};

}  // namespace

const FunctionInfo* find_function(std::string_view name) {
  const auto* found = std::lower_bound(
      std::begin(kFunctions), std::end(kFunctions), name,
      [](const FunctionInfo& each, std::string_view wanted) { return each.name < wanted; });
  return found != std::end(kFunctions) && found->name == name ? found : nullptr;
}

}  // namespace feeds::key_format
