#include <fmt/format.h>

#include <charconv>
#include <cstring>

#include "common/key_format/exec.h"

namespace feeds::key_format {

namespace {

// What an argument must be, in words of Go.
std::string_view wanted(Parameter type) {
  return type == Parameter::kString ? "string" : type == Parameter::kInt64 ? "int64" : "any";
}

std::string_view printable_type(const Value& value) {
  return value.kind == Kind::kNil ? "interface {}" : type_name(value);
}

}  // namespace

bool Execution::pipe(const Value& dot, const Pipe* pipe, Value& out) {
  if (pipe == nullptr) {
    out = {};
    return true;
  }
  if (!enter(pipe->position)) return false;
  Value value;
  Final final = nullptr;
  for (const Command& each : pipe->commands) {
    Value next;
    if (!command(dot, each, final, next)) return false;
    // What comes out of an interface is the thing inside, or nothing.
    value = next.kind == Kind::kNil ? Value{} : next;
    value.boxed = false;
    final = &value;
  }
  for (const std::uint32_t id : pipe->variables) {
    if (!pipe->assigns) {
      variables_.push_back({id, value});
    } else if (!assign(pipe->position, id, value)) {
      return false;
    }
  }
  out = value;
  leave();
  return true;
}

bool Execution::command(const Value& dot, const Command& command, Final final, Value& out) {
  const Operand& first = command.operands[0];
  const bool has_arguments = command.operands.size() > 1 || final != nullptr;
  switch (first.kind) {
    case OperandKind::kField:
      return fields(dot, first, has_arguments, out);
    case OperandKind::kChain:
      return chain(dot, first, has_arguments, out);
    case OperandKind::kFunction:
      return function(dot, first, std::span(command.operands).subspan(1), final, out);
    case OperandKind::kVariable: {
      Value value;
      if (!variable(first.position, first.variable, value)) return false;
      if (!first.idents.empty()) return fields(value, first, has_arguments, out);
      if (!not_a_function(command, final)) return false;
      out = value;
      return true;
    }
    default:
      break;
  }
  if (!not_a_function(command, final)) return false;
  switch (first.kind) {
    case OperandKind::kPipe:
      return pipe(dot, first.pipe, out);
    case OperandKind::kDot:
      out = dot;
      return true;
    case OperandKind::kNil:
      return fail(first.position, "nil is not a command");
    default:
      return constant(first, out);
  }
}

bool Execution::not_a_function(const Command& command, Final final) {
  if (command.operands.size() <= 1 && final == nullptr) return true;
  return fail(command.position, "can't give argument to non-function");
}

bool Execution::constant(const Operand& operand, Value& out) {
  out = operand.constant;
  if (out.kind != Kind::kInvalid) return true;
  return fail(operand.position, fmt::format("{} overflows int", operand.number->text));
}

// --- fields

bool Execution::fields(const Value& receiver, const Operand& operand, bool has_arguments,
                       Value& out) {
  Value value = receiver;
  const std::size_t count = operand.idents.size();
  if (!spend(operand.position, count)) return false;
  for (std::size_t i = 0; i < count; ++i) {
    // Arguments go to the last name only.
    const bool arguments_here = has_arguments && i + 1 == count;
    if (!field(operand.position, value, operand.idents[i], arguments_here, value)) return false;
  }
  out = value;
  return true;
}

// `out` may be `receiver`.
bool Execution::field(Position position, const Value& receiver, const Ident& ident,
                      bool has_arguments, Value& out) {
  switch (receiver.kind) {
    case Kind::kInvalid:
      out = {};  // of nothing, every field is nothing
      return true;
    case Kind::kNil:
      return fail(position, fmt::format("nil pointer evaluating interface {{}}.{}", ident.name));
    case Kind::kStruct:
      if (ident.field == kFieldCount) break;
      if (!has_arguments) return activity_field(position, ident.field, out);
      return fail(position,
                  fmt::format("{} has arguments but cannot be invoked as function", ident.name));
    case Kind::kMap:
      if (has_arguments) {
        return fail(position, fmt::format("{} is not a method but has arguments", ident.name));
      }
      if (!spend(position, ident.name.size() / 64)) return false;
      out = map_entry(receiver, ident.name);
      return true;
    default:
      break;
  }
  return fail(position,
              fmt::format("can't evaluate field {} in type {}", ident.name, type_name(receiver)));
}

bool Execution::chain(const Value& dot, const Operand& operand, bool has_arguments, Value& out) {
  Value receiver;
  if (operand.base->kind == OperandKind::kPipe) {
    if (!pipe(dot, operand.base->pipe, receiver)) return false;
  } else if (!function(dot, *operand.base, {}, nullptr, receiver)) {
    return false;
  }
  return fields(receiver, operand, has_arguments, out);
}

Value Execution::activity_value() const {
  Value value;
  value.kind = Kind::kStruct;
  value.items = fields_;
  return value;
}

bool Execution::fill_activity(Position position, std::span<const Value> used) {
  for (const Value& each : used) {
    if (each.kind != Kind::kStruct) continue;
    Value ignored;
    for (std::size_t i = 0; i < kFieldCount; ++i) {
      if (!activity_field(position, i, ignored)) return false;
    }
  }
  return true;
}

bool Execution::activity_field(Position position, std::size_t field, Value& out) {
  Value& value = fields_[field];
  if (!filled_[field]) {
    switch (field) {
      case 0:
        value = integer_value(Kind::kInt64, activity_.id);
        break;
      case 1: {
        auto* digits = static_cast<char*>(arena_.allocate(24, 1));
        const auto end = std::to_chars(digits, digits + 24, activity_.id);
        value = string_value({digits, static_cast<std::size_t>(end.ptr - digits)});
        break;
      }
      case 2:
        value = string_value(activity_.object_id);
        break;
      case 3:
        value = string_value(activity_.collection_id);
        break;
      case 4:
        value = string_value(activity_.linked_activity_id);
        break;
      case 5:
        value = integer_value(Kind::kInt64, activity_.created_at_ns);
        break;
      case 6:
        value = integer_value(Kind::kInt64, activity_.updated_at_ns);
        break;
      case 7:
        value = string_value(activity_.user_id);
        break;
      case 8:
        value = string_value(activity_.activity_type);
        break;
      default:
        const Value* extra_data = subject_.extra_data();
        if (extra_data == nullptr) return fail(position, "the activity's extraData is no JSON");
        value = *extra_data;
    }
    filled_[field] = true;
  }
  out = value;
  return true;
}

// --- arguments

bool Execution::argument(const Value& dot, const Operand& operand, Parameter type, Value& out) {
  if (!spend(operand.position, 1)) return false;
  bool ok = true;
  switch (operand.kind) {
    case OperandKind::kDot:
      out = dot;
      break;
    case OperandKind::kNil:
      if (type != Parameter::kAny) {
        return fail(operand.position, fmt::format("cannot assign nil to {}", wanted(type)));
      }
      out = nil_value();
      return true;
    case OperandKind::kField:
      ok = fields(dot, operand, false, out);
      break;
    case OperandKind::kVariable: {
      Value value;
      ok =
          variable(operand.position, operand.variable, value) && fields(value, operand, false, out);
      break;
    }
    case OperandKind::kPipe:
      ok = pipe(dot, operand.pipe, out);
      break;
    case OperandKind::kFunction:
      ok = function(dot, operand, {}, nullptr, out);
      break;
    case OperandKind::kChain:
      ok = chain(dot, operand, false, out);
      break;
    default:
      return literal(operand, type, out);
  }
  return ok && check_type(operand.position, type, out);
}

// A constant takes the type that is asked for, if it can.
bool Execution::literal(const Operand& operand, Parameter type, Value& out) {
  if (type == Parameter::kString) {
    out = operand.constant;
    if (out.kind == Kind::kString) return true;
    return fail(operand.position, "expected string");
  }
  if (type == Parameter::kInt64) {
    if (operand.kind != OperandKind::kNumber || !operand.number->is_int) {
      return fail(operand.position, "expected integer");
    }
    out = integer_value(Kind::kInt64, operand.number->integer);
    return true;
  }
  return constant(operand, out);
}

bool Execution::check_type(Position position, Parameter type, Value& value) {
  if (type == Parameter::kAny) return true;
  if (value.kind == Kind::kInvalid) {
    return fail(position, fmt::format("invalid value; expected {}", wanted(type)));
  }
  if (value.kind == (type == Parameter::kString ? Kind::kString : Kind::kInt64)) return true;
  return fail(position, fmt::format("wrong type for value; expected {}; got {}", wanted(type),
                                    printable_type(value)));
}

// --- functions

bool Execution::function(const Value& dot, const Operand& name, std::span<const Operand> operands,
                         Final final, Value& out) {
  const FunctionInfo& info = *name.function;
  const std::size_t count = operands.size() + (final != nullptr ? 1 : 0);
  if (count < info.fixed || (count > info.fixed && !info.variadic)) {
    return fail(name.position,
                fmt::format("wrong number of args for {}: want {}{} got {}", info.name,
                            info.variadic ? "at least " : "", info.fixed, count));
  }
  if (info.function == Function::kAnd || info.function == Function::kOr) {
    return and_or(dot, info.function == Function::kOr, operands, final, out);
  }
  const auto type_of = [&info](std::size_t i) {
    return i < info.fixed ? info.fixed_types[i] : Parameter::kAny;
  };
  Arguments arguments(count);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!argument(dot, operands[i], type_of(i), arguments[i])) return false;
  }
  if (final != nullptr) {
    arguments.back() = *final;
    if (!check_type(name.position, type_of(count - 1), arguments.back())) return false;
  }
  if (!spend(name.position, 1)) return false;
  return call(name.position, info.function, {arguments.data(), arguments.size()}, out);
}

// The first argument that decides, or the last one; what comes after is not evaluated.
bool Execution::and_or(const Value& dot, bool is_or, std::span<const Operand> operands, Final final,
                       Value& out) {
  for (const Operand& each : operands) {
    if (!argument(dot, each, Parameter::kAny, out)) return false;
    if (truth(out) == is_or) return true;
  }
  if (final != nullptr) out = *final;
  return true;
}

}  // namespace feeds::key_format
