#include "common/base/result.h"

#include <array>
#include <cstddef>

namespace feeds {
namespace {

constexpr std::array kCodes = {
    CodeInfo{Code::kBadRequest, "bad_request", 400, "Bad request"},
    CodeInfo{Code::kBadPath, "bad_path", 400, "Bad path"},
    CodeInfo{Code::kBadParameter, "bad_parameter", 400, "Bad query parameter"},
    CodeInfo{Code::kBadHeader, "bad_header", 400, "Bad header"},
    CodeInfo{Code::kBadJson, "bad_json", 400, "Bad JSON"},
    CodeInfo{Code::kBadText, "bad_text", 400, "Bad text"},
    CodeInfo{Code::kBadMember, "bad_member", 400, "Bad member"},
    CodeInfo{Code::kUnknownMember, "unknown_member", 400, "Unknown member"},
    CodeInfo{Code::kDuplicateMember, "duplicate_member", 400, "Duplicate member"},
    CodeInfo{Code::kMissingBody, "missing_body", 400, "Missing body"},
    CodeInfo{Code::kMissingMember, "missing_member", 400, "Missing member"},
    CodeInfo{Code::kMissingParameter, "missing_parameter", 400, "Missing query parameter"},
    CodeInfo{Code::kBadKeyFormat, "bad_key_format", 400, "Bad key format"},
    CodeInfo{Code::kBadOffset, "bad_offset", 400, "Bad offsetId"},
    CodeInfo{Code::kStartIdOutOfRange, "start_id_out_of_range", 400, "startId out of range"},
    CodeInfo{Code::kPastEndHere, "past_end_here", 400, "startId past the end on this node"},
    CodeInfo{Code::kNoSuchRoute, "no_such_route", 404, "No such route"},
    CodeInfo{Code::kNoSuchFeed, "no_such_feed", 404, "No such feed"},
    CodeInfo{Code::kNoSuchUser, "no_such_user", 404, "No such user"},
    CodeInfo{Code::kNoSuchActivity, "no_such_activity", 404, "No such activity"},
    CodeInfo{Code::kNotAReaction, "not_a_reaction", 404, "Not a reaction"},
    CodeInfo{Code::kNoSuchGroupingFeed, "no_such_grouping_feed", 404, "No such grouping feed"},
    CodeInfo{Code::kNoSuchCollection, "no_such_collection", 404, "No such collection"},
    CodeInfo{Code::kNoSuchObject, "no_such_object", 404, "No such object"},
    CodeInfo{Code::kPositionPassed, "position_passed", 404, "Position already passed"},
    CodeInfo{Code::kMethodNotAllowed, "method_not_allowed", 405, "Method not allowed"},
    CodeInfo{Code::kRequestTimeout, "request_timeout", 408, "Request timeout"},
    CodeInfo{Code::kTooManySubscriptions, "too_many_subscriptions", 409, "Too many subscriptions"},
    CodeInfo{Code::kTooManyFeeds, "too_many_feeds", 409, "Activity in too many feeds"},
    CodeInfo{Code::kSeveralActivities, "several_activities", 409, "Several activities"},
    CodeInfo{Code::kCollectionExists, "collection_exists", 409, "Collection exists"},
    CodeInfo{Code::kObjectExists, "object_exists", 409, "Object exists"},
    CodeInfo{Code::kPositionLost, "position_lost", 409, "Position lost"},
    CodeInfo{Code::kBodyTooLarge, "body_too_large", 413, "Body too large"},
    CodeInfo{Code::kValueTooLarge, "value_too_large", 413, "Value too large"},
    CodeInfo{Code::kUnsupportedMediaType, "unsupported_media_type", 415, "Unsupported media type"},
    CodeInfo{Code::kKeyFormatFailed, "key_format_failed", 422, "Key format failed"},
    CodeInfo{Code::kHeadersTooLarge, "headers_too_large", 431, "Headers too large"},
    CodeInfo{Code::kOverloaded, "overloaded", 503, "Overloaded"},
    CodeInfo{Code::kNoPrimary, "no_primary", 503, "No primary known"},
    CodeInfo{Code::kReplicaBehind, "replica_behind", 503, "Replica behind"},
    CodeInfo{Code::kPositionNotReached, "position_not_reached", 503, "Position not reached"},
    CodeInfo{Code::kNotReady, "not_ready", 503, "Not ready"},
    CodeInfo{Code::kReopening, "reopening", 503, "Reopening"},
    CodeInfo{Code::kWriteFailed, "write_failed", 503, "Write failed"},
    CodeInfo{Code::kOutcomeUnknown, "outcome_unknown", 503, "Outcome unknown"},
    CodeInfo{Code::kDiskFull, "disk_full", 507, "Disk full"},
    CodeInfo{Code::kInternal, "internal", 500, "Internal error"},
};

// The table is indexed by code, so a code added to the enum must be added here, in its place.
constexpr bool in_order() {
  for (std::size_t i = 0; i < kCodes.size(); ++i) {
    if (kCodes[i].code != static_cast<Code>(i)) return false;
  }
  return kCodes.size() == static_cast<std::size_t>(Code::kInternal) + 1;
}
static_assert(in_order());

}  // namespace

const CodeInfo& code_info(Code code) {
  const auto index = static_cast<std::size_t>(code);
  assert(index < kCodes.size());
  return kCodes[index];
}

}  // namespace feeds
