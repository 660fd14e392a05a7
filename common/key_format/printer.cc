#include "common/key_format/printer.h"

#include <algorithm>

#include "common/key_format/utf8.h"

namespace feeds::key_format {

void Printer::print(std::span<const Value> operands) {
  bool previous_string = false;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const bool is_string = operands[i].kind == Kind::kString;
    if (i > 0 && !is_string && !previous_string) text_.append(' ');
    operand(operands[i], 'v');
    previous_string = is_string;
  }
}

void Printer::println(std::span<const Value> operands) {
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (i > 0) text_.append(' ');
    operand(operands[i], 'v');
  }
  text_.append('\n');
}

// An operand as it was passed: %T and %p ask about it, not about what is in it.
void Printer::operand(const Value& value, char32_t verb) {
  if (!has_value(value)) {
    if (verb == 'T' || verb == 'v') {
      pad("<nil>");
    } else {
      bad_verb(value, verb);
    }
    return;
  }
  if (verb == 'T') {
    pad(truncated(type_name(value)));
    return;
  }
  if (verb == 'p') {
    if (value.kind == Kind::kSlice || value.kind == Kind::kMap) {
      asked_for_address_ = true;
    } else {
      bad_verb(value, verb);
    }
    return;
  }
  const bool composite =
      value.kind == Kind::kSlice || value.kind == Kind::kMap || value.kind == Kind::kStruct;
  if (verb == 'w' && composite) {  // asks for an error value, which is no matter of the parts
    bad_verb(value, verb);
    return;
  }
  this->value(value, verb, 0);
}

void Printer::value(const Value& value, char32_t verb, int depth) {
  switch (value.kind) {
    case Kind::kInvalid:
    case Kind::kNil:
      text_.append(flags_.sharp_v ? "interface {}(nil)" : "<nil>");
      return;
    case Kind::kBool:
      if (verb == 't' || verb == 'v') {
        pad(value.integer != 0 ? "true" : "false");
      } else {
        bad_verb(value, verb);
      }
      return;
    case Kind::kInt:
    case Kind::kInt64:
    case Kind::kUint8:
      integer(value, verb);
      return;
    case Kind::kFloat64:
      floating(value, value.real, verb);
      return;
    case Kind::kComplex128:
      complex(value, verb);
      return;
    case Kind::kString:
      string(value, verb);
      return;
    case Kind::kSlice:
      slice(value, verb, depth);
      return;
    case Kind::kMap:
      map(value, verb, depth);
      return;
    case Kind::kStruct:
      structure(value, verb, depth);
  }
}

void Printer::slice(const Value& value, char32_t verb, int depth) {
  if (flags_.sharp_v) text_.append(type_name(value));
  text_.append(flags_.sharp_v ? '{' : '[');
  for (std::size_t i = 0; i < value.size && !text_.budget().spent(); ++i) {
    if (i > 0) text_.append(flags_.sharp_v ? ", " : " ");
    this->value(value.items[i], verb, depth + 1);
  }
  text_.append(flags_.sharp_v ? '}' : ']');
}

void Printer::map(const Value& value, char32_t verb, int depth) {
  if (flags_.sharp_v) text_.append(type_name(value));
  text_.append(flags_.sharp_v ? "{" : "map[");
  for (std::size_t i = 0; i < value.size && !text_.budget().spent(); ++i) {
    if (i > 0) text_.append(flags_.sharp_v ? ", " : " ");
    string(string_value(value.entries[i].key), verb);
    text_.append(':');
    this->value(value.entries[i].value, verb, depth + 1);
  }
  text_.append(flags_.sharp_v ? '}' : ']');
}

void Printer::structure(const Value& value, char32_t verb, int depth) {
  if (flags_.sharp_v) text_.append(type_name(value));
  text_.append('{');
  for (std::size_t i = 0; i < kFieldCount; ++i) {
    if (i > 0) text_.append(flags_.sharp_v ? ", " : " ");
    if (flags_.plus_v || flags_.sharp_v) {
      text_.append(kFieldNames[i]);
      text_.append(':');
    }
    this->value(value.items[i], verb, depth + 1);
  }
  text_.append('}');
}

void Printer::bad_verb(const Value& value, char32_t verb) {
  text_.append("%!");
  text_.append_rune(verb);
  text_.append('(');
  if (has_value(value)) {
    text_.append(type_name(value));
    text_.append('=');
    this->value(value, 'v', 0);
  } else {
    text_.append("<nil>");
  }
  text_.append(')');
}

// --- strings

void Printer::string(const Value& value, char32_t verb) {
  switch (verb) {
    case 'v':
      if (flags_.sharp_v) {
        quoted_string(value.text());
        return;
      }
      [[fallthrough]];
    case 's':
      pad(truncated(value.text()));
      return;
    case 'x':
    case 'X':
      hex_string(value.text(), verb == 'X');
      return;
    case 'q':
      quoted_string(value.text());
      return;
    default:
      bad_verb(value, verb);
  }
}

void Printer::hex_string(std::string_view text, bool upper) {
  const std::string_view digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
  const std::string_view prefix = upper ? "0X" : "0x";
  if (flags_.has_precision && static_cast<std::size_t>(flags_.precision) < text.size()) {
    text = text.substr(0, static_cast<std::size_t>(flags_.precision));
  }
  if (text.empty()) {
    if (flags_.has_width) padding(flags_.width);
    return;
  }
  std::size_t width = 2 * text.size();
  if (flags_.space) {
    if (flags_.sharp) width *= 2;
    width += text.size() - 1;
  } else if (flags_.sharp) {
    width += 2;
  }
  const int missing =
      flags_.has_width ? flags_.width - static_cast<int>(std::min<std::size_t>(width, 1 << 30)) : 0;
  if (!flags_.minus) padding(missing);
  for (std::size_t i = 0; i < text.size() && !text_.budget().spent(); ++i) {
    if (flags_.space && i > 0) text_.append(' ');
    if (flags_.sharp && (flags_.space || i == 0)) text_.append(prefix);
    const auto byte = static_cast<unsigned char>(text[i]);
    const char pair[2] = {digits[byte >> 4], digits[byte & 15]};
    text_.append(std::string_view(pair, 2));
  }
  if (flags_.minus) padding(missing);
}

// The text up to the precision, in runes.
std::string_view Printer::truncated(std::string_view text) const {
  if (!flags_.has_precision) return text;
  std::string_view rest = text;
  for (int i = 0; i < flags_.precision && !rest.empty(); ++i) {
    rest.remove_prefix(decode_rune(rest).width);
  }
  return text.substr(0, text.size() - rest.size());
}

void Printer::pad(std::string_view text) {
  if (!flags_.has_width || flags_.width == 0) {
    text_.append(text);
    return;
  }
  if (!text_.budget().spend_bytes(text.size())) return;
  const auto runes = static_cast<std::int64_t>(rune_count(text));
  const int missing = static_cast<int>(std::max<std::int64_t>(flags_.width - runes, 0));
  if (!flags_.minus) padding(missing);
  text_.append(text);
  if (flags_.minus) padding(missing);
}

void Printer::padding(int width) {
  if (width > 0) text_.fill(flags_.zero ? '0' : ' ', static_cast<std::size_t>(width));
}

}  // namespace feeds::key_format
