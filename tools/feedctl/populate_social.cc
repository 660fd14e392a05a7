#include "tools/feedctl/populate_social.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "tools/feedctl/printer.h"

namespace feeds::feedctl {
namespace {

constexpr std::string_view kJson = "application/json";
constexpr std::array<std::string_view, kSocialObjects> kObjects = {"pizza", "pasta", "salad",
                                                                   "soup", "cake"};
constexpr std::array<std::string_view, 3> kTypes = {"like", "comment", "share"};

// What the activities refer to.
struct Stage {
  std::string collection;
  std::uint64_t grouping_feed = 0;
};

Result<Stage> build_stage(Writer& writer) {
  Stage stage;
  auto collection = writer.create_text("/v1/collections", R"({"deletingType":"CASCADE"})", kJson);
  if (!collection) return collection.error();
  stage.collection = std::move(*collection);
  const std::string objects = fmt::format("/v1/collections/{}/objects", stage.collection);
  for (const auto object : kObjects) {
    const auto body = fmt::format(R"({{"id":"{}","data":{{"title":"{}"}}}})", object, object);
    if (const auto made = writer.post(objects, body, kJson); !made) return made.error();
  }
  const auto feed = writer.create("/v1/groupingFeeds",
                                  R"({"keyFormat":"{{.ActivityType}}_{{.ObjectId}}"})", kJson);
  if (!feed) return feed.error();
  stage.grouping_feed = *feed;
  return stage;
}

std::string activity_body(const Stage& stage, std::uint64_t number) {
  boost::json::object body;
  body["objectId"] = kObjects[number % kObjects.size()];
  body["collectionId"] = stage.collection;
  body["userId"] = fmt::format("user-{}", number % 7);
  body["activityType"] = kTypes[number % kTypes.size()];
  body["redirectTo"] = boost::json::array{stage.grouping_feed};
  body["extraData"] = {{"number", number}};
  return boost::json::serialize(body);
}

Result<std::string> react(Writer& writer, const std::string& parent, std::string_view type,
                          const std::string& text) {
  const boost::json::object body{
      {"activityType", type}, {"userId", "user-0"}, {"extraData", {{"text", text}}}};
  return writer.create_text(fmt::format("/v1/activities/{}/reactions", parent),
                            boost::json::serialize(body), kJson);
}

// Comments, replies to each, a like of each reply.
Status build_thread(Writer& writer, const std::string& top) {
  for (std::uint64_t c = 0; c < kSocialComments; ++c) {
    const auto comment = react(writer, top, "comment", fmt::format("comment {}", c));
    if (!comment) return comment.error();
    for (std::uint64_t r = 0; r < kSocialReplies; ++r) {
      const auto reply = react(writer, *comment, "reply", fmt::format("reply {}.{}", c, r));
      if (!reply) return reply.error();
      if (const auto like = react(writer, *reply, "like", ""); !like) return like.error();
    }
  }
  return done();
}

Status fill_feed(Writer& writer, const StopSignal& stop, const Stage& stage, std::uint64_t feed,
                 std::uint64_t activities, Progress& progress) {
  const std::string target = fmt::format("/v1/feeds/{}/activities", feed);
  std::string newest;
  for (std::uint64_t i = 0; i < activities && !stop.stopped(); ++i) {
    auto activity = writer.create_text(target, activity_body(stage, i), kJson);
    if (!activity) return activity.error();
    newest = std::move(*activity);
    progress.advance();
  }
  return newest.empty() ? done() : build_thread(writer, newest);
}

}  // namespace

Result<std::string> populate_social(Crew& crew, const std::vector<std::uint64_t>& feeds,
                                    std::uint64_t activities, std::FILE* terminal) {
  Stage stage;
  auto status = crew.run(1, [&](Writer& writer, std::uint64_t) {
    auto built = build_stage(writer);
    if (!built) return Status(built.error());
    stage = std::move(*built);
    return done();
  });
  if (!status) return status.error();
  Progress progress(terminal, "activities", feeds.size() * activities);
  status = crew.run(feeds.size(), [&](Writer& writer, std::uint64_t index) {
    return fill_feed(writer, crew.stop(), stage, feeds[index], activities, progress);
  });
  if (!status) return status.error();
  return fmt::format(
      "made {} activities a feed about the objects of collection {}, a thread in each feed, and "
      "grouping feed {} of all of them",
      activities, stage.collection, stage.grouping_feed);
}

}  // namespace feeds::feedctl
