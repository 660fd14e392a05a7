#include "tools/feedctl/verify.h"

#include <fmt/format.h>

#include <future>
#include <set>

#include "common/base/limits.h"
#include "common/feeds/invariants.h"
#include "common/store/view.h"
#include "tools/feedctl/cluster.h"
#include "tools/feedctl/data.h"
#include "tools/feedctl/pause.h"
#include "tools/feedctl/printer.h"

namespace feeds::feedctl {
namespace {

using Time = std::chrono::steady_clock::time_point;

// How far ahead of the present one a position is asked for, in time at the present rate of writing:
// enough for all requests to arrive, doubled while it is not, and within the second that a node
// waits.
constexpr std::chrono::milliseconds kLeastAhead{100};
constexpr std::chrono::milliseconds kMostAhead{800};
constexpr std::chrono::milliseconds kBusyPause{200};

// Nodes may bound what they read at once; then the lesser number is tried.
constexpr std::uint64_t kManyRows = std::uint64_t{1} << 20;
constexpr std::uint64_t kFewRows = 1000;

struct Present {
  Position position;
  Time at;
};

// Asks all, checks that they are one cluster, and gives the primary's position.
Result<Present> ask_present(std::vector<Client>& clients) {
  const Answers answers = ask_all(clients);
  std::optional<Position> primary, furthest;
  std::set<std::string> clusters;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i]) return answers[i].error();
    if (answers[i]->cluster_id) clusters.insert(*answers[i]->cluster_id);
    const auto position = parse_position(answers[i]->position.value_or(""));
    if (!position) {
      return Error{Code::kInternal, fmt::format("{}: has no data yet", clients[i].url().text)};
    }
    furthest = furthest ? std::max(*furthest, *position) : *position;
    if (answers[i]->role == "primary") primary = *position;
  }
  if (clusters.size() > 1) {
    return Error{Code::kInternal, fmt::format("the nodes are of {} clusters: {}", clusters.size(),
                                              fmt::join(clusters, ", "))};
  }
  return Present{primary ? *primary : *furthest, std::chrono::steady_clock::now()};
}

// A position that should come `ahead` from now, judged by two looks at the primary.
Position ahead_of(const Present& earlier, const Present& present,
                  std::chrono::duration<double> ahead) {
  Position position = present.position;
  std::uint64_t step = 1;
  const std::chrono::duration<double> between = present.at - earlier.at;
  if (present.position.epoch == earlier.position.epoch && present.position > earlier.position &&
      between.count() > 0) {
    const auto written = present.position.sequence.value - earlier.position.sequence.value;
    step +=
        static_cast<std::uint64_t>(static_cast<double>(written) / between.count() * ahead.count());
  }
  position.sequence.value += step;
  return position;
}

using PinReplies = std::vector<PinReply>;

Result<PinReplies> ask_pins(std::vector<Client>& clients, Position at) {
  std::vector<std::future<Result<PinReply>>> asked;
  for (Client& client : clients) {
    asked.push_back(
        std::async(std::launch::async, [&client, at] { return ask_digest(client, at); }));
  }
  PinReplies replies;
  std::optional<Error> error;
  for (auto& future : asked) {
    auto reply = future.get();
    if (reply) {
      replies.push_back(std::move(*reply));
    } else if (!error) {
      error = reply.error();
    }
  }
  if (error) return *error;
  return replies;
}

bool any(const PinReplies& replies, Pinned pinned) {
  return std::any_of(replies.begin(), replies.end(),
                     [&](const PinReply& r) { return r.pinned == pinned; });
}

bool all_at_one(const PinReplies& replies) {
  return std::all_of(replies.begin(), replies.end(), [&](const PinReply& reply) {
    return reply.pinned == Pinned::kYes && reply.digest.position == replies.front().digest.position;
  });
}

// Walks two nodes through one space.
class Walk {
 public:
  Walk(Client& left, Client& right, Position at, std::string_view space)
      : left_(left), right_(right), at_(at), space_(space) {}

  Result<std::optional<Difference>> run() {
    std::string from;
    std::uint64_t rows = kManyRows;
    for (;;) {
      auto pair = ask(from, rows);
      if (!pair && rows > kFewRows) {
        rows = kFewRows;
        pair = ask(from, rows);
      }
      if (!pair) return pair.error();
      const auto& [left, right] = *pair;
      if (left.content == right.content) {
        // What is equal may still be followed by different keys: going on from the lesser one, both
        // nodes are asked for the same rows.
        const auto next = lesser(left.next, right.next);
        if (!next) return std::optional<Difference>();
        from = *next;
      } else if (rows == 1) {
        return std::optional(Difference{left.first, right.first});
      } else {
        rows = std::max<std::uint64_t>(
            1, std::min(rows, std::max(left.content.rows, right.content.rows)) / 2);
      }
    }
  }

 private:
  Result<std::pair<Chunk, Chunk>> ask(const std::string& from, std::uint64_t rows) {
    auto right =
        std::async(std::launch::async, [&] { return ask_chunk(right_, at_, space_, from, rows); });
    auto left = ask_chunk(left_, at_, space_, from, rows);
    auto other = right.get();
    if (!left) return left.error();
    if (!other) return other.error();
    return std::pair(std::move(*left), std::move(*other));
  }

  static std::optional<std::string> lesser(const std::optional<std::string>& a,
                                           const std::optional<std::string>& b) {
    if (!a || !b) return a ? a : b;
    return std::min(*a, *b);
  }

  Client& left_;
  Client& right_;
  Position at_;
  std::string_view space_;
};

