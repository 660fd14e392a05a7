#include <algorithm>
#include <limits>
#include <utility>

#include "common/key_format/printer.h"
#include "common/key_format/utf8.h"

// The format language of printf: %[index]flags width . precision verb.
namespace feeds::key_format {

namespace {

constexpr int kMaxNumber = 1'000'000;  // Go's bound on widths and precisions

bool too_large(std::int64_t number) {
  return number > kMaxNumber || number < -kMaxNumber;
}

struct Digits {
  int value = 0;
  bool found = false;
  std::size_t end = 0;
};

// A decimal number at `start`, before `end`. One that is too large uses up all the text.
Digits digits_at(std::string_view text, std::size_t start, std::size_t end) {
  Digits digits;
  digits.end = start;
  if (start >= end) {
    digits.end = end;
    return digits;
  }
  while (digits.end < end && text[digits.end] >= '0' && text[digits.end] <= '9') {
    if (too_large(digits.value)) return {0, false, end};
    digits.value = digits.value * 10 + (text[digits.end] - '0');
    digits.found = true;
    ++digits.end;
  }
  return digits;
}

}  // namespace

void Printer::printf(std::string_view format, std::span<const Value> operands) {
  Call call;
  call.format = format;
  call.operands = operands;
  if (!text_.budget().spend_bytes(format.size())) return;
  while (call.at < format.size() && !text_.budget().spent()) {
    const std::size_t percent = std::min(format.find('%', call.at), format.size());
    call.good_index = true;
    if (percent > call.at) text_.append(format.substr(call.at, percent - call.at));
    call.at = percent;
    if (percent == format.size()) break;
    ++call.at;
    verb(call);
  }
  if (!call.reordered && call.operand < operands.size()) extra_operands(call);
}

void Printer::extra_operands(const Call& call) {
  flags_ = {};
  text_.append("%!(EXTRA ");
  for (std::size_t i = call.operand; i < call.operands.size(); ++i) {
    const Value& each = call.operands[i];
    if (i > call.operand) text_.append(", ");
    if (!has_value(each)) {
      text_.append("<nil>");
      continue;
    }
    text_.append(type_name(each));
    text_.append('=');
    operand(each, 'v');
  }
  text_.append(')');
}

void Printer::set_v_flags() {
  flags_.sharp_v = std::exchange(flags_.sharp, false);
  flags_.plus_v = std::exchange(flags_.plus, false);
}

// Flags, and then a lower-case verb and nothing else: true if that was all.
bool Printer::simple_verb(Call& call) {
  for (; call.at < call.format.size(); ++call.at) {
    const char c = call.format[call.at];
    switch (c) {
      case '#':
        flags_.sharp = true;
        continue;
      case '0':
        flags_.zero = !flags_.minus;
        continue;
      case '+':
        flags_.plus = true;
        continue;
      case '-':
        flags_.minus = true;
        flags_.zero = false;
        continue;
      case ' ':
        flags_.space = true;
        continue;
      default:
        break;
    }
    if (c < 'a' || c > 'z' || call.operand >= call.operands.size()) return false;
    if (c == 'v') set_v_flags();
    operand(call.operands[call.operand++], static_cast<char32_t>(c));
    ++call.at;
    return true;
  }
  return false;
}

void Printer::verb(Call& call) {
  flags_ = {};
  call.after_index = false;
  if (simple_verb(call)) return;
  index(call);
  width(call);
  precision(call);
  if (!call.after_index) index(call);
  if (call.at >= call.format.size()) {
    text_.append("%!(NOVERB)");
    return;
  }
  const Rune rune = decode_rune(call.format.substr(call.at));
  call.at += rune.width;
  if (rune.value == '%') {
    text_.append('%');
  } else if (!call.good_index) {
    text_.append("%!");
    text_.append_rune(rune.value);
    text_.append("(BADINDEX)");
  } else if (call.operand >= call.operands.size()) {
    text_.append("%!");
    text_.append_rune(rune.value);
    text_.append("(MISSING)");
  } else {
    if (rune.value == 'v') set_v_flags();
    operand(call.operands[call.operand++], rune.value);
  }
}

// [n]: the operand to go on with, counted from 1.
void Printer::index(Call& call) {
  call.after_index = false;
  const std::string_view format = call.format;
  if (call.at >= format.size() || format[call.at] != '[') return;
  call.reordered = true;
  const std::size_t close = format.find(']', call.at + 1);
  text_.budget().spend((std::min(close, format.size()) - call.at) / 64);
  if (close == std::string_view::npos || format.size() - call.at < 3) {
    call.good_index = false;
    ++call.at;
    return;
  }
  const Digits digits = digits_at(format, call.at + 1, close);
  const bool number = digits.found && digits.end == close;
  call.at = close + 1;
  call.after_index = number;
  if (number && digits.value >= 1 &&
      static_cast<std::size_t>(digits.value) <= call.operands.size()) {
    call.operand = static_cast<std::size_t>(digits.value) - 1;
  } else {
    call.good_index = false;
  }
}

namespace {

// A width or precision given as an operand (*): taken even if it is no integer.
bool star(std::span<const Value> operands, std::size_t& at, int& number) {
  number = 0;
  if (at >= operands.size()) return false;
  const Value& value = operands[at++];
  const bool integer =
      value.kind == Kind::kInt || value.kind == Kind::kInt64 || value.kind == Kind::kUint8;
  if (!integer || too_large(value.integer)) return false;
  number = static_cast<int>(value.integer);
  return true;
}

}  // namespace

void Printer::width(Call& call) {
  if (call.at < call.format.size() && call.format[call.at] == '*') {
    ++call.at;
    flags_.has_width = star(call.operands, call.operand, flags_.width);
    if (!flags_.has_width) text_.append("%!(BADWIDTH)");
    if (flags_.width < 0) {
      flags_.width = -flags_.width;
      flags_.minus = true;
      flags_.zero = false;
    }
    call.after_index = false;
    return;
  }
  const Digits digits = digits_at(call.format, call.at, call.format.size());
  flags_.width = digits.value;
  flags_.has_width = digits.found;
  call.at = digits.end;
  if (call.after_index && digits.found) call.good_index = false;  // "%[3]2d"
}

void Printer::precision(Call& call) {
  // A point at the very end is taken for a verb.
  if (call.at + 1 >= call.format.size() || call.format[call.at] != '.') return;
  ++call.at;
  if (call.after_index) call.good_index = false;  // "%[3].2d"
  index(call);
  if (call.at < call.format.size() && call.format[call.at] == '*') {
    ++call.at;
    flags_.has_precision = star(call.operands, call.operand, flags_.precision);
    if (flags_.precision < 0) {
      flags_.precision = 0;
      flags_.has_precision = false;
    }
    if (!flags_.has_precision) text_.append("%!(BADPREC)");
    call.after_index = false;
    return;
  }
  const Digits digits = digits_at(call.format, call.at, call.format.size());
  flags_.precision = digits.value;
  flags_.has_precision = true;
  call.at = digits.end;
}

}  // namespace feeds::key_format
