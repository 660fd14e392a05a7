#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "common/key_format/key_format.h"

namespace feeds::key_format {

// What became of a format on an activity: a key, or why there is none.
struct Outcome {
  std::string key;
  bool parsed = false;
  bool rendered = false;
  FormatError error;
};

inline Outcome outcome(std::string_view format, const Activity& activity = {}) {
  Outcome outcome;
  const auto made = Template::parse(format, outcome.error);
  outcome.parsed = made.has_value();
  if (made) outcome.rendered = made->render(activity, outcome.key, outcome.error);
  return outcome;
}

inline std::string key(std::string_view format, const Activity& activity = {}) {
  Outcome made = outcome(format, activity);
  EXPECT_TRUE(made.parsed) << format << ": " << made.error.message;
  EXPECT_TRUE(!made.parsed || made.rendered) << format << ": " << made.error.message;
  return made.key;
}

// The key of an activity with that extraData only.
inline std::string key_of(std::string_view format, std::string_view extra_data) {
  Activity activity;
  activity.extra_data = extra_data;
  return key(format, activity);
}

inline bool refused(std::string_view format) {
  return !outcome(format).parsed;
}

inline bool fails(std::string_view format, const Activity& activity = {}) {
  const Outcome made = outcome(format, activity);
  EXPECT_TRUE(made.parsed) << format << ": " << made.error.message;
  return made.parsed && !made.rendered && !made.error.message.empty();
}

}  // namespace feeds::key_format