std::string difference_text(const std::string& left, const std::string& right,
                            const Difference& difference) {
  if (difference.left && difference.left == difference.right) {
    return fmt::format("  first difference: the value of {}\n", *difference.left);
  }
  return fmt::format("  first difference: {} has {},\n                    {} has {}\n", left,
                     difference.left.value_or("nothing further"), right,
                     difference.right.value_or("nothing further"));
}

// Every space that two nodes do not hold alike, with the first difference of each.
std::string compare(Client& left, const NodeDigest& left_digest, Client& right,
                    const NodeDigest& right_digest) {
  std::set<std::string> names;
  for (const auto& [name, content] : left_digest.spaces) names.insert(name);
  for (const auto& [name, content] : right_digest.spaces) names.insert(name);
  std::string out;
  for (const std::string& name : names) {
    const auto a = left_digest.spaces.find(name);
    const auto b = right_digest.spaces.find(name);
    if (a == left_digest.spaces.end() || b == right_digest.spaces.end()) {
      out += fmt::format("{}: only one of {} and {} knows this space\n", name, left.url().text,
                         right.url().text);
      continue;
    }
    if (a->second == b->second) continue;
    out += fmt::format("{}: {} rows at {}, {} rows at {}\n", name, a->second.rows, left.url().text,
                       b->second.rows, right.url().text);
    const auto found = find_difference(left, right, left_digest.position, name);
    if (!found) {
      out += fmt::format("  first difference not found: {}\n", found.error().detail);
    } else if (*found) {
      out += difference_text(left.url().text, right.url().text, **found);
    }
  }
  return out;
}

std::string violations_text(const std::string& where, const std::vector<std::string>& violations) {
  if (violations.empty()) return {};
  std::string text =
      fmt::format("{}: {}{} violations\n", where,
                  violations.size() < limits::kViolations ? "" : "at least ", violations.size());
  for (const auto& violation : violations) text += fmt::format("  {}\n", violation);
  return text;
}

// What the nodes find wrong with themselves, all walking at once.
Result<std::string> ask_all_violations(std::vector<Client>& clients, Position at) {
  std::vector<std::future<Result<std::vector<std::string>>>> asked;
  for (Client& client : clients) {
    asked.push_back(
        std::async(std::launch::async, [&client, at] { return ask_violations(client, at); }));
  }
  std::string text;
  std::optional<Error> error;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto violations = asked[i].get();
    if (!violations) {
      error = violations.error();
    } else {
      text += violations_text(clients[i].url().text, *violations);
    }
  }
  if (error) return *error;
  return text;
}

}  // namespace

Result<std::vector<NodeDigest>> pin_all(std::vector<Client>& clients,
                                        std::chrono::milliseconds patience) {
  const Time deadline = std::chrono::steady_clock::now() + patience;
  std::chrono::milliseconds ahead{0};
  std::optional<Present> earlier;
  do {
    const auto present = ask_present(clients);
    if (!present) return present.error();
    const Position at = ahead.count() > 0 ? ahead_of(earlier.value_or(*present), *present, ahead)
                                          : present->position;
    auto replies = ask_pins(clients, at);
    if (!replies) return replies.error();
    if (all_at_one(*replies)) {
      std::vector<NodeDigest> digests;
      for (PinReply& reply : *replies) digests.push_back(std::move(reply.digest));
      return digests;
    }
    const bool too_early = any(*replies, Pinned::kPassed) && !any(*replies, Pinned::kNotReached);
    ahead =
        too_early ? std::clamp(2 * ahead, kLeastAhead, kMostAhead) : std::chrono::milliseconds(0);
    if (any(*replies, Pinned::kBusy)) pause(kBusyPause);
    earlier = *present;
  } while (std::chrono::steady_clock::now() < deadline);
  return Error{Code::kInternal,
               "the nodes could not be caught at one position: writes are too fast, or one lags"};
}

Result<std::optional<Difference>> find_difference(Client& left, Client& right, Position at,
                                                  std::string_view space) {
  return Walk(left, right, at, space).run();
}

Result<Verdict> verify(std::vector<Client>& clients, std::chrono::milliseconds patience) {
  const auto digests = pin_all(clients, patience);
  if (!digests) return digests.error();
  std::string differences;
  for (std::size_t i = 1; i < clients.size(); ++i) {
    differences += compare(clients[0], (*digests)[0], clients[i], (*digests)[i]);
  }
  const std::string position = to_string((*digests)[0].position);
  const auto violations = ask_all_violations(clients, (*digests)[0].position);
  if (!violations) return violations.error();
  if (!differences.empty())
    return Verdict{false, fmt::format("different at {}\n{}{}", position, differences, *violations)};
  if (!violations->empty())
    return Verdict{false, fmt::format("equal at {}, but not sound\n{}", position, *violations)};
  Table table({"SPACE", "ROWS", "DIGEST"});
  for (const auto& [name, content] : (*digests)[0].spaces) {
    table.add({name, std::to_string(content.rows), content.digest});
  }
  return Verdict{true,
                 fmt::format("equal at {}: {} nodes\n{}", position, clients.size(), table.text())};
}

Result<Verdict> verify_data(const std::string& data) {
  const auto path = database_of(data);
  const auto database = store::Database::open(path, store::Access::kReadOnly, false);
  if (!database) return database.error();
  store::View view(*database);
  const auto walked = find_violations(view, limits::kViolations);
  if (!walked) return walked.error();
  const std::string position = to_string(view.position());
  if (walked->found.empty()) {
    return Verdict{true, fmt::format("sound at {}: {} rows\n", position, walked->rows)};
  }
  return Verdict{false, fmt::format("not sound at {}\n{}", position,
                                    violations_text(path.string(), walked->found))};
}

}  // namespace feeds::feedctl
