#include "common/key_format/parser.h"

#include <fmt/format.h>

#include <utility>

#include "common/key_format/utf8.h"

namespace feeds::key_format {

namespace {

std::string token_name(const Token& token) {
  if (token.type == TokenType::kEof) return "end of format";
  if (token.type == TokenType::kError) return std::string(token.text);
  if (token.type >= TokenType::kBlock) return fmt::format("<{}>", token.text);
  return fmt::format("\"{}\"", token.text);
}

// Nothing but space: such a definition gives way to another of the same name.
bool is_empty(const List& list) {
  for (const Statement& statement : list.statements) {
    if (statement.kind != StatementKind::kText) return false;
    for (std::string_view text = statement.text; !text.empty();) {
      const Rune rune = decode_rune(text);
      if (!is_white_space(rune.value)) return false;
      text.remove_prefix(rune.width);
    }
  }
  return true;
}

Position position_of(const Token& token) {
  return static_cast<Position>(token.position);
}

}  // namespace

void set_place(FormatError& error, std::string_view text, std::size_t position) {
  const std::string_view before = text.substr(0, position);
  error.line = 1;
  std::size_t line_start = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] != '\n') continue;
    ++error.line;
    line_start = i + 1;
  }
  error.column = 1 + rune_count(before.substr(line_start));
}

bool Parser::parse() {
  program_.variable_names.emplace_back("$");
  if (!top_level()) return false;
  for (Callee& callee : program_.callees) {
    if (const auto found = templates_.find(callee.name); found != templates_.end()) {
      callee.body = found->second;
    }
  }
  return true;
}

// --- tokens

Token Parser::next() {
  if (peeked_ > 0) {
    --peeked_;
  } else {
    tokens_[0] = lexer_.next();
  }
  return tokens_[peeked_];
}

Token Parser::next_word() {
  Token token = next();
  while (token.type == TokenType::kSpace) token = next();
  return token;
}

Token Parser::peek() {
  const Token token = next();
  back_up();
  return token;
}

Token Parser::peek_word() {
  const Token token = next_word();
  back_up();
  return token;
}

// tokens_[0] is the one read last; `first` stands before it.
void Parser::back_up(const Token& first) {
  tokens_[1] = first;
  peeked_ = 2;
}

void Parser::back_up(const Token& first, const Token& second) {
  tokens_[1] = second;
  tokens_[2] = first;
  peeked_ = 3;
}

bool Parser::fail(const Token& at, std::string message) {
  set_place(error_, program_.text, at.position);
  error_.message = std::move(message);
  return false;
}

bool Parser::unexpected(const Token& token, std::string_view context) {
  if (token.type == TokenType::kError) return fail(token, std::string(token.text));
  return fail(token, fmt::format("unexpected {} in {}", token_name(token), context));
}

bool Parser::expect(TokenType type, std::string_view context) {
  const Token token = next_word();
  return token.type == type || unexpected(token, context);
}

// --- templates and lists

// The format itself: a list that may also hold definitions.
bool Parser::top_level() {
  List& root = program_.lists.emplace_back();
  while (peek().type != TokenType::kEof) {
    if (peek().type == TokenType::kLeftDelim) {
      const Token left = next();
      if (next_word().type == TokenType::kDefine) {
        if (!definition()) return false;
        continue;
      }
      back_up(left);
    }
    const Token start = peek_word();
    const auto end = text_or_action(root);
    if (!end) continue;
    if (*end == ListEnd::kFailed) return false;
    return fail(start, *end == ListEnd::kElse ? "unexpected {{else}}" : "unexpected {{end}}");
  }
  program_.root = &root;
  return true;
}

// {{define "name"}} list {{end}}, with the keyword read.
bool Parser::definition() {
  constexpr std::string_view kContext = "define clause";
  const auto name = template_name(next_word(), kContext);
  if (!name || !expect(TokenType::kRightDelim, kContext)) return false;
  List* list = nullptr;
  return body(kContext, list) && add_template(*name, list);
}

// The list of a definition, up to its {{end}}.
bool Parser::body(std::string_view context, List*& list_out) {
  Scope outer = enter_definition();
  list_out = &program_.lists.emplace_back();
  const ListEnd end = list(*list_out);
  leave_definition(std::move(outer));
  if (end == ListEnd::kElse)
    return fail(list_end_, fmt::format("unexpected {{{{else}}}} in {}", context));
  return end == ListEnd::kEnd;
}

Parser::Scope Parser::enter_definition() {
  Scope outer{std::move(scope_), range_depth_};
  scope_ = {0};
  range_depth_ = 0;
  return outer;
}

void Parser::leave_definition(Scope scope) {
  scope_ = std::move(scope.variables);
  range_depth_ = scope.range_depth;
}

bool Parser::add_template(const std::string& name, List* list) {
  List*& known = templates_[name];
  if (known == nullptr || is_empty(*known)) {
    known = list;
  } else if (!is_empty(*list)) {
    return fail(tokens_[0], fmt::format("multiple definition of template \"{}\"", name));
  }
  return true;
}

// Statements up to {{end}} or {{else}}.
Parser::ListEnd Parser::list(List& into) {
  while (peek_word().type != TokenType::kEof) {
    if (const auto end = text_or_action(into)) return *end;
  }
  fail(peek(), "unexpected end of format: an {{end}} is missing");
  return ListEnd::kFailed;
}

std::optional<Parser::ListEnd> Parser::text_or_action(List& into) {
  const Token token = next_word();
  if (token.type == TokenType::kLeftDelim) return action(into, token);
  if (token.type != TokenType::kText) {
    unexpected(token, "input");
    return ListEnd::kFailed;
  }
  Statement text;
  text.position = position_of(token);
  text.text = token.text;
  into.statements.push_back(std::move(text));
  return std::nullopt;
}

