#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

// Every bound of the service, each with its reason. Settings have their defaults in config/.
namespace feeds::limits {

using namespace std::chrono_literals;

// --- HTTP
inline constexpr std::size_t kRequestHeadBytes = 16 * 1024;       // request line and headers: 431
inline constexpr std::size_t kProblemDetailBytes = 1024;          // a detail may quote what was sent, not echo it
inline constexpr std::size_t kRequestBodyBytes = 1024 * 1024;     // 413
inline constexpr std::size_t kDiscardBytes = 64 * 1024 * 1024;    // read after an early reply, so that it can be seen
inline constexpr auto kDiscardTime = 10s;
inline constexpr std::size_t kStreamChunkBytes = 64 * 1024;       // of a streamed reply
inline constexpr auto kStreamStallTime = 30s;                     // a stream without progress is cut
inline constexpr auto kStreamTime = 10min;                        // any stream is cut
inline constexpr auto kRetiredStreamTime = 5s;                    // streams on a database that was replaced
inline constexpr std::size_t kHeldBytes = 256 * 1024 * 1024;     // bodies and replies in memory, all connections: 503
inline constexpr std::size_t kUncountedBytes = 64 * 1024;         // smaller ones do not count
inline constexpr auto kBodyTime = 10min;                          // a body must be whole by then, however it drips
inline constexpr std::size_t kWaitingReads = 10'000;              // reads that wait for a position, a node
inline constexpr auto kDefaultWait = 1000ms;                      // Feeds-Wait-Ms
inline constexpr auto kMaxWait = 30'000ms;

// --- values
inline constexpr std::size_t kStoredValueBytes = 2 * 1024 * 1024;  // 413; escapes can double a body
inline constexpr int kJsonDepth = 64;
inline constexpr std::uint64_t kSubscriptionsPerUser = 10'000;  // consumeFeeds reads a page of each

// --- pages
inline constexpr std::uint64_t kPageLimit = 50;
inline constexpr std::uint64_t kPageLimitMax = 1000;
inline constexpr std::size_t kPageBytes = 8 * 1024 * 1024;  // a page also ends here

inline constexpr std::uint64_t kSkippedRows = 10'000;  // a page that skipped so many may end short
inline constexpr std::uint64_t kGroupPageLimit = 25;
inline constexpr std::size_t kCopyBytes =
    4096;  // a longer activity is not copied to its index rows
// Copies that a group's place in the order of groups holds. Small, so that the rows of an activity that is in
// kFeedsPerActivity groups still fit into a batch.
inline constexpr std::size_t kHeadActivities = 4;
inline constexpr std::size_t kHeadBytes = 1536;
inline constexpr std::uint64_t kReplyReactions = 1000;  // nested reactions in a reply
inline constexpr int kReactionDepth = 8;
inline constexpr std::uint64_t kNestedReactions = 10;  // newest of each nested reaction
inline constexpr std::size_t kFeedsPerActivity = 500;  // 409; its copies are rewritten together
inline constexpr std::size_t kRedirects = 100;         // redirectTo
inline constexpr std::size_t kTextIdBytes =
    512;  // ids and types of activities, collections, objects

// --- commit path
inline constexpr std::size_t kGroupCommands = 1024;
inline constexpr std::size_t kGroupBytes =
    2 * 1024 * 1024;  // a group takes no further command past this
inline constexpr std::size_t kBatchBytes =
    4 * 1024 * 1024;                                    // no batch, and so no frame, is over this
inline constexpr std::size_t kInlineDeleteRows = 1000;  // more rows: a pending deletion
inline constexpr std::size_t kInlineDeleteBytes = 2 * 1024 * 1024;
inline constexpr std::size_t kPendingDeletions = 64;  // then 503
static_assert(kGroupBytes + kStoredValueBytes <= kBatchBytes, "one more command always fits");
static_assert(kRequestBodyBytes <= kStoredValueBytes);

// --- replication
inline constexpr std::size_t kFrameBytes = 1024 * 1024;  // or one larger batch
inline constexpr std::size_t kSnapshotChunkBytes = 1024 * 1024;
inline constexpr std::size_t kMessageBytes =
    64 * 1024 * 1024;  // Cap'n Proto's bound, set alike on both ends
static_assert(kBatchBytes + kFrameBytes < kMessageBytes);
inline constexpr std::size_t kInFlightBytes =
    4 * 1024 * 1024;                          // sent to a replica and not yet taken by it
// The newest commits, held in memory for replicas that are level or nearly so: a quarter of a second of the
// heaviest load. A replica that is further behind reads the log, whose opening may take 20 ms.
inline constexpr std::size_t kRelayBytes = 4 * 1024 * 1024;
// A larger commit, of many commands, leaves later: the thread that commits has no time to send it.
inline constexpr std::size_t kEarlyBytes = 4 * 1024;
inline constexpr std::size_t kReplicas = 64;  // connections to a source; more are refused
inline constexpr auto kPeerMemory = 10min;    // a replica that left is still listed
inline constexpr auto kDialMin = 50ms;        // backoff of a replica that dials, with jitter
inline constexpr auto kDialMax = 5s;
inline constexpr auto kHeadFresh = 2s;   // a head told longer ago proves nothing
inline constexpr int kTailReopens = 20;  // wrong starts of the log before it counts as purged

// --- store
inline constexpr std::size_t kProbeBytes =
    16 * 1024 * 1024;  // must be writable before a reopen is tried
inline constexpr auto kDigestPinTime = 60s;
inline constexpr std::size_t kDigestPins = 8;
inline constexpr std::size_t kViolations = 100;  // told of a node that has more

}  // namespace feeds::limits
