#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/unit/key_format/render_helper.h"

namespace feeds::key_format {
namespace {

namespace json = boost::json;

std::vector<std::string> lines_of(const std::string& name) {
  std::ifstream file(std::filesystem::path(FEEDS_VECTORS) / name);
  EXPECT_TRUE(file) << name;
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// Owns what an Activity views. extraData stays as it is written: 1.0 is not 1.
struct StoredActivity {
  std::string object_id, collection_id, linked_activity_id, user_id, activity_type, extra_data;
  std::int64_t id = 0, created_at = 0, updated_at = 0;

  Activity view() const {
    Activity activity;
    activity.id = id;
    activity.object_id = object_id;
    activity.collection_id = collection_id;
    activity.linked_activity_id = linked_activity_id;
    activity.created_at_ns = created_at;
    activity.updated_at_ns = updated_at;
    activity.user_id = user_id;
    activity.activity_type = activity_type;
    activity.extra_data = extra_data;
    return activity;
  }
};

StoredActivity read_activity(std::string_view line) {
  const json::object object = json::parse(line).as_object();
  const auto text = [&object](std::string_view name) {
    const json::value* value = object.if_contains(name);
    return value != nullptr ? std::string(value->as_string()) : std::string();
  };
  const auto number = [&object](std::string_view name) {
    const json::value* value = object.if_contains(name);
    return value != nullptr ? value->to_number<std::int64_t>() : 0;
  };
  StoredActivity activity;
  activity.id = number("idNumber");
  activity.created_at = number("createdAt");
  activity.updated_at = number("updatedAt");
  activity.object_id = text("objectId");
  activity.collection_id = text("collectionId");
  activity.linked_activity_id = text("linkedActivityId");
  activity.user_id = text("userId");
  activity.activity_type = text("activityType");
  constexpr std::string_view kMember = "\"extraData\":";  // the last one of its line
  if (const std::size_t at = line.find(kMember); at != std::string_view::npos) {
    line.remove_prefix(at + kMember.size());
    activity.extra_data = line.substr(0, line.rfind('}'));
  }
  return activity;
}

std::vector<StoredActivity> read_activities(const std::string& name) {
  std::vector<StoredActivity> activities;
  for (const std::string& line : lines_of(name)) {
    const std::size_t start = line.find('{');
    if (start == std::string::npos) continue;
    activities.push_back(
        read_activity(std::string_view(line).substr(start, line.rfind('}') + 1 - start)));
  }
  return activities;
}

std::string described(const Outcome& outcome) {
  if (!outcome.parsed) return "error: parse";
  return outcome.rendered ? "key: " + outcome.key : "error: execute";
}

void check(const std::string& cases, const std::string& activities_file, std::size_t at_least) {
  const auto activities = read_activities(activities_file);
  std::size_t count = 0;
  for (const std::string& line : lines_of(cases)) {
    const json::object object = json::parse(line).as_object();
    const std::string format(object.at("keyFormat").as_string());
    const json::value* index = object.if_contains("activity");
    const auto& activity =
        activities.at(index != nullptr ? static_cast<std::size_t>(index->as_int64()) : 0);
    const json::value* wanted_key = object.if_contains("key");
    const std::string wanted = wanted_key != nullptr
                                   ? "key: " + std::string(wanted_key->as_string())
                                   : "error: " + std::string(object.at("error").as_string());
    const Outcome got = outcome(format, activity.view());
    EXPECT_EQ(described(got), wanted) << line << "\n" << got.error.message;
    ++count;
  }
  EXPECT_GE(count, at_least);
}

TEST(KeyFormatVectors, Given_AllAgree) {
  check("key_format.jsonl", "key_format_activities.json", 547);
}

TEST(KeyFormatVectors, FromGo_AllAgree) {
  check("key_format_go.jsonl", "key_format_go_activities.json", 4000);
}

}  // namespace
}  // namespace feeds::key_format
