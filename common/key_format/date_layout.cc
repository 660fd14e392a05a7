#include "common/key_format/date_layout.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>

namespace feeds::key_format {

namespace {

constexpr std::string_view kMonths[] = {"January",   "February", "March",    "April",
                                        "May",       "June",     "July",     "August",
                                        "September", "October",  "November", "December"};
constexpr std::string_view kDays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                      "Thursday", "Friday", "Saturday"};

enum class Element : std::uint8_t {
  kNone,
  kLongMonth,
  kShortMonth,
  kMonth,
  kZeroMonth,
  kLongWeekday,
  kShortWeekday,
  kDay,
  kSpaceDay,
  kZeroDay,
  kSpaceYearDay,
  kZeroYearDay,
  kHour,
  kHour12,
  kZeroHour12,
  kMinute,
  kZeroMinute,
  kSecond,
  kZeroSecond,
  kLongYear,
  kYear,
  kUpperPm,
  kLowerPm,
  kZoneName,
  kZulu,       // Z for UTC, whatever offset form follows
  kOffset,     // +0000 and its forms, as `zone` says
  kFraction,   // .000
  kFraction9,  // .999: without trailing zeros
};

// One element of a layout and the text it takes there.
struct Match {
  Element element = Element::kNone;
  std::size_t length = 0;
  std::string_view zone;  // of kOffset: what UTC shows
};

bool is_lower(std::string_view text) {
  return !text.empty() && text[0] >= 'a' && text[0] <= 'z';
}

// "January" or "Jan", but not "Janet": a short name is no start of a longer word.
Match name_at(std::string_view text, std::string_view long_name, Element long_element,
              Element short_element) {
  if (text.starts_with(long_name)) return {long_element, long_name.size(), {}};
  if (text.starts_with(long_name.substr(0, 3)) && !is_lower(text.substr(3))) {
    return {short_element, 3, {}};
  }
  return {};
}

Match zone_at(std::string_view text) {
  // Longest forms first where one starts another.
  constexpr std::string_view kForms[] = {"070000", "07:00:00", "0700", "07:00", "07"};
  constexpr std::string_view kUtc[] = {"+000000", "+00:00:00", "+0000", "+00:00", "+00"};
  for (std::size_t i = 0; i < std::size(kForms); ++i) {
    if (!text.substr(1).starts_with(kForms[i])) continue;
    const std::size_t length = kForms[i].size() + 1;
    if (text[0] == 'Z') return {Element::kZulu, length, {}};
    return {Element::kOffset, length, kUtc[i]};
  }
  return {};
}

// A run of one digit after the point, if no other digit follows it.
Match fraction_at(std::string_view text) {
  if (text.size() < 2 || (text[1] != '0' && text[1] != '9')) return {};
  std::size_t end = 1;
  while (end < text.size() && text[end] == text[1]) ++end;
  if (end < text.size() && text[end] >= '0' && text[end] <= '9') return {};
  return {text[1] == '0' ? Element::kFraction : Element::kFraction9, end, {}};
}

Match zero_at(std::string_view text) {
  constexpr Element kByDigit[] = {Element::kZeroMonth,  Element::kZeroDay,    Element::kZeroHour12,
                                  Element::kZeroMinute, Element::kZeroSecond, Element::kYear};
  if (text.size() >= 2 && text[1] >= '1' && text[1] <= '6') return {kByDigit[text[1] - '1'], 2, {}};
  if (text.starts_with("002")) return {Element::kZeroYearDay, 3, {}};
  return {};
}

// The element that the text starts with, if any.
Match match_at(std::string_view text) {
  switch (text[0]) {
    case 'J':
      return name_at(text, "January", Element::kLongMonth, Element::kShortMonth);
    case 'M':
      if (text.starts_with("MST")) return {Element::kZoneName, 3, {}};
      return name_at(text, "Monday", Element::kLongWeekday, Element::kShortWeekday);
    case '0':
      return zero_at(text);
    case '1':
      if (text.starts_with("15")) return {Element::kHour, 2, {}};
      return {Element::kMonth, 1, {}};
    case '2':
      if (text.starts_with("2006")) return {Element::kLongYear, 4, {}};
      return {Element::kDay, 1, {}};
    case '_':
      // In _2006 the underscore is text before the year.
      if (text.starts_with("_2") && !text.starts_with("_2006")) return {Element::kSpaceDay, 2, {}};
      if (text.starts_with("__2")) return {Element::kSpaceYearDay, 3, {}};
      return {};
    case '3':
      return {Element::kHour12, 1, {}};
    case '4':
      return {Element::kMinute, 1, {}};
    case '5':
      return {Element::kSecond, 1, {}};
    case 'P':
      return text.starts_with("PM") ? Match{Element::kUpperPm, 2, {}} : Match{};
    case 'p':
      return text.starts_with("pm") ? Match{Element::kLowerPm, 2, {}} : Match{};
    case '-':
    case 'Z':
      return zone_at(text);
    case '.':
    case ',':
      return fraction_at(text);
    default:
      return {};
  }
}

struct Moment {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  int year_day = 0;  // from 1
  unsigned weekday = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int nanosecond = 0;
};

Moment moment_of(std::int64_t nanoseconds) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  constexpr std::int64_t kDay = 86'400 * kSecond;
  std::int64_t days = nanoseconds / kDay;
  std::int64_t rest = nanoseconds % kDay;
  if (rest < 0) {
    rest += kDay;
    --days;
  }
  const std::chrono::sys_days day{std::chrono::days(days)};
  const std::chrono::year_month_day date(day);
  Moment moment;
  moment.year = static_cast<int>(date.year());
  moment.month = static_cast<unsigned>(date.month());
  moment.day = static_cast<unsigned>(date.day());
  const std::chrono::sys_days new_year = date.year() / std::chrono::January / 1;
  moment.year_day = static_cast<int>((day - new_year).count()) + 1;
  moment.weekday = std::chrono::weekday(day).c_encoding();
  const auto seconds = static_cast<int>(rest / kSecond);
  moment.hour = seconds / 3600;
  moment.minute = seconds / 60 % 60;
  moment.second = seconds % 60;
  moment.nanosecond = static_cast<int>(rest % kSecond);
  return moment;
}

