#include "common/key_format/lexer.h"

#include <utility>

#include "common/key_format/utf8.h"

namespace feeds::key_format {

namespace {

constexpr std::string_view kLeftDelimText = "{{";
constexpr std::string_view kRightDelimText = "}}";
constexpr std::string_view kSpaces = " \t\r\n";
constexpr std::size_t kTrimMarkerBytes = 2;  // the minus and the space beside it

constexpr std::pair<std::string_view, TokenType> kWords[] = {
    {"true", TokenType::kBool},     {"false", TokenType::kBool},
    {"nil", TokenType::kNil},       {"block", TokenType::kBlock},
    {"break", TokenType::kBreak},   {"continue", TokenType::kContinue},
    {"define", TokenType::kDefine}, {"else", TokenType::kElse},
    {"end", TokenType::kEnd},       {"if", TokenType::kIf},
    {"range", TokenType::kRange},   {"template", TokenType::kTemplate},
    {"with", TokenType::kWith},
};

bool is_space(int rune) {
  return rune == ' ' || rune == '\t' || rune == '\r' || rune == '\n';
}

bool is_word_rune(int rune) {
  return rune == '_' || (rune >= 0 && is_letter_or_digit(static_cast<char32_t>(rune)));
}

bool has_left_trim_marker(std::string_view text) {
  return text.size() >= kTrimMarkerBytes && text[0] == '-' && is_space(text[1]);
}

std::size_t leading_spaces(std::string_view text) {
  const std::size_t end = text.find_first_not_of(kSpaces);
  return end == std::string_view::npos ? text.size() : end;
}

std::string_view trim_right(std::string_view text) {
  const std::size_t last = text.find_last_not_of(kSpaces);
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

}  // namespace

int Lexer::peek() const {
  if (position_ >= input_.size()) return kEnd;
  return static_cast<int>(decode_rune(input_.substr(position_)).value);
}

int Lexer::take() {
  if (position_ >= input_.size()) return kEnd;
  const Rune rune = decode_rune(input_.substr(position_));
  position_ += rune.width;
  return static_cast<int>(rune.value);
}

bool Lexer::accept(std::string_view set) {
  if (position_ >= input_.size() || set.find(input_[position_]) == std::string_view::npos) {
    return false;
  }
  ++position_;
  return true;
}

void Lexer::accept_run(std::string_view set) {
  while (accept(set)) {
  }
}

bool Lexer::looking_at(std::string_view text) const {
  return input_.substr(position_).starts_with(text);
}

// What may follow a word: "$x+2" is refused, "a.b" is two tokens.
bool Lexer::at_terminator() const {
  const int rune = peek();
  return rune == kEnd || is_space(rune) || rune == '.' || rune == ',' || rune == '|' ||
         rune == ':' || rune == ')' || rune == '(' || looking_at(kRightDelimText);
}

bool Lexer::at_right_trim(std::size_t position) const {
  const std::string_view rest = input_.substr(position);
  return rest.size() >= kTrimMarkerBytes && is_space(rest[0]) && rest[1] == '-' &&
         rest.substr(kTrimMarkerBytes).starts_with(kRightDelimText);
}

Token Lexer::token(TokenType type) {
  const Token made{type, start_, input_.substr(start_, position_ - start_)};
  start_ = position_;
  return made;
}

Token Lexer::error(std::string message) {
  message_ = std::move(message);
  return {TokenType::kError, start_, message_};
}

Token Lexer::next() {
  return inside_ ? action() : outside();
}

// Text up to the next action, or the action's left delimiter.
Token Lexer::outside() {
  while (true) {
    const std::size_t delim = input_.find(kLeftDelimText, position_);
    start_ = position_;
    if (delim == std::string_view::npos) {
      position_ = input_.size();
      return token(position_ > start_ ? TokenType::kText : TokenType::kEof);
    }
    const std::size_t inside = delim + kLeftDelimText.size();
    const bool trim = has_left_trim_marker(input_.substr(inside));
    std::string_view text = input_.substr(start_, delim - start_);
    if (trim) text = trim_right(text);
    position_ = delim;
    if (!text.empty()) return {TokenType::kText, start_, text};

    start_ = delim;
    const std::size_t content = inside + (trim ? kTrimMarkerBytes : 0);
    if (input_.substr(content).starts_with("/*")) {
      std::string message;
      if (!comment(content, message)) return error(std::move(message));
      continue;
    }
    position_ = inside;
    const Token left = token(TokenType::kLeftDelim);
    position_ = start_ = content;
    inside_ = true;
    paren_depth_ = 0;
    return left;
  }
}

// Moves past a comment, its closing delimiter and what that trims.
bool Lexer::comment(std::size_t start, std::string& message) {
  const std::size_t close = input_.find("*/", start + 2);
  if (close == std::string_view::npos) {
    message = "unclosed comment";
    return false;
  }
  position_ = close + 2;
  const bool trim = at_right_trim(position_);
  if (trim) position_ += kTrimMarkerBytes;
  if (!looking_at(kRightDelimText)) {
    message = "comment ends before closing delimiter";
    return false;
  }
  position_ += kRightDelimText.size();
  if (trim) position_ += leading_spaces(input_.substr(position_));
  return true;
}

Token Lexer::right_delim() {
  const bool trim = at_right_trim(position_);
  if (trim) position_ += kTrimMarkerBytes;
  start_ = position_;
  position_ += kRightDelimText.size();
  const Token right = token(TokenType::kRightDelim);
  if (trim) position_ += leading_spaces(input_.substr(position_));
  inside_ = false;
  return right;
}

Token Lexer::action() {
  start_ = position_;
  if (at_right_trim(position_) || looking_at(kRightDelimText)) {
    return paren_depth_ == 0 ? right_delim() : error("unclosed left paren");
  }
  const int rune = peek();
  if (rune == kEnd) return error("unclosed action");
  if (is_space(rune)) return space();
  if (rune == '+' || rune == '-' || (rune >= '0' && rune <= '9')) return number();
  if (is_word_rune(rune)) return word();
  take();
  switch (rune) {
    case '=':
      return token(TokenType::kAssign);
    case ':':
      return take() == '=' ? token(TokenType::kDeclare) : error("expected :=");
    case '|':
      return token(TokenType::kPipe);
    case '"':
      return quoted('"', TokenType::kString, "quoted string");
    case '\'':
      return quoted('\'', TokenType::kCharConstant, "character constant");
    case '`':
      return raw_string();
    case '$':
      return field_or_variable(TokenType::kVariable);
    case '.': {
      const int next = peek();
      if (next != kEnd && (next < '0' || next > '9')) return field_or_variable(TokenType::kField);
      position_ = start_;
      return number();
    }
    case '(':
      ++paren_depth_;
      return token(TokenType::kLeftParen);
    case ')':
      if (--paren_depth_ < 0) return error("unexpected right paren");
      return token(TokenType::kRightParen);
    default:
      if (rune < 0x80 && is_printable(static_cast<char32_t>(rune))) return token(TokenType::kChar);
      return error("unrecognized character in action");
  }
}

Token Lexer::space() {
  while (is_space(peek())) ++position_;
  // The last space may belong to a trim marker.
  if (at_right_trim(position_ - 1)) {
    --position_;
    if (position_ == start_) return right_delim();
  }
  return token(TokenType::kSpace);
}

Token Lexer::quoted(char quote, TokenType type, std::string_view what) {
  while (true) {
    int rune = take();
    if (rune == quote) return token(type);
    if (rune == '\\') rune = take();
    if (rune == kEnd || rune == '\n') return error("unterminated " + std::string(what));
  }
}

Token Lexer::raw_string() {
  const std::size_t close = input_.find('`', position_);
  if (close == std::string_view::npos) return error("unterminated raw quoted string");
  position_ = close + 1;
  return token(TokenType::kRawString);
}

Token Lexer::field_or_variable(TokenType type) {
  if (at_terminator()) return token(type == TokenType::kField ? TokenType::kDot : type);
  while (is_word_rune(peek())) take();
  if (!at_terminator()) return error("bad character in a name");
  return token(type);
}

Token Lexer::word() {
  while (is_word_rune(peek())) take();
  if (!at_terminator()) return error("bad character in a name");
  const std::string_view text = input_.substr(start_, position_ - start_);
  for (const auto& [name, type] : kWords) {
    if (name == text) return token(type);
  }
  return token(TokenType::kIdentifier);
}

Token Lexer::number() {
  if (!scan_number()) return error("bad number syntax");
  if (const int sign = peek(); sign != '+' && sign != '-') return token(TokenType::kNumber);
  // A complex constant: 1+2i, without spaces.
  if (!scan_number() || input_[position_ - 1] != 'i') return error("bad number syntax");
  return token(TokenType::kComplex);
}

// Takes what looks like one number; the parser is the judge of it.
bool Lexer::scan_number() {
  constexpr std::string_view kDecimal = "0123456789_";
  constexpr std::string_view kHex = "0123456789abcdefABCDEF_";
  accept("+-");
  std::string_view digits = kDecimal;
  if (accept("0")) {
    if (accept("xX")) {
      digits = kHex;
    } else if (accept("oO")) {
      digits = "01234567_";
    } else if (accept("bB")) {
      digits = "01_";
    }
  }
  accept_run(digits);
  if (accept(".")) accept_run(digits);
  if ((digits == kDecimal && accept("eE")) || (digits == kHex && accept("pP"))) {
    accept("+-");
    accept_run(kDecimal);
  }
  accept("i");
  return !is_word_rune(peek());
}

}  // namespace feeds::key_format
