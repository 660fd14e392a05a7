#pragma once

#include <cassert>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace feeds {

// Every expected failure has one of these codes. They are the `code` of a problem+json reply,
// so a code is never renamed. code_info() gives name, HTTP status and title; README.md lists them.
enum class Code : std::uint8_t {
  kBadRequest,             // 400 not HTTP as this server speaks it
  kBadPath,                // 400 a path segment that is no id, or bad percent-encoding
  kBadParameter,           // 400 a query parameter
  kBadHeader,              // 400 Feeds-Min-Position, Feeds-Wait-Ms
  kBadJson,                // 400 not JSON, invalid UTF-8, lone surrogate, nested too deep
  kBadText,                // 400 a text body that is not UTF-8
  kBadMember,              // 400 a JSON member of the wrong type or value
  kUnknownMember,          // 400
  kDuplicateMember,        // 400
  kMissingBody,            // 400
  kMissingMember,          // 400
  kMissingParameter,       // 400
  kBadKeyFormat,           // 400 with line and column
  kBadOffset,              // 400 an offsetId that is no cursor of this list
  kStartIdOutOfRange,      // 400
  kPastEndHere,            // 400 a replica's start_id_out_of_range, when the id may exist elsewhere
  kNoSuchRoute,            // 404
  kNoSuchFeed,             // 404
  kNoSuchUser,             // 404
  kNoSuchActivity,         // 404
  kNotAReaction,           // 404
  kNoSuchGroupingFeed,     // 404
  kNoSuchCollection,       // 404
  kNoSuchObject,           // 404
  kPositionPassed,         // 404 /v1/digest: the node was already past the position asked for
  kMethodNotAllowed,       // 405
  kRequestTimeout,         // 408
  kTooManySubscriptions,   // 409
  kTooManyFeeds,           // 409 an activity is in limits::kFeedsPerActivity
  kSeveralActivities,      // 409
  kCollectionExists,       // 409
  kObjectExists,           // 409
  kPositionLost,           // 409
  kBodyTooLarge,           // 413
  kValueTooLarge,          // 413
  kUnsupportedMediaType,   // 415
  kKeyFormatFailed,        // 422
  kHeadersTooLarge,        // 431
  kOverloaded,             // 503
  kNoPrimary,              // 503
  kReplicaBehind,          // 503
  kPositionNotReached,     // 503 /v1/digest: the position did not come within the wait
  kNotReady,               // 503 /readyz only
  kReopening,              // 503
  kWriteFailed,            // 503 nothing was written
  kOutcomeUnknown,         // 503 the sync failed: it may exist after reopening
  kDiskFull,               // 507
  kInternal,               // never sent for anything a client does; a bug or a broken disk
};

struct CodeInfo {
  Code code;
  std::string_view name;
  int status;
  std::string_view title;
};

const CodeInfo& code_info(Code code);

// An expected failure: what is wrong, for people, naming the parameter or member.
struct Error {
  Code code;
  std::string detail;
};

// A value or an Error. Reading the one that is not there is a bug and stops the process.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

struct Done {};
using Status = Result<Done>;
inline Status done() { return Done{}; }

}  // namespace feeds
