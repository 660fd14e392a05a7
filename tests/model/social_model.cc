#include "tests/model/social_model.h"

namespace feeds::test {
namespace {

// Times are the server's to give.
void take_times(Activity& activity, const std::string& value) {
  const auto reply = parse_activity_value(value);
  if (!reply) return;
  activity.created_at_ns = reply->created_at_ns;
  activity.updated_at_ns = reply->updated_at_ns;
}

}  // namespace

const std::vector<SocialModel::Format>& SocialModel::formats() {
  static const std::vector<Format> kFormats = {
      {"", [](const Activity&) { return std::optional<std::string>(""); }},
      {"{{.UserId}}", [](const Activity& a) { return std::optional(a.user_id); }},
      {"{{.ExtraData}}",
       [](const Activity& a) {
         return a.extra_data.size() > 1000 ? std::nullopt : std::optional(a.extra_data);
       }},
      {"{{.ObjectId}}/{{.LinkedActivityId}}",
       [](const Activity& a) { return std::optional(a.object_id + "/" + a.linked_activity_id); }},
      {"{{slice .UserId 0 1}}",
       [](const Activity& a) {
         return a.user_id.empty() ? std::nullopt : std::optional(a.user_id.substr(0, 1));
       }},
  };
  return kFormats;
}

bool SocialModel::is_feed(FeedId feed) const {
  return feeds.contains(feed.value) || grouping_feeds.contains(feed.value);
}

// The code of what keeps the activity from these feeds.
std::optional<std::string> SocialModel::check_feeds(const std::vector<FeedId>& into,
                                                    const Activity& activity) {
  for (const auto feed : into) {
    if (!is_feed(feed)) return "no_such_feed";
  }
  for (const auto feed : into) {
    const auto found = grouping_feeds.find(feed.value);
    if (found != grouping_feeds.end() && !found->second.format->key(activity)) {
      return "key_format_failed";
    }
  }
  return std::nullopt;
}

void SocialModel::enter(std::uint64_t feed, const Activity& activity) {
  if (const auto found = feeds.find(feed); found != feeds.end()) {
    found->second.insert(activity.id.value);
    return;
  }
  auto& grouping = grouping_feeds.at(feed);
  grouping.entries.emplace(activity.id.value, *grouping.format->key(activity));
}

std::string SocialModel::add(const commands::AddActivity& command) {
  Activity added{.id = ActivityId{next_activity},
                 .object_id = command.object_id,
                 .collection_id = command.collection_id,
                 .linked_activity_id = {},
                 .user_id = command.user_id,
                 .activity_type = command.activity_type,
                 .extra_data = command.extra_data};
  if (const auto code = check_feeds(command.feeds, added)) return *code;
  take_times(added, command.value);
  for (const auto feed : command.feeds) enter(feed.value, added);
  activities.emplace(next_activity++, std::move(added));
  return "ok";
}

std::string SocialModel::add_existing(const commands::AddExistingActivity& command) {
  if (!is_feed(command.feed)) return "no_such_feed";
  const auto found = activities.find(command.activity.value);
  if (found == activities.end()) return "no_such_activity";
  const auto simple = feeds.find(command.feed.value);
  const bool there =
      simple != feeds.end()
          ? simple->second.contains(command.activity.value)
          : grouping_feeds.at(command.feed.value).entries.contains(command.activity.value);
  if (there) return "ok";
  if (const auto code = check_feeds({command.feed}, found->second)) return *code;
  enter(command.feed.value, found->second);
  return "ok";
}

std::string SocialModel::remove(const commands::RemoveActivity& command) {
  if (!is_feed(command.feed)) return "no_such_feed";
  const auto simple = feeds.find(command.feed.value);
  const auto removed =
      simple != feeds.end()
          ? simple->second.erase(command.activity.value)
          : grouping_feeds.at(command.feed.value).entries.erase(command.activity.value);
  return removed == 1 ? "ok" : "no_such_activity";
}

std::string SocialModel::update(const commands::UpdateActivity& command) {
  const auto found = activities.find(command.activity.value);
  if (found == activities.end()) return "no_such_activity";
  if (command.reaction && !found->second.reaction()) return "not_a_reaction";
  auto now = found->second;
  now.extra_data = command.extra_data;
  for (const auto& [feed, grouping] : grouping_feeds) {
    const bool inside = grouping.entries.contains(now.id.value);
    if (inside && !grouping.format->key(now)) return "key_format_failed";
  }
  for (auto& [feed, grouping] : grouping_feeds) {
    const auto entry = grouping.entries.find(now.id.value);
    if (entry != grouping.entries.end()) entry->second = *grouping.format->key(now);
  }
  take_times(now, command.value);
  found->second = std::move(now);
  return "ok";
}

void SocialModel::drop(std::uint64_t id) {
  activities.erase(id);
  for (auto& [feed, entries] : feeds) entries.erase(id);
  for (auto& [feed, grouping] : grouping_feeds) grouping.entries.erase(id);
  const auto text = std::to_string(id);
  for (auto& [other, activity] : activities) {
    if (!activity.reaction()) continue;
    if (activity.object_id == text) activity.object_id = kDeletedMark;
    if (activity.linked_activity_id == text) activity.linked_activity_id = kDeletedMark;
  }
}

std::string SocialModel::erase(const commands::DeleteActivity& command) {
  const auto found = activities.find(command.activity.value);
  if (found == activities.end()) return "no_such_activity";
  if (command.reaction && !found->second.reaction()) return "not_a_reaction";
  drop(command.activity.value);
  return "ok";
}

std::string SocialModel::react(const commands::CreateReaction& command) {
  const auto found = activities.find(command.parent.value);
  if (found == activities.end()) return "no_such_activity";
  const auto& parent = found->second;
  Activity added{.id = ActivityId{next_activity},
                 .object_id = parent.reaction() ? parent.object_id : std::to_string(parent.id.value),
                 .collection_id = {},
                 .linked_activity_id = std::to_string(parent.id.value),
                 .user_id = command.user_id,
                 .activity_type = command.activity_type,
                 .extra_data = command.extra_data};
  take_times(added, command.value);
  activities.emplace(next_activity++, std::move(added));
  return "ok";
}

std::string SocialModel::create_collection(const commands::CreateCollection& command) {
  const bool cascade = command.deleting_type == commands::DeletingType::kCascade;
  const auto [entry, added] = collections.try_emplace(command.collection, Collection{cascade, {}});
  return added ? "ok" : "collection_exists";
}

std::string SocialModel::create_object(const commands::CreateObject& command) {
  const auto found = collections.find(command.collection);
  if (found == collections.end()) return "no_such_collection";
  return found->second.objects.insert(command.object).second ? "ok" : "object_exists";
}

std::string SocialModel::delete_object(const commands::DeleteObject& command) {
  const auto found = collections.find(command.collection);
  if (found == collections.end()) return "no_such_collection";
  if (found->second.objects.erase(command.object) == 0) return "no_such_object";
  std::vector<std::uint64_t> referrers;
  for (auto& [id, activity] : activities) {
    if (activity.reaction() || activity.object_id != command.object) continue;
    if (activity.collection_id.empty() || activity.collection_id == command.collection) {
      referrers.push_back(id);
    }
  }
  for (const auto id : referrers) {
    if (found->second.cascade) {
      drop(id);
    } else {
      activities.at(id).object_id.clear();
      activities.at(id).collection_id.clear();
    }
  }
  return "ok";
}

std::string SocialModel::delete_grouping_feed(FeedId feed) {
  return grouping_feeds.erase(feed.value) == 1 ? "ok" : "no_such_grouping_feed";
}

std::vector<const Activity*> SocialModel::newest(const Keep& keep) const {
  std::vector<const Activity*> found;
  for (auto entry = activities.rbegin(); entry != activities.rend(); ++entry) {
    if (keep(entry->second)) found.push_back(&entry->second);
  }
  return found;
}

}  // namespace feeds::test
