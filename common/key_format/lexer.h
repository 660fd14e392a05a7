#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace feeds::key_format {

enum class TokenType : std::uint8_t {
  kError,  // Token::text says what is wrong
  kBool,
  kChar,  // any other printable ASCII character, such as ','
  kCharConstant,
  kComplex,
  kAssign,   // =
  kDeclare,  // :=
  kEof,
  kField,       // .name
  kIdentifier,  // name
  kLeftDelim,
  kLeftParen,
  kNumber,
  kPipe,
  kRawString,
  kRightDelim,
  kRightParen,
  kSpace,
  kString,
  kText,
  kVariable,  // $ or $name
  kDot,
  kNil,
  // keywords
  kBlock,
  kBreak,
  kContinue,
  kDefine,
  kElse,
  kEnd,
  kIf,
  kRange,
  kTemplate,
  kWith,
};

struct Token {
  TokenType type = TokenType::kEof;
  std::size_t position = 0;  // in bytes
  std::string_view text;
};

// The tokens of a format, in order. Trim markers and comments are dealt with here: the parser sees
// only their effect. After kError or kEof there is nothing more to ask for.
class Lexer {
 public:
  explicit Lexer(std::string_view input) : input_(input) {}

  Token next();

 private:
  static constexpr int kEnd = -1;

  int peek() const;  // the rune ahead, or kEnd
  int take();
  bool accept(std::string_view set);
  void accept_run(std::string_view set);
  bool looking_at(std::string_view text) const;
  bool at_terminator() const;
  bool at_right_trim(std::size_t position) const;
  bool scan_number();

  Token token(TokenType type);
  Token error(std::string message);
  Token outside();
  bool comment(std::size_t start, std::string& message);
  Token action();
  Token right_delim();
  Token space();
  Token quoted(char quote, TokenType type, std::string_view what);
  Token raw_string();
  Token field_or_variable(TokenType type);
  Token number();
  Token word();

  std::string_view input_;
  std::size_t position_ = 0;
  std::size_t start_ = 0;  // of the token being read
  bool inside_ = false;    // between the delimiters
  int paren_depth_ = 0;
  std::string message_;  // what the text of an error token views
};

}  // namespace feeds::key_format
