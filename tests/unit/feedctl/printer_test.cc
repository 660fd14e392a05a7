#include "tools/feedctl/printer.h"

#include <gtest/gtest.h>

#include "tools/feedctl/history.h"

namespace feeds::feedctl {
namespace {

using Values = std::vector<std::optional<std::uint64_t>>;

TEST(Table, Columns_AreAsWideAsTheirWidestCell) {
  Table table({"A", "LONG"});
  table.add({"three", "x"});
  table.add({"▁█", "y", "more"});
  EXPECT_EQ(table.text(),
            "A      LONG\n"
            "three  x\n"
            "▁█     y     more\n");
}

TEST(Table, EmptyCells_LeaveNoTrailingSpaces) {
  Table table({"A", "B"});
  table.add({"x", ""});
  EXPECT_EQ(table.text(), "A  B\nx\n");
}

TEST(LagText, EveryScale_HasItsForm) {
  EXPECT_EQ(lag_text(std::nullopt), "-");
  EXPECT_EQ(lag_text(0), "0 ms");
  EXPECT_EQ(lag_text(999), "999 ms");
  EXPECT_EQ(lag_text(1000), "1.0 s");
  EXPECT_EQ(lag_text(59'999), "59.9 s");
  EXPECT_EQ(lag_text(60'000), "1m00s");
  EXPECT_EQ(lag_text(200'000), "3m20s");
  EXPECT_EQ(lag_text(7'500'000), "2h05m");
}

TEST(Sparkline, Values_AreScaledToTheLargest) {
  EXPECT_EQ(sparkline(Values{}), "");
  EXPECT_EQ(sparkline(Values{0, 0}), "▁▁");
  EXPECT_EQ(sparkline(Values{0, 50, 100}), "▁▅█");
  EXPECT_EQ(sparkline(Values{7}), "█");
}

TEST(Sparkline, Unknown_IsNotZero) {
  EXPECT_EQ(sparkline(Values{std::nullopt, 0, 3}), "-▁█");
}

TEST(History, Rows_KeepTheirLastThirty) {
  History history;
  history.add("a", 100);
  for (int i = 0; i < 29; ++i) history.add("a", 0);
  std::string zeros;
  for (int i = 0; i < 30; ++i) zeros += "▁";
  EXPECT_EQ(history.add("a", 0), zeros);
  EXPECT_EQ(history.add("b", 5), "█");
}

}  // namespace
}  // namespace feeds::feedctl
