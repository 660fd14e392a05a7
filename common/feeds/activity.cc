#include "common/feeds/activity.h"

#include <boost/json.hpp>
#include <chrono>

#include "common/json/text.h"

namespace feeds {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// The members of a stored value up to extraData, in order; each is a string.
constexpr std::array<std::string_view, 8> kLeads = {R"({"id":")",
                                                    R"(","objectId":")",
                                                    R"(","collectionId":")",
                                                    R"(","linkedActivityId":")",
                                                    R"(","createdAt":")",
                                                    R"(","updatedAt":")",
                                                    R"(","userId":")",
                                                    R"(","activityType":")"};
constexpr std::string_view kExtraDataLead = R"(","extraData":)";

// Appends the inside of a JSON string. Most texts need no escape.
void append_inside(std::string& out, std::string_view text) {
  const auto plain = [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
  };
  if (std::all_of(text.begin(), text.end(), plain)) {
    out += text;
    return;
  }
  std::string quoted;
  json::append_string(quoted, text);
  out.append(quoted, 1, quoted.size() - 2);
}

Error damaged(std::string_view value) {
  return Error{Code::kInternal,
               "an activity's stored value is damaged: " + std::string(value.substr(0, 64))};
}

// Takes the inside of a JSON string up to its closing quote, which stays. nullopt if it does not
// end.
std::optional<std::string> take_inside(std::string_view& rest) {
  auto end = rest.find_first_of("\"\\");
  if (end != std::string_view::npos && rest[end] == '"') {
    std::string text(rest.substr(0, end));
    rest.remove_prefix(end);
    return text;
  }
  while (end != std::string_view::npos && rest[end] == '\\') {
    end = end + 2 <= rest.size() ? rest.find_first_of("\"\\", end + 2) : std::string_view::npos;
  }
  if (end == std::string_view::npos) return std::nullopt;
  const std::string quoted = '"' + std::string(rest.substr(0, end)) + '"';
  boost::system::error_code error;
  const auto text = boost::json::parse(quoted, error);
  if (error || !text.is_string()) return std::nullopt;
  rest.remove_prefix(end);
  return std::string(text.get_string());
}

bool take(std::string_view& rest, std::string_view lead) {
  if (!rest.starts_with(lead)) return false;
  rest.remove_prefix(lead.size());
  return true;
}

void write_digits(char* to, unsigned value, int count) {
  for (int i = count - 1; i >= 0; --i, value /= 10) to[i] = static_cast<char>('0' + value % 10);
}

// `count` digits off the front. nullopt if there are others.
std::optional<int> take_digits(std::string_view& rest, std::size_t count) {
  if (rest.size() < count) return std::nullopt;
  int value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (rest[i] < '0' || rest[i] > '9') return std::nullopt;
    value = value * 10 + (rest[i] - '0');
  }
  rest.remove_prefix(count);
  return value;
}

std::optional<int> take_number(std::string_view& rest, std::size_t digits, int max) {
  const auto value = take_digits(rest, digits);
  return value && *value <= max ? value : std::nullopt;
}

// The days since 1970 of `YYYY-MM-DD`.
std::optional<std::int64_t> take_date(std::string_view& rest) {
  namespace ch = std::chrono;
  const auto year = take_digits(rest, 4);
  if (!year || !take(rest, "-")) return std::nullopt;
  const auto month = take_digits(rest, 2);
  if (!month || !take(rest, "-")) return std::nullopt;
  const auto day = take_digits(rest, 2);
  if (!day) return std::nullopt;
  const ch::year_month_day date(ch::year(*year), ch::month(static_cast<unsigned>(*month)),
                                ch::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return std::nullopt;
  return ch::sys_days(date).time_since_epoch().count();
}

// The seconds of `HH:MM:SS`. A leap second has no place in a count of nanoseconds.
std::optional<std::int64_t> take_clock(std::string_view& rest) {
  const auto hour = take_number(rest, 2, 23);
  if (!hour || !take(rest, ":")) return std::nullopt;
  const auto minute = take_number(rest, 2, 59);
  if (!minute || !take(rest, ":")) return std::nullopt;
  const auto second = take_number(rest, 2, 59);
  if (!second) return std::nullopt;
  return *hour * 3600 + *minute * 60 + *second;
}

// The nanoseconds of `.123`, up to nine decimals; 0 if there is no point.
std::optional<std::int64_t> take_fraction(std::string_view& rest) {
  if (!take(rest, ".")) return 0;
  std::int64_t value = 0;
  int digits = 0;
  for (; !rest.empty() && rest[0] >= '0' && rest[0] <= '9'; rest.remove_prefix(1), ++digits) {
    if (digits == 9) return std::nullopt;
    value = value * 10 + (rest[0] - '0');
  }
  if (digits == 0) return std::nullopt;
  for (; digits < 9; ++digits) value *= 10;
  return value;
}

// The seconds that `Z` or `+HH:MM`, all that is left, is ahead of UTC.
std::optional<std::int64_t> take_offset(std::string_view rest) {
  if (rest == "Z" || rest == "z") return 0;
  const bool behind = rest.starts_with('-');
  if (!behind && !rest.starts_with('+')) return std::nullopt;
  rest.remove_prefix(1);
  const auto hours = take_number(rest, 2, 23);
  if (!hours || !take(rest, ":")) return std::nullopt;
  const auto minutes = take_number(rest, 2, 59);
  if (!minutes || !rest.empty()) return std::nullopt;
  const int seconds = *hours * 3600 + *minutes * 60;
  return behind ? -seconds : seconds;
}

}  // namespace

