#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/key_format/functions.h"
#include "common/key_format/literals.h"
#include "common/key_format/value.h"

// The parsed form of a format. Nodes live in the Program's deques and point at each other; a
// Program never changes once it is made, and no destructor recurses.
namespace feeds::key_format {

struct Pipe;
struct List;

using Position = std::uint32_t;  // in bytes, into Program::text

// One name of .A.B.C
struct Ident {
  std::string_view name;
  std::size_t field = kFieldCount;  // of the activity; kFieldCount if it has none of that name
};

enum class OperandKind : std::uint8_t {
  kConstant,  // true, false, "text": Operand::constant
  kNumber,    // constant as well, and number: what it can stand for where a type is asked
  kDot,
  kNil,
  kField,     // .A.B: idents
  kVariable,  // $x.A.B: variable, idents
  kFunction,  // name
  kPipe,      // (pipeline): pipe
  kChain,     // (pipeline).A.B or name.A.B: base, idents
};

// A term, possibly followed by field accesses.
struct Operand {
  OperandKind kind = OperandKind::kDot;
  Position position = 0;
  std::uint32_t variable = 0;
  const FunctionInfo* function = nullptr;
  Value constant;
  const Number* number = nullptr;
  const Pipe* pipe = nullptr;
  const Operand* base = nullptr;
  std::vector<Ident> idents;
};

// Operands after the first are its arguments.
struct Command {
  Position position = 0;
  std::vector<Operand> operands;
};

struct Pipe {
  Position position = 0;
  bool assigns = false;                  // $x = rather than $x :=
  std::vector<std::uint32_t> variables;  // what is declared or assigned
  std::vector<Command> commands;
};

// A template that is called by name; known once the whole format is read.
struct Callee {
  std::string name;
  const List* body = nullptr;  // null: not defined, an error when it is called
};

enum class StatementKind : std::uint8_t {
  kText,
  kAction,
  kIf,
  kRange,
  kWith,
  kTemplate,
  kBreak,
  kContinue,
};

struct Statement {
  StatementKind kind = StatementKind::kText;
  Position position = 0;
  std::string_view text;
  const Pipe* pipe = nullptr;  // null for {{template "x"}} without one
  const List* list = nullptr;
  const List* else_list = nullptr;
  const Callee* callee = nullptr;
};

struct List {
  std::vector<Statement> statements;
};

struct Program {
  std::string text;
  const List* root = nullptr;
  // Variable 0 is $; a variable is known by its name, as its scope is a matter of execution.
  std::vector<std::string> variable_names;

  std::deque<List> lists;
  std::deque<Pipe> pipes;
  std::deque<Operand> bases;
  std::deque<Callee> callees;
  std::deque<Number> numbers;
  std::deque<std::string> strings;
};

}  // namespace feeds::key_format
