#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/key_format/key_format.h"
#include "common/key_format/lexer.h"
#include "common/key_format/nodes.h"

namespace feeds::key_format {

// Line and column, from 1, of a byte of the text; columns are characters.
void set_place(FormatError& error, std::string_view text, std::size_t position);

// Turns the text of a program into its nodes, by recursive descent. Every method that returns a
// bool or a pointer returns false or null once something is wrong; `error` then says what.
class Parser {
 public:
  Parser(Program& program, FormatError& error)
      : program_(program), error_(error), lexer_(program.text) {}

  bool parse();

 private:
  // What ended a list: {{end}}, or {{else}} at `position`.
  enum class ListEnd : std::uint8_t { kFailed, kEnd, kElse };
  // A definition has its own variables and is in no range of what surrounds it.
  struct Scope {
    std::vector<std::uint32_t> variables;
    int range_depth;
  };

  Token next();
  Token next_word();  // the next token that is no space
  Token peek();
  Token peek_word();
  void back_up() { ++peeked_; }
  void back_up(const Token& first);
  void back_up(const Token& first, const Token& second);

  bool fail(const Token& at, std::string message);
  bool unexpected(const Token& token, std::string_view context);
  bool expect(TokenType type, std::string_view context);

  bool top_level();
  bool definition();
  bool body(std::string_view context, List*& list);
  bool add_template(const std::string& name, List* list);
  Scope enter_definition();
  void leave_definition(Scope scope);

  ListEnd list(List& into);
  // One statement, appended; or the end of the list.
  std::optional<ListEnd> text_or_action(List& into);
  std::optional<ListEnd> action(List& into, Token left);
  bool control(List& into, StatementKind kind, std::string_view context, Position position);
  bool else_branch(Statement& statement, std::string_view context);
  bool loop_control(List& into, StatementKind kind, Position position, std::string_view name);
  bool template_call(List& into, Position position);
  bool block(List& into, Position position);
  std::optional<std::string> template_name(const Token& token, std::string_view context);
  std::optional<ListEnd> else_control();

  Pipe* pipeline(std::string_view context, TokenType end);
  bool declarations(Pipe& pipe, std::string_view context);
  bool check_pipeline(const Pipe& pipe, std::string_view context, const Token& end);
  bool command(Pipe& pipe);
  // Sets `found` to whether there was an operand.
  bool operand(Operand& out, bool& found);
  bool term(Operand& out, bool& found);
  bool number(const Token& token, Operand& out);
  bool add_fields(Operand& out);

  std::uint32_t variable_id(std::string_view name);
  bool variable_in_scope(std::uint32_t id) const;

  Program& program_;
  FormatError& error_;
  Lexer lexer_;
  Token tokens_[3];  // look-ahead
  int peeked_ = 0;
  Token list_end_;                       // the newest {{end}} or {{else}}
  std::vector<std::uint32_t> scope_{0};  // variables defined at this point
  int range_depth_ = 0;
  int paren_depth_ = 0;
  std::map<std::string, List*> templates_;
};

}  // namespace feeds::key_format
