#include "common/key_format/exec.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "common/key_format/parser.h"
#include "common/key_format/printer.h"

namespace feeds::key_format {

namespace {

// Of lists and pipelines in each other. Deep enough for any nesting that a format can write, and
// for a template that calls itself once for each byte of an id.
constexpr int kMaxDepth = 2500;

}  // namespace

Execution::Execution(const Program& program, Subject& subject, std::string& key, FormatError& error,
                     std::pmr::memory_resource& arena)
    : program_(program),
      subject_(subject),
      activity_(subject.activity_),
      key_(key),
      error_(error),
      arena_(arena),
      budget_(std::min(kRenderSteps, subject.steps_left_)),
      variables_(&arena) {}

bool Execution::run() {
  const Value dot = activity_value();
  variables_.push_back({0, dot});
  const std::int64_t steps = budget_.left();
  const bool rendered = list(dot, *program_.root) == Flow::kNext;
  subject_.steps_left_ -= steps - budget_.left();
  return rendered;
}

bool Execution::fail(Position position, std::string message) {
  set_place(error_, program_.text, position);
  error_.message = std::move(message);
  return false;
}

bool Execution::fail_steps(Position position) {
  return fail(position, subject_.steps_left_ < kRenderSteps
                            ? "the templates of the activity's feeds take too many steps together"
                            : "the template takes too many steps");
}

bool Execution::enter(Position position) {
  if (depth_ >= kMaxDepth) return fail(position, "the template is nested too deeply");
  if (!spend(position, 1)) return false;
  ++depth_;
  return true;
}

// --- variables

// The newest variables are free.
bool Execution::spend_search(Position position, std::size_t found) {
  return spend(position, (variables_.size() - found) / 8);
}

bool Execution::variable(Position position, std::uint32_t id, Value& out) {
  for (std::size_t i = variables_.size(); i-- > base_;) {
    if (variables_[i].id == id) {
      out = variables_[i].value;
      return spend_search(position, i);
    }
  }
  return fail(position, fmt::format("undefined variable: {}", program_.variable_names[id]));
}

bool Execution::assign(Position position, std::uint32_t id, const Value& value) {
  for (std::size_t i = variables_.size(); i-- > base_;) {
    if (variables_[i].id == id) {
      variables_[i].value = value;
      return spend_search(position, i);
    }
  }
  return fail(position, fmt::format("undefined variable: {}", program_.variable_names[id]));
}

bool Execution::set_top_variable(Position position, std::size_t from_top, const Value& value) {
  if (variables_.size() - base_ < from_top) return fail(position, "no variable to range with");
  variables_[variables_.size() - from_top].value = value;
  return true;
}

// --- statements

Execution::Flow Execution::list(const Value& dot, const List& list) {
  for (const Statement& each : list.statements) {
    const Flow flow = statement(dot, each);
    if (flow != Flow::kNext) return flow;
  }
  return Flow::kNext;
}

Execution::Flow Execution::statement(const Value& dot, const Statement& statement) {
  switch (statement.kind) {
    case StatementKind::kText:
      return emit(statement.position, statement.text);
    case StatementKind::kAction:
      return action(dot, statement);
    case StatementKind::kBreak:
      return Flow::kBreak;
    case StatementKind::kContinue:
      return Flow::kContinue;
    default:
      break;
  }
  if (!enter(statement.position)) return Flow::kFailed;
  Flow flow = Flow::kNext;
  if (statement.kind == StatementKind::kRange) {
    flow = range(dot, statement);
  } else if (statement.kind == StatementKind::kTemplate) {
    flow = call_template(dot, statement);
  } else {
    flow = if_or_with(dot, statement);
  }
  leave();
  return flow;
}

Execution::Flow Execution::action(const Value& dot, const Statement& statement) {
  Value value;
  if (!pipe(dot, statement.pipe, value)) return Flow::kFailed;
  // An action that declares or assigns prints nothing; its variables stay until the end around it.
  if (!statement.pipe->variables.empty()) return Flow::kNext;
  return emit_value(statement.position, value);
}

Execution::Flow Execution::if_or_with(const Value& dot, const Statement& statement) {
  const std::size_t mark = variables_.size();
  Value value;
  if (!pipe(dot, statement.pipe, value)) return Flow::kFailed;
  Flow flow = Flow::kNext;
  if (truth(value)) {
    flow = list(statement.kind == StatementKind::kWith ? value : dot, *statement.list);
  } else if (statement.else_list != nullptr) {
    flow = list(dot, *statement.else_list);
  }
  variables_.resize(mark);
  return flow;
}

Execution::Flow Execution::range(const Value& dot, const Statement& statement) {
  const std::size_t mark = variables_.size();
  Value items;
  if (!pipe(dot, statement.pipe, items)) return Flow::kFailed;
  Flow flow = Flow::kNext;
  if (items.kind != Kind::kSlice && items.kind != Kind::kMap && has_value(items)) {
    fail(statement.position, fmt::format("range can't iterate over {}", type_name(items)));
    return Flow::kFailed;
  }
  if (has_value(items) && items.size > 0) {
    flow = range_items(items, statement);
  } else if (statement.else_list != nullptr) {
    flow = list(dot, *statement.else_list);
  }
  variables_.resize(mark);
  // As in Go 1.19, a break in the else branch ends this range, not the one around it.
  return flow == Flow::kBreak ? Flow::kNext : flow;
}

Execution::Flow Execution::range_items(const Value& items, const Statement& statement) {
  const std::size_t mark = variables_.size();
  for (std::size_t i = 0; i < items.size; ++i) {
    if (!spend(statement.position, 1)) return Flow::kFailed;
    Flow flow;
    if (items.kind == Kind::kSlice) {
      const Value index = integer_value(Kind::kInt, static_cast<std::int64_t>(i));
      flow = iteration(statement, index, slice_item(items, i));
    } else {
      Value item = items.entries[i].value;
      item.boxed = true;
      flow = iteration(statement, string_value(items.entries[i].key), item);
    }
    if (flow == Flow::kBreak || flow == Flow::kFailed) return flow;
    variables_.resize(mark);
  }
  return Flow::kNext;
}

Execution::Flow Execution::iteration(const Statement& statement, const Value& index,
                                     const Value& item) {
  // Go 1.19 sets the newest variables, also where the range only assigned to older ones.
  const std::size_t declared = statement.pipe->variables.size();
  if (declared > 0 && !set_top_variable(statement.position, 1, item)) return Flow::kFailed;
  if (declared > 1 && !set_top_variable(statement.position, 2, index)) return Flow::kFailed;
  return list(item, *statement.list);
}

Execution::Flow Execution::call_template(const Value& dot, const Statement& statement) {
  const Callee& callee = *statement.callee;
  if (callee.body == nullptr) {
    fail(statement.position, fmt::format("template \"{}\" not defined", callee.name));
    return Flow::kFailed;
  }
  Value inner_dot;
  if (!pipe(dot, statement.pipe, inner_dot)) return Flow::kFailed;
  // The template sees no variables but its own $; those the pipeline declared stay for the caller.
  const std::size_t mark = variables_.size();
  const std::size_t outer_base = std::exchange(base_, mark);
  variables_.push_back({0, inner_dot});
  const Flow flow = list(inner_dot, *callee.body);
  variables_.resize(mark);
  base_ = outer_base;
  return flow;
}

// --- output

Execution::Flow Execution::emit(Position position, std::string_view text) {
  if (!spend(position, 1)) return Flow::kFailed;
  if (text.size() > kKeyBytes - key_.size()) {
    fail(position, fmt::format("the key is longer than {} bytes", kKeyBytes));
    return Flow::kFailed;
  }
  key_.append(text);
  return Flow::kNext;
}

Execution::Flow Execution::emit_value(Position position, const Value& value) {
  switch (value.kind) {
    case Kind::kString:
      return emit(position, value.text());
    case Kind::kInvalid:
    case Kind::kNil:
      return emit(position, "<no value>");
    case Kind::kInt:
    case Kind::kInt64: {
      char digits[24];
      const auto end = std::to_chars(digits, std::end(digits), value.integer);
      return emit(position, {digits, static_cast<std::size_t>(end.ptr - digits)});
    }
    default:
      break;
  }
  if (!fill_activity(position, {&value, 1})) return Flow::kFailed;
  Text text(arena_, budget_);
  Printer(text).print({&value, 1});
  if (!spend(position, 0)) return Flow::kFailed;
  return emit(position, text.view());
}

}  // namespace feeds::key_format
