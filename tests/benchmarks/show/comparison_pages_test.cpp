// Pages of what has two sides or more: comparisons and histories.

#include <gtest/gtest.h>

#include <algorithm>

#include "benchmarks/show/below_tables.hpp"
#include "tests/benchmarks/show/pages.hpp"
#include "tests/benchmarks/show/sample_comparison.hpp"
#include "tests/benchmarks/show/texts.hpp"
#include "tests/support/texts.hpp"

namespace apod::show {
namespace {

TEST(Pages, ChangesOfAComparisonLieBesideTheThreshold) {
  const auto sheet = sheet_on(sample_comparison());
  EXPECT_EQ(figures_of(sheet), (Ids{"figure-changes"}));
  const auto page = page_of(sheet);
  EXPECT_TRUE(contains(page, "class=\"same\""));
  EXPECT_TRUE(contains(page, "class=\"series worse\""));
  EXPECT_TRUE(contains(page, "class=\"series better\""));
  EXPECT_TRUE(contains(page, "moved most clearly"));
  auto wider = sample_comparison();
  for (auto& c : wider.cases) {
    if (!is_change(c.verdict)) continue;
    auto unsure = c;
    unsure.name = "unsure";
    unsure.verdict = Verdict::inconclusive;
    unsure.change.value *= 3;
    wider.cases.push_back(unsure);
    break;
  }
  EXPECT_FALSE(contains(page_of(sheet_on(wider)), "unsure moved most clearly"));
  auto undecided = sample_comparison();
  for (auto& c : undecided.cases) {
    if (is_change(c.verdict)) c.verdict = Verdict::inconclusive;
  }
  const auto other = page_of(sheet_on(undecided));
  EXPECT_FALSE(contains(other, "moved most clearly"));
  EXPECT_TRUE(contains(other, "No case changed clearly"));
  for (const auto& [verdict, text] : {std::pair{Verdict::suspect, " may have moved: "},
                                      {Verdict::small, "No case changed clearly"}}) {
    auto unsure = undecided;
    std::ranges::find(unsure.cases, Verdict::inconclusive, &CaseComparison::verdict)->verdict =
        verdict;
    EXPECT_FALSE(contains(page_of(sheet_on(unsure)), "moved most clearly"));
    EXPECT_TRUE(contains(page_of(sheet_on(unsure)), text));
  }
}

TEST(Pages, AComparisonSaysWhatCameWithItsChangesAndHowToRepeatIt) {
  auto comparison = sample_comparison();
  comparison.command_line = {"bench", "compare", "a.json", "b.json"};
  const auto page = page_of(sheet_on(comparison));
  EXPECT_TRUE(contains(page,
                       "REGRESSION: 2 of 7 cases slower (worst +6.1 % in streams/4, "
                       "threshold 1 %)</a></h1>"));
  EXPECT_TRUE(contains(page, "differences found in changed cases"));
  EXPECT_TRUE(contains(page, "<code>bench compare a.json b.json\n</code>"));
  EXPECT_LT(page.find(">changed, or not compared"),
            page.find(">environment: what differs</a></h2>"));
}

TEST(Pages, AComparisonSaysWithWhatItsSidesWereMeasured) {
  auto comparison = sample_comparison();
  const auto page = page_of(sheet_on(comparison));
  EXPECT_TRUE(contains(page, "measured: Do streams pay?"));
  EXPECT_TRUE(contains(page, "A GPU · driver 580.95.05 · 1a2b3c4 · 2026-03-01 to 2026-03-02"));
  EXPECT_TRUE(contains(page, "A GPU · driver 580.95.05 · 5d6e7f8 · 2026-03-03"));
  EXPECT_TRUE(contains(page, "<th scope=row>host<td class=w>lab-7<td class=w>lab-8"));
  // Files of before have nothing of it.
  comparison.base_environment.clear();
  comparison.new_environment = {{"host", {"lab-8"}}};
  comparison.environment.clear();
  const auto unknown = page_of(sheet_on(comparison));
  EXPECT_EQ(count(unknown, "its device, commit and date are not recorded"), 1u);
  EXPECT_TRUE(contains(unknown, ">lab-8<"));
  // Some have what differs.
  comparison.environment = {"commit 1a2b3c4 -> 5d6e7f8", "gpu A -> B"};
  EXPECT_EQ(count(page_of(sheet_on(comparison)), "its date is not recorded"), 1u);
}

TEST(Pages, ACaseOfAComparisonLeadsToTheCommandThatJudgesItAlone) {
  auto comparison = sample_comparison();
  comparison.command_line = {"bench", "compare", "a.json", "b.json", "--out", "c.html"};
  EXPECT_EQ(command_in(page_of(sheet_on(comparison)), "c1"),
            "bench compare a.json b.json --filter '^streams/2$'");
  // The names of a ladder lack the axis in which its arms differ.
  comparison.method = CompareMethod::blocks;
  comparison.cases = {comparison.cases[1]};
  comparison.cases[0].name = "e/v/size:8 [streams 1 -> 4]";
  EXPECT_EQ(command_in(page_of(sheet_on(comparison)), "c0"),
            "bench compare a.json b.json --filter "
            "'^e(/[^/]*)?/v(/[^/]*)?/size:8(/[^/]*)?$'");
  for (const Verdict one_side : {Verdict::missing, Verdict::added}) {
    comparison.cases[0].verdict = one_side;
    EXPECT_EQ(again(comparison, comparison.cases[0]), "")
        << "a filter would match no case of the other side";
  }
}

TEST(Pages, ALongNameIsCutBetweenCharacters) {
  auto comparison = sample_comparison();
  comparison.command_line = {"bench"};
  comparison.cases[0].name = std::string(254, 'a') + "\u00e9\u00e9";  // its filter begins with ^
  EXPECT_EQ(again(comparison, comparison.cases[0]), "bench --filter ^" + std::string(254, 'a'));
}

HistoryPoint run_at(int day, double seconds, std::size_t segment) {
  HistoryPoint point;
  point.date = "2026-03-0" + std::to_string(day) + "T12:00:00";
  point.commit = "abcdef12345" + std::to_string(day);
  point.time_s = {seconds, seconds * 0.99, seconds * 1.01};
  point.segment = segment;
  return point;
}

TEST(Pages, AHistoryHasItsLevelsAndTheCommitThatChangedThem) {
  History history;
  history.runs = 4;
  CaseHistory c;
  c.name = "sum";
  c.points = {run_at(1, 1e-3, 0), run_at(2, 1e-3, 0), run_at(3, 2e-3, 1), run_at(4, 2e-3, 1)};
  c.segments.resize(2);
  c.segments[0].level_s = 1e-3;
  c.segments[1].level_s = 2e-3;
  c.segments[1].change = 1.0;
  history.cases.push_back(c);
  const auto sheet = sheet_on(history);
  EXPECT_EQ(figures_of(sheet), (Ids{"figure-trend-sum"}));
  const auto page = page_of(sheet);
  EXPECT_TRUE(contains(page, "sum: 1 change, +100.0 % with abcdef1234, in 4 runs"));
  EXPECT_TRUE(contains(page, ">abcdef1234<"));
  EXPECT_TRUE(contains(page, ">2026-03-01<"));
  EXPECT_TRUE(contains(page, "class=\"spark\"")) << "a line for each case in the table";
}

}  // namespace
}  // namespace apod::show
