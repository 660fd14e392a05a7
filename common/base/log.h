#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

// Structured logs on standard error: one line an event, `time level event key=value ...`.
// Values with spaces are quoted. Never a body, never a secret. Thread-safe.
namespace feeds::log {

enum class Level { kDebug, kInfo, kWarn, kError };

struct Field {
  Field(std::string_view name, std::string_view text) : key(name), value(text) {}
  Field(std::string_view name, const std::string& text) : key(name), value(text) {}
  Field(std::string_view name, const char* text) : key(name), value(text) {}
  template <std::integral T>
  Field(std::string_view name, T number) : key(name), value(std::to_string(number)) {}
  std::string_view key;
  std::string value;
};

// `level` is one of debug, info, warn, error (any case). False if it is none of them.
bool set_level(std::string_view level);

void write(Level level, std::string_view event, std::initializer_list<Field> fields = {});
inline void debug(std::string_view event, std::initializer_list<Field> fields = {}) {
  write(Level::kDebug, event, fields);
}
inline void info(std::string_view event, std::initializer_list<Field> fields = {}) {
  write(Level::kInfo, event, fields);
}
inline void warn(std::string_view event, std::initializer_list<Field> fields = {}) {
  write(Level::kWarn, event, fields);
}
inline void error(std::string_view event, std::initializer_list<Field> fields = {}) {
  write(Level::kError, event, fields);
}

}  // namespace feeds::log
