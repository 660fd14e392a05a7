#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>

// The keys of grouping feeds: Go 1.19's text/template over an activity, as README.md of this folder
// scopes it. A Template is parsed once and rendered for every activity that enters its feed.
//
// Threads: a Template is immutable; any number of threads may render one at the same time. A
// Subject belongs to one thread.
// Bounds: neither parse nor render takes more than a few milliseconds or two megabytes of stack,
// and all renders of a Subject no more than some tens of milliseconds and the reading of its
// extraData once, whatever the formats and the activity hold.
namespace feeds::key_format {

inline constexpr std::size_t kFormatBytes = 4 * 1024;  // a longer format does not parse
inline constexpr std::size_t kKeyBytes = 1024;         // a longer key is a failed render

// What text.h calls steps: one render that takes more fails, and so does the one with which the
// renders of a Subject take more.
inline constexpr std::int64_t kRenderSteps = 100'000;
inline constexpr std::int64_t kSubjectSteps = 1'000'000;

// What a template sees. Views must outlive the call that takes them; text is UTF-8.
struct Activity {
  std::int64_t id = 0;
  std::string_view object_id;
  std::string_view collection_id;
  std::string_view linked_activity_id;
  std::int64_t created_at_ns = 0;  // since 1970, may be negative
  std::int64_t updated_at_ns = 0;
  std::string_view user_id;
  std::string_view activity_type;
  std::string_view extra_data;  // JSON text, valid; empty is null; read only if the template asks
};

// Where in the format, and what is wrong, for people. Line and column (in characters) start at 1.
struct FormatError {
  std::size_t line = 1;
  std::size_t column = 1;
  std::string message;
};

struct Program;  // the parsed form
struct Value;

// One activity and what the templates of several feeds share that are rendered on it: its
// extraData, read when the first of them asks for it, and the steps.
class Subject {
 public:
  // `activity` must outlive it.
  explicit Subject(const Activity& activity) : activity_(activity) {}
  explicit Subject(Activity&&) = delete;
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

 private:
  friend class Execution;

  // Null if it is no JSON.
  const Value* extra_data();

  const Activity& activity_;
  std::int64_t steps_left_ = kSubjectSteps;
  const Value* extra_data_ = nullptr;
  // Of the extraData, once it was asked for. The first block is enough for most, so that they
  // allocate nothing.
  std::optional<std::pmr::monotonic_buffer_resource> arena_;
  std::array<std::byte, 2048> first_block_;
};

class Template {
 public:
  // nullopt, and `error` set, for a format that is too long, no UTF-8, or does not parse. A field
  // that no activity has parses: as in Go, it fails when rendered.
  static std::optional<Template> parse(std::string_view format, FormatError& error);

  // Sets `key` to the key of the activity; empty is a key. False, with `error` set and `key`
  // unspecified, if the template fails on this activity, its key is no UTF-8 or too long, or it
  // takes too many steps. The same activity always gives the same outcome, unless the renders of
  // the Subject before took its steps.
  bool render(Subject& subject, std::string& key, FormatError& error) const;
  // The same for an activity with one template.
  bool render(const Activity& activity, std::string& key, FormatError& error) const;

  // The text it was parsed from.
  std::string_view format() const;

 private:
  explicit Template(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

  std::shared_ptr<const Program> program_;
};

}  // namespace feeds::key_format