// What follows a left delimiter.
std::optional<Parser::ListEnd> Parser::action(List& into, Token left) {
  const Token token = next_word();
  const Position position = position_of(token);
  bool ok = true;
  switch (token.type) {
    case TokenType::kBlock:
      ok = block(into, position);
      break;
    case TokenType::kBreak:
      ok = loop_control(into, StatementKind::kBreak, position, "{{break}}");
      break;
    case TokenType::kContinue:
      ok = loop_control(into, StatementKind::kContinue, position, "{{continue}}");
      break;
    case TokenType::kElse:
      list_end_ = token;
      return else_control();
    case TokenType::kEnd:
      list_end_ = token;
      return expect(TokenType::kRightDelim, "end") ? ListEnd::kEnd : ListEnd::kFailed;
    case TokenType::kIf:
      ok = control(into, StatementKind::kIf, "if", position);
      break;
    case TokenType::kRange:
      ok = control(into, StatementKind::kRange, "range", position);
      break;
    case TokenType::kTemplate:
      ok = template_call(into, position);
      break;
    case TokenType::kWith:
      ok = control(into, StatementKind::kWith, "with", position);
      break;
    default: {
      back_up();
      Statement statement;
      statement.kind = StatementKind::kAction;
      statement.position = position_of(left);
      // Variables it declares stay until the {{end}} around it.
      statement.pipe = pipeline("command", TokenType::kRightDelim);
      ok = statement.pipe != nullptr;
      if (ok) into.statements.push_back(std::move(statement));
    }
  }
  if (!ok) return ListEnd::kFailed;
  return std::nullopt;
}

// {{else}}, or {{else if ...}}, whose `if` is left to be read.
std::optional<Parser::ListEnd> Parser::else_control() {
  if (peek_word().type == TokenType::kIf) return ListEnd::kElse;
  return expect(TokenType::kRightDelim, "else") ? ListEnd::kElse : ListEnd::kFailed;
}

bool Parser::control(List& into, StatementKind kind, std::string_view context, Position position) {
  const std::size_t outer_variables = scope_.size();
  Statement statement;
  statement.kind = kind;
  statement.position = position;
  statement.pipe = pipeline(context, TokenType::kRightDelim);
  if (statement.pipe == nullptr) return false;
  const int in_range = kind == StatementKind::kRange ? 1 : 0;
  List& body = program_.lists.emplace_back();
  statement.list = &body;
  range_depth_ += in_range;
  const ListEnd end = list(body);
  range_depth_ -= in_range;
  if (end == ListEnd::kFailed) return false;
  if (end == ListEnd::kElse && !else_branch(statement, context)) return false;
  scope_.resize(outer_variables);
  into.statements.push_back(std::move(statement));
  return true;
}

bool Parser::else_branch(Statement& statement, std::string_view context) {
  List& branch = program_.lists.emplace_back();
  statement.else_list = &branch;
  // {{if a}}_{{else if b}}_{{end}} is {{if a}}_{{else}}{{if b}}_{{end}}{{end}} with one {{end}}.
  if (statement.kind == StatementKind::kIf && peek().type == TokenType::kIf) {
    return control(branch, StatementKind::kIf, "if", position_of(next()));
  }
  const ListEnd end = list(branch);
  if (end == ListEnd::kElse) {
    return fail(list_end_, fmt::format("expected end of {}; found {{{{else}}}}", context));
  }
  return end == ListEnd::kEnd;
}

bool Parser::loop_control(List& into, StatementKind kind, Position position,
                          std::string_view name) {
  const Token token = next_word();
  if (token.type != TokenType::kRightDelim) return unexpected(token, name);
  if (range_depth_ == 0) return fail(token, fmt::format("{} outside {{{{range}}}}", name));
  Statement statement;
  statement.kind = kind;
  statement.position = position;
  into.statements.push_back(std::move(statement));
  return true;
}

std::optional<std::string> Parser::template_name(const Token& token, std::string_view context) {
  if (token.type != TokenType::kString && token.type != TokenType::kRawString) {
    unexpected(token, context);
    return std::nullopt;
  }
  auto name = unquote(token.text);
  if (!name) fail(token, "invalid syntax in a string");
  return name;
}

// {{template "name" pipeline}}, where the pipeline may be absent.
bool Parser::template_call(List& into, Position position) {
  constexpr std::string_view kContext = "template clause";
  auto name = template_name(next_word(), kContext);
  if (!name) return false;
  Statement statement;
  statement.kind = StatementKind::kTemplate;
  statement.position = position;
  statement.callee = &program_.callees.emplace_back(Callee{std::move(*name), nullptr});
  if (next_word().type != TokenType::kRightDelim) {
    back_up();
    statement.pipe = pipeline(kContext, TokenType::kRightDelim);
    if (statement.pipe == nullptr) return false;
  }
  into.statements.push_back(std::move(statement));
  return true;
}

// {{block "name" pipeline}} list {{end}}: a definition and a call of it.
bool Parser::block(List& into, Position position) {
  constexpr std::string_view kContext = "block clause";
  auto name = template_name(next_word(), kContext);
  if (!name) return false;
  Statement statement;
  statement.kind = StatementKind::kTemplate;
  statement.position = position;
  statement.pipe = pipeline(kContext, TokenType::kRightDelim);
  if (statement.pipe == nullptr) return false;
  List* list = nullptr;
  if (!body(kContext, list) || !add_template(*name, list)) return false;
  statement.callee = &program_.callees.emplace_back(Callee{std::move(*name), nullptr});
  into.statements.push_back(std::move(statement));
  return true;
}

}  // namespace feeds::key_format
