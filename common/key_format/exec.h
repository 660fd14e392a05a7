#pragma once

#include <cstddef>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "common/key_format/key_format.h"
#include "common/key_format/nodes.h"
#include "common/key_format/text.h"
#include "common/key_format/value.h"

namespace feeds::key_format {

// One render: walks the nodes of a program over the activity of a subject. Methods that return a
// bool return false once something failed; the error is set by then, and the caller returns at
// once.
class Execution {
 public:
  // All arguments must outlive this; `arena` is where values are made.
  Execution(const Program& program, Subject& subject, std::string& key, FormatError& error,
            std::pmr::memory_resource& arena);

  bool run();

 private:
  enum class Flow : std::uint8_t { kNext, kBreak, kContinue, kFailed };

  struct Variable {
    std::uint32_t id;
    Value value;
  };

  // Values handed to a function.
  using Arguments = boost::container::small_vector<Value, 4>;

  // The value before a | that goes on as the last argument, or null.
  using Final = const Value*;

  bool fail(Position position, std::string message);
  bool spend(Position position, std::size_t steps) {
    return budget_.spend(steps) || fail_steps(position);
  }
  bool fail_steps(Position position);
  // One level of recursion; fails at kMaxDepth.
  bool enter(Position position);
  void leave() { --depth_; }

  // exec.cc: statements
  Flow list(const Value& dot, const List& list);
  Flow statement(const Value& dot, const Statement& statement);
  Flow action(const Value& dot, const Statement& statement);
  Flow if_or_with(const Value& dot, const Statement& statement);
  Flow range(const Value& dot, const Statement& statement);
  Flow range_items(const Value& items, const Statement& statement);
  Flow iteration(const Statement& statement, const Value& index, const Value& item);
  Flow call_template(const Value& dot, const Statement& statement);
  Flow emit(Position position, std::string_view text);
  Flow emit_value(Position position, const Value& value);

  // variables, newest last; those of an enclosing template call are out of sight
  bool spend_search(Position position, std::size_t found);
  bool variable(Position position, std::uint32_t id, Value& out);
  bool assign(Position position, std::uint32_t id, const Value& value);
  bool set_top_variable(Position position, std::size_t from_top, const Value& value);

  // eval.cc: expressions
  bool pipe(const Value& dot, const Pipe* pipe, Value& out);
  bool command(const Value& dot, const Command& command, Final final, Value& out);
  bool not_a_function(const Command& command, Final final);
  bool fields(const Value& receiver, const Operand& operand, bool has_arguments, Value& out);
  bool field(Position position, const Value& receiver, const Ident& ident, bool has_arguments,
             Value& out);
  bool activity_field(Position position, std::size_t field, Value& out);
  bool chain(const Value& dot, const Operand& operand, bool has_arguments, Value& out);
  bool constant(const Operand& operand, Value& out);
  bool argument(const Value& dot, const Operand& operand, Parameter type, Value& out);
  bool check_type(Position position, Parameter type, Value& value);
  bool literal(const Operand& operand, Parameter type, Value& out);
  bool function(const Value& dot, const Operand& name, std::span<const Operand> operands,
                Final final, Value& out);
  bool and_or(const Value& dot, bool is_or, std::span<const Operand> operands, Final final,
              Value& out);

  // calls.cc: functions
  bool call(Position position, Function function, std::span<const Value> arguments, Value& out);
  bool call_text(Position position, Function function, std::span<const Value> arguments,
                 Value& out);
  bool call_comparison(Position position, Function function, std::span<const Value> arguments,
                       Value& out);
  bool call_len(Position position, const Value& value, Value& out);
  bool call_index(Position position, std::span<const Value> arguments, Value& out);
  bool call_slice(Position position, std::span<const Value> arguments, Value& out);
  bool index_argument(Position position, const Value& index, std::size_t limit, std::size_t& out);
  bool joined(Position position, std::span<const Value> arguments, Text& out);
  bool finish(Position position, const Text& text, Value& out);

  // The activity as a value; its fields are filled in before it is printed or compared.
  Value activity_value() const;
  bool fill_activity(Position position, std::span<const Value> used);

  const Program& program_;
  Subject& subject_;
  const Activity& activity_;
  std::string& key_;
  FormatError& error_;
  std::pmr::memory_resource& arena_;
  Budget budget_;
  std::pmr::vector<Variable> variables_;
  std::size_t base_ = 0;  // of the present template call's variables
  int depth_ = 0;
  Value fields_[kFieldCount];
  bool filled_[kFieldCount] = {};
};

}  // namespace feeds::key_format
