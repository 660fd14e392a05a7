#include <fmt/format.h>

#include <optional>
#include <string>

#include "common/key_format/compare.h"
#include "common/key_format/date_layout.h"
#include "common/key_format/escape.h"
#include "common/key_format/exec.h"
#include "common/key_format/printer.h"

namespace feeds::key_format {

bool Execution::call(Position position, Function function, std::span<const Value> arguments,
                     Value& out) {
  switch (function) {
    case Function::kNot:
      out = bool_value(!truth(arguments[0]));
      return true;
    case Function::kLen:
      return call_len(position, arguments[0], out);
    case Function::kIndex:
      return call_index(position, arguments, out);
    case Function::kSlice:
      return call_slice(position, arguments, out);
    case Function::kDefault:
      out = truth(arguments[1]) ? arguments[1] : arguments[0];
      return true;
    case Function::kEq:
    case Function::kNe:
    case Function::kLt:
    case Function::kLe:
    case Function::kGt:
    case Function::kGe:
      return call_comparison(position, function, arguments, out);
    default:
      return call_text(position, function, arguments, out);
  }
}

bool Execution::call_comparison(Position position, Function function,
                                std::span<const Value> arguments, Value& out) {
  if (!fill_activity(position, arguments)) return false;
  std::string error;
  const Value& first = arguments[0];
  const auto others = arguments.subspan(1);
  std::optional<bool> result;
  if (function == Function::kEq || function == Function::kNe) {
    result = equal_to_any(first, others, budget_, error);
  } else {
    result = less(first, others[0], budget_, error);
    // Not greater is less or equal, also where neither holds (NaN).
    const bool needs_equal = function == Function::kLe || function == Function::kGt;
    if (needs_equal && result && !*result) result = equal_to_any(first, others, budget_, error);
  }
  if (!result) return fail(position, "error calling a comparison: " + error);
  const bool inverted =
      function == Function::kNe || function == Function::kGt || function == Function::kGe;
  out = bool_value(*result != inverted);
  return spend(position, 0);
}

bool Execution::call_len(Position position, const Value& value, Value& out) {
  if (value.kind != Kind::kString && value.kind != Kind::kSlice && value.kind != Kind::kMap) {
    return fail(position, fmt::format("error calling len: len of type {}", type_name(value)));
  }
  out = integer_value(Kind::kInt, value.size);
  return true;
}

// An index into a text or slice: an integer from 0 to `limit`.
bool Execution::index_argument(Position position, const Value& index, std::size_t limit,
                               std::size_t& out) {
  const bool integer =
      index.kind == Kind::kInt || index.kind == Kind::kInt64 || index.kind == Kind::kUint8;
  if (!integer) {
    return fail(position, fmt::format("cannot index slice/array with type {}", type_name(index)));
  }
  if (index.integer < 0 || static_cast<std::uint64_t>(index.integer) > limit) {
    return fail(position, fmt::format("index out of range: {}", index.integer));
  }
  out = static_cast<std::size_t>(index.integer);
  return true;
}

// index x 1 2 is x[1][2]; an absent entry of a map is null.
bool Execution::call_index(Position position, std::span<const Value> arguments, Value& out) {
  out = arguments[0];
  if (!has_value(out)) return fail(position, "error calling index: index of untyped nil");
  for (const Value& index : arguments.subspan(1)) {
    if (out.kind == Kind::kMap) {
      if (index.kind != Kind::kString) {
        return fail(position, fmt::format("value has type {}; should be string", type_name(index)));
      }
      if (!spend(position, 1 + index.size / 64)) return false;
      out = map_entry(out, index.text());
      if (out.kind == Kind::kInvalid) out = nil_value();
      continue;
    }
    if (out.kind != Kind::kSlice && out.kind != Kind::kString) {
      return fail(position, fmt::format("can't index item of type {}", type_name(out)));
    }
    std::size_t at = 0;
    if (!index_argument(position, index, out.size, at)) return false;
    if (at == out.size) return fail(position, fmt::format("index out of range: {}", at));
    out = out.kind == Kind::kSlice
              ? slice_item(out, at)
              : integer_value(Kind::kUint8, static_cast<unsigned char>(out.bytes[at]));
  }
  return true;
}

// slice x 1 2 is x[1:2], of a text or a slice, which may be grown again up to its capacity.
bool Execution::call_slice(Position position, std::span<const Value> arguments, Value& out) {
  const Value& item = arguments[0];
  const auto indexes = arguments.subspan(1);
  if (item.kind != Kind::kString && item.kind != Kind::kSlice) {
    return fail(position, fmt::format("can't slice item of type {}", type_name(item)));
  }
  const bool text = item.kind == Kind::kString;
  if (indexes.size() > 3) return fail(position, "too many slice indexes");
  if (text && indexes.size() == 3) return fail(position, "cannot 3-index slice a string");
  const std::size_t capacity = text ? item.size : item.capacity;
  std::size_t bounds[3] = {0, item.size, capacity};
  for (std::size_t i = 0; i < indexes.size(); ++i) {
    // Go's slice does not look into an interface, which is what elements are.
    if (indexes[i].boxed) {
      return fail(position, "cannot index slice/array with type interface {}");
    }
    if (!index_argument(position, indexes[i], capacity, bounds[i])) return false;
  }
  if (bounds[0] > bounds[1] || bounds[1] > bounds[2]) {
    return fail(position, fmt::format("invalid slice index: {} > {}", bounds[0], bounds[1]));
  }
  out = text ? string_value(item.text().substr(bounds[0], bounds[1] - bounds[0]))
             : slice_value(item.items + bounds[0], bounds[1] - bounds[0], bounds[2] - bounds[0]);
  return true;
}

// --- functions that make a text

// Their operands as print would put them, but with nothing as "<no value>".
bool Execution::joined(Position position, std::span<const Value> arguments, Text& out) {
  if (!fill_activity(position, arguments)) return false;
  Arguments shown(arguments.begin(), arguments.end());
  for (Value& each : shown) {
    if (!has_value(each)) each = string_value("<no value>");
  }
  Printer(out).print({shown.data(), shown.size()});
  return spend(position, 0);
}

bool Execution::finish(Position position, const Text& text, Value& out) {
  if (!spend(position, 0)) return false;
  out = string_value(text.keep());
  return true;
}

bool Execution::call_text(Position position, Function function, std::span<const Value> arguments,
                          Value& out) {
  Text text(arena_, budget_);
  if (function == Function::kHtml || function == Function::kJs || function == Function::kUrlquery) {
    Text input(arena_, budget_);
    if (!joined(position, arguments, input)) return false;
    const auto append = function == Function::kHtml ? append_html
                        : function == Function::kJs ? append_js
                                                    : append_urlquery;
    append(text, input.view());
    return finish(position, text, out);
  }
  if (!fill_activity(position, arguments)) return false;
  Printer printer(text);
  switch (function) {
    case Function::kPrint:
      printer.print(arguments);
      break;
    case Function::kPrintln:
      printer.println(arguments);
      break;
    case Function::kPrintf:
      printer.printf(arguments[0].text(), arguments.subspan(1));
      break;
    case Function::kDate:
      append_date(text, arguments[0].text(), arguments[1].integer);
      break;
    case Function::kLower:
      append_lower(text, arguments[0].text());
      break;
    default:
      append_upper(text, arguments[0].text());
  }
  if (printer.asked_for_address()) {
    return fail(position, "%p of a slice or map: its address would differ each time");
  }
  return finish(position, text, out);
}

}  // namespace feeds::key_format