// Never negative: int64 nanoseconds reach from 1677 to 2262.
void append_number(Text& out, unsigned value, std::size_t width, char fill = '0') {
  char buffer[12];
  char* first = std::end(buffer);
  do {
    *--first = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  while (static_cast<std::size_t>(std::end(buffer) - first) < width) *--first = fill;
  out.append(std::string_view(first, static_cast<std::size_t>(std::end(buffer) - first)));
}

void append_fraction(Text& out, const Moment& moment, std::string_view form, bool trim) {
  char digits[9];
  int rest = moment.nanosecond;
  for (std::size_t i = sizeof digits; i-- > 0; rest /= 10) {
    digits[i] = static_cast<char>('0' + rest % 10);
  }
  std::string_view text(digits, std::min(form.size() - 1, sizeof digits));
  if (trim) {
    text = text.substr(0, text.find_last_not_of('0') + 1);
    if (text.empty()) return;
  }
  out.append(form[0]);
  out.append(text);
}

void append_clock(Text& out, const Moment& moment, Element element) {
  const auto hour12 = static_cast<unsigned>(moment.hour % 12 == 0 ? 12 : moment.hour % 12);
  switch (element) {
    case Element::kHour:
      return append_number(out, static_cast<unsigned>(moment.hour), 2);
    case Element::kHour12:
      return append_number(out, hour12, 0);
    case Element::kZeroHour12:
      return append_number(out, hour12, 2);
    case Element::kMinute:
      return append_number(out, static_cast<unsigned>(moment.minute), 0);
    case Element::kZeroMinute:
      return append_number(out, static_cast<unsigned>(moment.minute), 2);
    case Element::kSecond:
      return append_number(out, static_cast<unsigned>(moment.second), 0);
    case Element::kZeroSecond:
      return append_number(out, static_cast<unsigned>(moment.second), 2);
    case Element::kUpperPm:
      return out.append(moment.hour >= 12 ? "PM" : "AM");
    default:
      return out.append(moment.hour >= 12 ? "pm" : "am");
  }
}

void append_element(Text& out, const Moment& moment, const Match& match, std::string_view form) {
  switch (match.element) {
    case Element::kLongMonth:
      return out.append(kMonths[moment.month - 1]);
    case Element::kShortMonth:
      return out.append(kMonths[moment.month - 1].substr(0, 3));
    case Element::kMonth:
      return append_number(out, moment.month, 0);
    case Element::kZeroMonth:
      return append_number(out, moment.month, 2);
    case Element::kLongWeekday:
      return out.append(kDays[moment.weekday]);
    case Element::kShortWeekday:
      return out.append(kDays[moment.weekday].substr(0, 3));
    case Element::kDay:
      return append_number(out, moment.day, 0);
    case Element::kSpaceDay:
      return append_number(out, moment.day, 2, ' ');
    case Element::kZeroDay:
      return append_number(out, moment.day, 2);
    case Element::kSpaceYearDay:
      return append_number(out, static_cast<unsigned>(moment.year_day), 3, ' ');
    case Element::kZeroYearDay:
      return append_number(out, static_cast<unsigned>(moment.year_day), 3);
    case Element::kLongYear:
      return append_number(out, static_cast<unsigned>(moment.year), 4);
    case Element::kYear:
      return append_number(out, static_cast<unsigned>(moment.year % 100), 2);
    case Element::kZoneName:
      return out.append("UTC");
    case Element::kZulu:
      return out.append("Z");
    case Element::kOffset:
      return out.append(match.zone);
    case Element::kFraction:
    case Element::kFraction9:
      return append_fraction(out, moment, form, match.element == Element::kFraction9);
    default:
      return append_clock(out, moment, match.element);
  }
}

}  // namespace

void append_date(Text& out, std::string_view layout, std::int64_t nanoseconds) {
  const Moment moment = moment_of(nanoseconds);
  std::size_t text_start = 0;
  std::size_t at = 0;
  while (at < layout.size() && !out.budget().spent()) {
    const Match match = match_at(layout.substr(at));
    if (match.element == Element::kNone) {
      ++at;
      continue;
    }
    if (at > text_start) out.append(layout.substr(text_start, at - text_start));
    append_element(out, moment, match, layout.substr(at, match.length));
    at += match.length;
    text_start = at;
  }
  if (at > text_start) out.append(layout.substr(text_start));
}

}  // namespace feeds::key_format