std::optional<ActivityId> Activity::top() const {
  const auto thread = reaction() ? parse_decimal(object_id) : std::nullopt;
  return thread ? std::optional(ActivityId{*thread}) : std::nullopt;
}

std::optional<ActivityId> Activity::parent() const {
  const auto linked = parse_decimal(linked_activity_id);
  return linked ? std::optional(ActivityId{*linked}) : std::nullopt;
}

std::string to_json(const Activity& activity) {
  std::string out;
  out.reserve(256 + activity.object_id.size() + activity.collection_id.size() +
              activity.user_id.size() + activity.activity_type.size() + activity.extra_data.size());
  out += kLeads[0];
  append_decimal(out, activity.id.value);
  out += kLeads[1];
  append_inside(out, activity.object_id);
  out += kLeads[2];
  append_inside(out, activity.collection_id);
  out += kLeads[3];
  append_inside(out, activity.linked_activity_id);
  out += kLeads[4];
  out += format_time(activity.created_at_ns);
  out += kLeads[5];
  out += format_time(activity.updated_at_ns);
  out += kLeads[6];
  append_inside(out, activity.user_id);
  out += kLeads[7];
  append_inside(out, activity.activity_type);
  out += kExtraDataLead;
  out += activity.extra_data;
  out += '}';
  return out;
}

Result<Activity> parse_activity_value(std::string_view value) {
  std::array<std::string, kLeads.size()> texts;
  std::string_view rest = value;
  for (std::size_t i = 0; i < kLeads.size(); ++i) {
    if (!take(rest, kLeads[i])) return damaged(value);
    auto text = take_inside(rest);
    if (!text) return damaged(value);
    texts[i] = std::move(*text);
  }
  if (!take(rest, kExtraDataLead) || rest.size() < 2 || rest.back() != '}') return damaged(value);
  const auto id = parse_decimal(texts[0]);
  const auto created = parse_time(texts[4]);
  const auto updated = parse_time(texts[5]);
  if (!id || !created || !updated) return damaged(value);
  Activity activity;
  activity.id.value = *id;
  activity.object_id = std::move(texts[1]);
  activity.collection_id = std::move(texts[2]);
  activity.linked_activity_id = std::move(texts[3]);
  activity.created_at_ns = *created;
  activity.updated_at_ns = *updated;
  activity.user_id = std::move(texts[6]);
  activity.activity_type = std::move(texts[7]);
  activity.extra_data = rest.substr(0, rest.size() - 1);
  return activity;
}

std::optional<ActivityId> id_of_activity_value(std::string_view value) {
  if (!take(value, kLeads[0])) return std::nullopt;
  const auto id = parse_decimal(value.substr(0, value.find('"')));
  return id ? std::optional(ActivityId{*id}) : std::nullopt;
}

std::string_view copy_of(std::string_view value) {
  return value.size() <= limits::kCopyBytes ? value : std::string_view();
}

std::string format_time(std::int64_t ns) {
  namespace ch = std::chrono;
  // Not by subtraction: the first instants of the range lie before its first whole second.
  std::int64_t seconds = ns / kSecond;
  std::int64_t fraction = ns % kSecond;
  if (fraction < 0) {
    fraction += kSecond;
    --seconds;
  }
  const auto day = ch::floor<ch::days>(ch::seconds(seconds));
  const ch::year_month_day date{ch::sys_days(day)};
  const auto clock = static_cast<unsigned>((ch::seconds(seconds) - day).count());

  std::string text = "0000-00-00T00:00:00.000000000Z";
  write_digits(&text[0], static_cast<unsigned>(static_cast<int>(date.year())), 4);
  write_digits(&text[5], static_cast<unsigned>(date.month()), 2);
  write_digits(&text[8], static_cast<unsigned>(date.day()), 2);
  write_digits(&text[11], clock / 3600, 2);
  write_digits(&text[14], clock / 60 % 60, 2);
  write_digits(&text[17], clock % 60, 2);
  write_digits(&text[20], static_cast<unsigned>(fraction), 9);
  return text;
}

std::optional<std::int64_t> parse_time(std::string_view text) {
  const auto days = take_date(text);
  if (!days || !(take(text, "T") || take(text, "t"))) return std::nullopt;
  const auto clock = take_clock(text);
  if (!clock) return std::nullopt;
  auto fraction = take_fraction(text);
  const auto offset = fraction ? take_offset(text) : std::nullopt;
  if (!offset) return std::nullopt;

  std::int64_t seconds = *days * 86400 + *clock - *offset;
  // Towards zero, so that the first instants of the range do not overflow on the way.
  if (seconds < 0 && *fraction > 0) {
    ++seconds;
    *fraction -= kSecond;
  }
  std::int64_t ns = 0;
  if (__builtin_mul_overflow(seconds, kSecond, &ns)) return std::nullopt;
  if (__builtin_add_overflow(ns, *fraction, &ns)) return std::nullopt;
  return ns;
}

}  // namespace feeds
