#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/key_format/parser.h"

namespace feeds::key_format {

namespace {

// Parentheses deeper than this cannot be closed within the longest format, so nothing that parses
// is refused; the stack stays small whatever comes.
constexpr int kMaxParens = kFormatBytes / 2;

Position position_of(const Token& token) {
  return static_cast<Position>(token.position);
}

Ident ident(std::string_view name) {
  const auto* found = std::find(std::begin(kFieldNames), std::end(kFieldNames), name);
  return {name, static_cast<std::size_t>(found - std::begin(kFieldNames))};
}

// What an untyped constant becomes where no type is asked: its syntax tells.
Value ideal_value(const Number& number) {
  if (number.is_complex) return complex_value(number.real, number.imaginary);
  const std::string_view text = number.text;
  const bool is_char = text[0] == '\'';
  // Go looks for the prefix at the very start: "-0x1e" has an 'e', and is a float.
  const bool is_hex_integer = text.size() > 2 && text[0] == '0' &&
                              (text[1] == 'x' || text[1] == 'X') &&
                              text.find_first_of("pP") == std::string_view::npos;
  if (number.is_float && !is_hex_integer && !is_char &&
      text.find_first_of(".eEpP") != std::string_view::npos) {
    return float_value(number.real);
  }
  if (number.is_int) return integer_value(Kind::kInt, number.integer);
  return {};  // an integer that is too large, which is an error when it is evaluated
}

bool starts_operand(TokenType type) {
  switch (type) {
    case TokenType::kBool:
    case TokenType::kCharConstant:
    case TokenType::kComplex:
    case TokenType::kDot:
    case TokenType::kField:
    case TokenType::kIdentifier:
    case TokenType::kNumber:
    case TokenType::kNil:
    case TokenType::kRawString:
    case TokenType::kString:
    case TokenType::kVariable:
    case TokenType::kLeftParen:
      return true;
    default:
      return false;
  }
}

}  // namespace

// Names are few: a format is at most 4 KiB.
std::uint32_t Parser::variable_id(std::string_view name) {
  auto& names = program_.variable_names;
  const auto found = std::find(names.begin(), names.end(), name);
  const auto id = static_cast<std::uint32_t>(found - names.begin());
  if (found == names.end()) names.emplace_back(name);
  return id;
}

bool Parser::variable_in_scope(std::uint32_t id) const {
  return std::find(scope_.begin(), scope_.end(), id) != scope_.end();
}

// Declarations, then commands with | between them, up to the `end` token.
Pipe* Parser::pipeline(std::string_view context, TokenType end) {
  Pipe& pipe = program_.pipes.emplace_back();
  pipe.position = position_of(peek_word());
  if (!declarations(pipe, context)) return nullptr;
  while (true) {
    const Token token = next_word();
    if (token.type == end) return check_pipeline(pipe, context, token) ? &pipe : nullptr;
    if (!starts_operand(token.type)) {
      unexpected(token, context);
      return nullptr;
    }
    back_up();
    if (!command(pipe)) return nullptr;
  }
}

// "$x :=", "$x =", or in a range "$i, $x :=". A variable that is none of these is an operand.
bool Parser::declarations(Pipe& pipe, std::string_view context) {
  while (true) {
    const Token variable = peek_word();
    if (variable.type != TokenType::kVariable) return true;
    next();
    const Token after = peek();
    const Token word = peek_word();
    const bool comma = word.type == TokenType::kChar && word.text == ",";
    if (word.type != TokenType::kAssign && word.type != TokenType::kDeclare && !comma) {
      if (after.type == TokenType::kSpace) {
        back_up(variable, after);
      } else {
        back_up(variable);
      }
      return true;
    }
    next_word();
    const std::uint32_t id = variable_id(variable.text);
    pipe.variables.push_back(id);
    scope_.push_back(id);
    if (!comma) {
      pipe.assigns = word.type == TokenType::kAssign;
      return true;
    }
    if (context != "range" || pipe.variables.size() >= 2) {
      return fail(word, fmt::format("too many declarations in {}", context));
    }
    const TokenType next_type = peek_word().type;
    if (next_type != TokenType::kVariable && next_type != TokenType::kRightDelim &&
        next_type != TokenType::kRightParen) {
      return fail(word, "range can only initialize variables");
    }
  }
}

bool Parser::check_pipeline(const Pipe& pipe, std::string_view context, const Token& end) {
  if (pipe.commands.empty()) return fail(end, fmt::format("missing value for {}", context));
  for (std::size_t i = 1; i < pipe.commands.size(); ++i) {
    const OperandKind kind = pipe.commands[i].operands[0].kind;
    if (kind == OperandKind::kConstant || kind == OperandKind::kNumber ||
        kind == OperandKind::kDot || kind == OperandKind::kNil) {
      return fail(end, fmt::format("non executable command in pipeline stage {}", i + 1));
    }
  }
  return true;
}

// Operands with spaces between them, up to a | (which is taken) or the end of the pipeline.
bool Parser::command(Pipe& pipe) {
  // Built in place: this method is in every level of nested parentheses, so its frame is kept
  // small.
  Command& made = pipe.commands.emplace_back();
  made.position = position_of(peek_word());
  while (true) {
    peek_word();  // skips spaces
    bool found = false;
    if (!operand(made.operands.emplace_back(), found)) return false;
    if (!found) made.operands.pop_back();
    const Token token = next();
    if (token.type == TokenType::kSpace) continue;
    if (token.type == TokenType::kRightDelim || token.type == TokenType::kRightParen) {
      back_up();
    } else if (token.type != TokenType::kPipe) {
      return unexpected(token, "operand");
    }
    return !made.operands.empty() || fail(token, "empty command");
  }
}

// A term and the fields that follow it.
bool Parser::operand(Operand& out, bool& found) {
  if (!term(out, found)) return false;
  if (!found || peek().type != TokenType::kField) return true;
  return add_fields(out);
}

bool Parser::add_fields(Operand& out) {
  switch (out.kind) {
    case OperandKind::kField:
    case OperandKind::kVariable:
      break;
    case OperandKind::kConstant:
    case OperandKind::kNumber:
    case OperandKind::kNil:
    case OperandKind::kDot:
      return fail(peek(), "unexpected . after a term that has no fields");
    default: {
      Operand chain;
      chain.kind = OperandKind::kChain;
      chain.position = out.position;
      chain.base = &program_.bases.emplace_back(std::move(out));
      out = std::move(chain);
    }
  }
  while (peek().type == TokenType::kField) out.idents.push_back(ident(next().text.substr(1)));
  return true;
}

bool Parser::term(Operand& out, bool& found) {
  const Token token = next_word();
  out.position = position_of(token);
  found = true;
  switch (token.type) {
    case TokenType::kIdentifier:
      out.kind = OperandKind::kFunction;
      out.function = find_function(token.text);
      if (out.function != nullptr) return true;
      return fail(token, fmt::format("function \"{}\" not defined", token.text));
    case TokenType::kDot:
      out.kind = OperandKind::kDot;
      return true;
    case TokenType::kNil:
      out.kind = OperandKind::kNil;
      return true;
    case TokenType::kVariable:
      out.kind = OperandKind::kVariable;
      out.variable = variable_id(token.text);
      if (variable_in_scope(out.variable)) return true;
      return fail(token, fmt::format("undefined variable \"{}\"", token.text));
    case TokenType::kField:
      out.kind = OperandKind::kField;
      out.idents.push_back(ident(token.text.substr(1)));
      return true;
    case TokenType::kBool:
      out.kind = OperandKind::kConstant;
      out.constant = bool_value(token.text == "true");
      return true;
    case TokenType::kCharConstant:
    case TokenType::kComplex:
    case TokenType::kNumber:
      return number(token, out);
    case TokenType::kLeftParen:
      out.kind = OperandKind::kPipe;
      if (paren_depth_ >= kMaxParens) return fail(token, "unclosed left paren");
      ++paren_depth_;
      out.pipe = pipeline("parenthesized pipeline", TokenType::kRightParen);
      --paren_depth_;
      return out.pipe != nullptr;
    case TokenType::kString:
    case TokenType::kRawString: {
      auto text = unquote(token.text);
      if (!text) return fail(token, "invalid syntax in a string");
      out.kind = OperandKind::kConstant;
      out.constant = string_value(program_.strings.emplace_back(std::move(*text)));
      return true;
    }
    default:
      found = false;
      back_up();
      return true;
  }
}

bool Parser::number(const Token& token, Operand& out) {
  std::string message;
  auto number = token.type == TokenType::kCharConstant ? parse_char_constant(token.text, message)
                : token.type == TokenType::kComplex    ? parse_complex(token.text, message)
                                                       : parse_number(token.text, message);
  if (!number) return fail(token, std::move(message));
  out.kind = OperandKind::kNumber;
  out.number = &program_.numbers.emplace_back(*number);
  out.constant = ideal_value(*number);
  return true;
}

}  // namespace feeds::key_format
