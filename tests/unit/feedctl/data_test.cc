#include <gtest/gtest.h>

#include "common/store/store.h"
#include "tests/support/social_rows.h"
#include "tests/support/temp_dir.h"
#include "tools/feedctl/commands/commands.h"

namespace feeds::feedctl {
namespace {

using ::testing::HasSubstr;

// A data directory with a row of every kind, and the commands that read it.
class DataCommands : public ::testing::Test {
 protected:
  DataCommands() {
    if (!store_.open(true)) std::abort();
    test::SocialRows rows(*store_.acquire());
    const auto feed = rows.feed();
    const auto grouping = rows.grouping_feed();
    rows.collection("food");
    rows.object("food", "a/b", R"({"x":1.0})");
    const auto post = rows.activity({.object = "a/b",
                                     .collection = "food",
                                     .type = "like",
                                     .feeds = {feed},
                                     .groups = {{grouping, "k\n\""}}});
    rows.reaction(post, post);
    rows.pending(1, {DeletionKind::kMarksOfReactions, 9000});
    rows.pending(2, {DeletionKind::kObjectCascade, 0, 10000, "food", "b\n"});
    rows.commit();
  }
  ~DataCommands() override { store_.close(); }

  // The exit code, then what was printed.
  std::pair<int, std::string> run(const std::string& line) {
    CLI::App app;
    Action action;
    add_dump(app, action);
    add_verify(app, action);
    app.parse(line + " --data " + dir_.path().string());
    ::testing::internal::CaptureStdout();
    const int code = action();
    return {code, ::testing::internal::GetCapturedStdout()};
  }

  test::TempDir dir_;
  store::Store store_{dir_.path()};
};

TEST_F(DataCommands, Dump_PrintsEveryKeyUnderTwoHeadings) {
  const auto [code, text] = run("dump");
  EXPECT_EQ(code, kGood);
  EXPECT_TRUE(text.starts_with("===== COUNTERS =====\n"));
  for (const std::string line :
       {"/system/counters/activities => 10002\n",
        "/system/pending/1 => marks on the reactions of activity 9000\n",
        "/system/pending/2 => activities below 10000 of object \"b\\n\" of collection \"food\"\n",
        "\n===== KEYS =====\n", "/data/activities/10000 => {\"id\":\"10000\",\"objectId\":\"a/b\",",
        "/data/feed_activities/10000/10000 => {\"id\":\"10000\"", "/data/activity_feeds/10000/10000 => \n",
        "/data/object_id_activities/food/a%2Fb/10000 => {", "/data/activity_reactions/10000/10001 => {\"id\":\"10001\"",
        "/data/thread_reactions/10000/10001 => {", "/data/grouping_feeds/10001 => {\"id\":10001,",
        "/data/grouping_feed_activities/10001/k%0A\"/10000 => {",
        "/data/activity_grouping_feeds/10000/10001 => \"k\\n\\\"\"\n",
        "/data/groups/10001/k%0A\" => 1 entries, newest 10000\n",
        "/data/group_order/10001/10000 => \"k\\n\\\"\"\n", "/data/collections/food => {\"id\":\"food\",",
        "/data/collection_objects/food/a%2Fb => {\"id\":\"a/b\",\"data\":{\"x\":1.0}}\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_LT(text.find("/system/pending/2"), text.find("===== KEYS ====="));
  EXPECT_LT(text.find("===== KEYS ====="), text.find("/data/feeds/10000"));
}

TEST_F(DataCommands, VerifyOfData_TellsWhatIsNotSound) {
  EXPECT_EQ(run("verify").first, kGood);
  EXPECT_THAT(run("verify").second, HasSubstr("sound at 1-"));
  test::SocialRows rows(*store_.acquire());
  rows.skip_to(10002);
  rows.erase_row(keys::activity_feed_key(ActivityId{10000}, FeedId{10000}));
  rows.feed();
  rows.grouping_feed();
  rows.commit();
  const auto [code, text] = run("verify");
  EXPECT_EQ(code, kFailed);
  EXPECT_THAT(text, HasSubstr("1 violations\n  /data/feed_activities/10000/10000: it lacks "
                              "/data/activity_feeds/10000/10000\n"));
}

}  // namespace
}  // namespace feeds::feedctl
