#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <sstream>
#include <stdexcept>

#include "benchmarks/show/figures.hpp"
#include "tests/benchmarks/show/golden.hpp"
#include "tests/benchmarks/show/texts.hpp"

namespace apod::show {
namespace {

HistoryPoint point(int day, double time_s, std::size_t segment) {
  HistoryPoint result;
  result.file = "results/run" + std::to_string(day) + ".json";
  result.date = "2026-05-0" + std::to_string(day) + "T10:00:00+02:00";
  result.commit = std::string(static_cast<std::size_t>(day), 'a') + "0123456789ab";
  result.time_s = {time_s, 0.99 * time_s, 1.01 * time_s};
  result.processes = 3;
  result.segment = segment;
  return result;
}

HistoryPoint failure(int day, const std::string& reason) {
  HistoryPoint result = point(day, 0, 0);
  result.time_s = {};
  result.processes = 0;
  result.failed = reason;
  return result;
}

HistorySegment segment(double level_s, std::size_t epoch = 0,
                       std::optional<double> change = std::nullopt) {
  HistorySegment result;
  result.level_s = level_s;
  result.epoch = epoch;
  result.change = change;
  return result;
}

/// Every kind of row there is.
History sample_history() {
  History history;
  history.runs = 9;
  CaseHistory still;
  still.name = "copy/size:100";
  still.segments = {segment(1e-3)};
  for (int day = 1; day < 3; ++day) {
    still.points.push_back(point(day, 1e-3, 0));
    still.points.back().processes = 1;
    still.points.back().time_s = {1e-3};
  }
  history.cases.push_back(still);

  CaseHistory moved;
  moved.name = "reduction/naive/size:1e5";
  moved.segments = {segment(1e-5), segment(1.25e-5, 0, 0.25), segment(1.2e-5, 1, -0.04),
                    segment(6e-6, 1, -0.5)};
  moved.segments[1].causes = {{"environment/commit", "commit aa -> aaa"},
                              {"sm_clock", "SM clock 1980 -> 1600 MHz (-19.2 %)"}};
  moved.segments[2].epoch_difference = "driver 570 -> 580, gpu A -> B";
  moved.points = {point(1, 1e-5, 0),    point(2, 1.01e-5, 0), failure(3, "wrong result"),
                  point(4, 1.25e-5, 1), point(5, 9e-5, 1),    point(6, 1.25e-5, 1),
                  point(7, 1.2e-5, 2),  point(8, 6e-6, 3),    point(9, 6.01e-6, 3)};
  moved.points[4].outlier = true;
  history.cases.push_back(moved);
  history.notes = {"results/run2.json: the run was interrupted"};
  return history;
}

std::string shown(const History& history, Format format = Format::console,
                  const ConsoleStyle& style = {}) {
  return written(history, format, style);
}

/// What the report begins with.
std::string summary_line(const History& history) {
  const auto document = report_of(history).document(Audience::text);
  return std::get<Heading>(document.blocks.at(0)).title.text;
}

TEST(HistoryReport, OfARateItShowsTheRateAndOfACounterTheNumber) {
  auto history = sample_history();
  for (const bool rate : {true, false}) {
    const double value = rate ? 1 / 50.5e9 : 8;
    for (auto& c : history.cases) {
      c.is_rate = rate;
      c.is_counter = !rate;
      for (auto& point : c.points) point.time_s = {value};
      for (auto& segment : c.segments) segment.level_s = value;
    }
    const auto text = shown(history);
    EXPECT_TRUE(contains(text, rate ? "50.5 G/s" : "  8  ")) << text;
    EXPECT_FALSE(contains(text, " ns") || contains(text, "8 s") || contains(text, "8.0")) << text;
  }
}

TEST(HistoryReport, LooksAsItShould) {
  expect_golden("history.txt", shown(sample_history(), Format::console, {false, 100}));
}

TEST(HistoryReport, StepsThatAreTooSmallToMatterAreListedAsSmall) {
  auto history = sample_history();
  auto& c = history.cases[1];
  c.points = {point(1, 1e-5, 0), point(2, 1e-5, 0), point(3, 1.004e-5, 1), point(4, 1.004e-5, 1)};
  c.segments = {segment(1e-5), segment(1.004e-5, 0, 0.004)};
  EXPECT_EQ(summary_line(history), "no change shown in 2 cases over 9 runs; 1 small step");
  EXPECT_TRUE(contains(shown(history), " small ")) << shown(history);
  for (std::size_t i = 2; i < 4; ++i) {
    c.segments.push_back(segment(1e-5 * std::pow(1.004, i), 0, 0.004));
    for (const int more : {1, 2}) {
      c.points.push_back(point(static_cast<int>(2 * i) + more, c.segments[i].level_s, i));
    }
  }
  EXPECT_TRUE(summary_line(history).starts_with("small steps that add up in 1 of 2 cases"))
      << summary_line(history);
  EXPECT_TRUE(contains(shown(history), "+1.20 %")) << "small steps together are no small change";
}

TEST(HistoryReport, HasARowACaseAndRunForPlots) {
  EXPECT_TRUE(shown(sample_history(), Format::csv)
                  .starts_with("case,date,commit,file,time_s,time_low_s,time_high_s,segment,"
                               "level_s,change,epoch,drift\n"
                               "copy/size:100,2026-05-01T10:00:00+02:00,a0123456789ab,"
                               "results/run1.json,0.001,,,0,0.001,,0,\n"));
}

TEST(HistoryReport, TheSummaryIsOfTheChangesOrSaysThatThereIsNoTime) {
  auto history = sample_history();
  history.cases.pop_back();
  EXPECT_EQ(summary_line(history), "no change shown in 1 case over 9 runs");
  auto& last = history.cases[0].points.back();
  last.outlier = true;
  last.time_s = {1.2e-3};
  EXPECT_EQ(summary_line(history),
            "no change shown in 1 case over 9 runs; only the last run differs in 1 case");
  EXPECT_NE(shown(history).find("the last run differs by +20.0 % from the last level"),
            std::string::npos);
  auto later = history;
  later.cases.push_back(history.cases[0]);
  later.cases[1].points.push_back(point(9, 1e-3, 0));
  EXPECT_EQ(summary_line(later), "no change shown in 2 cases over 9 runs")
      << "a case that is measured no more";
  history.cases[0].points.back().outlier = false;
  history.cases[0].segments.push_back(segment(2e-3, 0, 1.0));
  history.runs = 1;
  EXPECT_EQ(summary_line(history), "1 change in 1 of 1 case over 1 run");
  history = {};
  history.runs = 2;
  EXPECT_EQ(summary_line(history), "nothing to show: no case has a time in 2 runs");
  CaseHistory failed;
  failed.name = "x";
  failed.points = {failure(1, "out of memory")};
  history.cases = {failed};
  EXPECT_EQ(summary_line(history), "nothing to show: no case has a time in 2 runs");
  EXPECT_TRUE(contains(shown(history), "out of memory"));
  EXPECT_EQ(count(shown(history, Format::csv), "\n"), 2u);
}

TEST(HistoryReport, ADriftIsSaid) {
  auto history = sample_history();
  auto& moved = history.cases[1];
  moved.segments[3].drift = {2, 0.1};
  EXPECT_EQ(summary_line(history), "2 changes and 1 drift in 1 of 2 cases over 9 runs");
  EXPECT_TRUE(contains(shown(history), "drifts by +10.0 % over the last 2 runs"));
  EXPECT_TRUE(contains(shown(history), "-31.2 %")) << "together";
  EXPECT_TRUE(contains(shown(history, Format::csv), ",3,6e-06,,1,0.1\n"));
  auto& still = history.cases[0];
  still.segments[0].drift = {2, 0.4};
  history.cases.pop_back();
  EXPECT_EQ(summary_line(history), "1 drift in 1 of 1 case over 9 runs");
}

TEST(HistoryReport, OfTwoRunsTheLastLevelIsThatOfTheLast) {
  History history;
  history.runs = 2;
  auto& c = history.cases.emplace_back();
  c.name = "x";
  c.segments = {segment(3e-7)};
  c.points = {point(1, 1e-7, 0), point(2, 9.01e-7, 0)};
  EXPECT_TRUE(contains(shown(history), "901.0 ns"));
  EXPECT_FALSE(contains(shown(history), "300.0 ns"));
}

TEST(HistoryReport, ALevelIsOfOneSegmentAndARunHasOneState) {
  History history;
  history.runs = 4;
  auto& c = history.cases.emplace_back();
  c.name = "x";
  c.segments = {segment(std::sqrt(2e-16))};
  for (int day = 1; day <= 4; ++day) c.points.push_back(point(day, day < 3 ? 1e-8 : 2e-8, 0));
  const auto text = shown(history);
  EXPECT_FALSE(contains(text, "14.14")) << "no run had this time";
  EXPECT_TRUE(contains(text, "20.00 ns"));
  EXPECT_TRUE(
      contains(text, "the last 2 runs differ by +100 % from the runs before them (at 10.00 ns)"));
  for (auto& one : c.points) one.time_s = {1e-8};
  EXPECT_FALSE(c.open_step());
  c.points.back().time_s = {2e-8};
  EXPECT_FALSE(c.open_step()) << "a lone run";
  c.points.back().outlier = true;
  EXPECT_FALSE(contains(shown(history), "not counted")) << "and the next run will tell";
  c.points.push_back(point(5, 1e-8, 0));
  c.segments.push_back(segment(1e-9));
  c.points.push_back(point(6, 1e-9, 1));
  EXPECT_FALSE(c.open_step()) << "of the last segment";
}

TEST(HistoryReport, ADriftAndTurnsAreNamedAndHaveNoMeanLevel) {
  History history;
  history.runs = 9;
  for (const char* name : {"falls", "turns"}) {
    CaseHistory c;
    c.name = name;
    c.segments = {segment(4e-5)};
    for (int day = 1; day < 10; ++day) {
      const double turn = day % 2 == 0 ? 1e-3 : 2e-3;
      c.points.push_back(point(day, c.name == "turns" ? turn : 1e-3 / day, 0));
    }
    if (c.name == "falls") {
      c.segments[0].level_s = c.points.back().time_s.value;
      c.segments[0].drift = {9, -0.889};
    }
    history.cases.push_back(c);
  }
  const auto text = shown(history);
  EXPECT_EQ(summary_line(history),
            "1 drift in 1 of 2 cases over 9 runs; alternating levels in 1 case");
  EXPECT_TRUE(contains(text, "drifts by -88.9 % over 9 runs")) << text;
  EXPECT_TRUE(contains(text, "111.1 us")) << text;
  EXPECT_TRUE(contains(text, "the runs alternate between 1.000 ms and 2.000 ms"));
  EXPECT_FALSE(contains(text, "40.00 us")) << "a mean that no run had";
}

TEST(HistoryReport, AStepThatMostCasesShareIsOneOfTheRun) {
  auto history = sample_history();
  history.cases[1].segments[1].together = 6;
  EXPECT_EQ(summary_line(history),
            "1 change in 1 of 2 cases over 9 runs; in 1 run most cases changed together");
  EXPECT_TRUE(contains(shown(history), "+25.0 % with 5 other cases"));
}

TEST(HistoryReport, AFigureSaysOnlyWhatItDraws) {
  const auto history = sample_history();
  const auto still = trend_figure(history.cases[0]);
  EXPECT_EQ(still.description, "lines: the level between two changes; y does not begin at 0");
  CaseHistory once = history.cases[1];
  EXPECT_TRUE(trend_figure(once).description.ends_with("; crosses: outliers"));
  EXPECT_NE(trend_figure(once).title.find("2 changes, -37.5 % together, the last with aaaaaaaa"),
            std::string::npos)
      << trend_figure(once).title;
  once.segments[3].change.reset();
  once.segments[3].epoch = 2;
  EXPECT_NE(trend_figure(once).title.find("1 change, +25.0 % with aaaa012345, in 9 runs"),
            std::string::npos)
      << trend_figure(once).title;
}

TEST(HistoryReport, OfALongHistoryTheRunsThatBeginALevelAreShown) {
  auto history = sample_history();
  history.cases[1].points.resize(500, point(3, 1e-3, 3));
  const auto text = shown(history);
  EXPECT_TRUE(contains(text, "5 of 500 runs: the first run of each level, and the last run"));
  EXPECT_TRUE(contains(text, "SM clock 1980 -> 1600 MHz"));
  EXPECT_FALSE(contains(text, "10.10 us")) << "the second run, of the first level";
  EXPECT_TRUE(contains(text, "last 40 runs"));
  EXPECT_EQ(count(text, "▅"), 42u) << "of the other case two; the first 460 have no bar";
}

TEST(HistoryReport, ATerminalsFitsAScreen) {
  auto history = sample_history();
  history.cases[1].points.resize(500, point(3, 1e-3, 3));
  while (history.cases.size() < 300) history.cases.push_back(history.cases[1]);
  EXPECT_LT(count(shown(history), "\n"), 75u);
  EXPECT_TRUE(contains(shown(history), "the runs of further cases are not listed"));
}

TEST(HistoryReport, OfManyCasesThatChangedFitsAScreenAndCountsTheRest) {
  auto history = sample_history();
  while (history.cases.size() < 100) history.cases.push_back(history.cases[1]);
  history.notes.clear();
  EXPECT_LE(count(shown(history), "\n"), 24u);
  EXPECT_TRUE(contains(shown(history), "further cases (to choose cases: --filter"));
  EXPECT_TRUE(contains(shown(history), "the runs of further cases are not listed"));
}

TEST(HistoryReport, OnlyWhatChangedOrFailedLastIsListedRunByRun) {
  auto history = sample_history();
  EXPECT_EQ(count(shown(history), "copy/size:100"), 1u) << "its line alone";
  history.cases[0].points.push_back(failure(3, "out of memory"));
  EXPECT_TRUE(contains(shown(history), "out of memory"));
  EXPECT_TRUE(contains(shown(history), "▅▅x"));
}

TEST(HistoryReport, ALongListHasWhatChangedFirst) {
  auto history = sample_history();
  auto still = history.cases[0];
  for (int i = 0; i < 300; ++i) {
    still.name = "still/" + std::to_string(i);
    history.cases.insert(history.cases.begin(), still);
  }
  const auto text = shown(history);
  EXPECT_TRUE(
      contains(text, "296 further cases (to choose cases: --filter; for all: --out FILE.csv)"));
  EXPECT_TRUE(contains(text, "reduction/naive/size:1e5")) << "the last in the history";
  EXPECT_TRUE(contains(text, "still/299 "));
  EXPECT_FALSE(contains(text, "still/0 "));
}

TEST(HistoryReport, ALineACaseHasTheChangesWithoutTheStepsOfTheMachine) {
  // +25 % and -50 %, and a driver between them.
  EXPECT_TRUE(contains(shown(sample_history()), "-37.5 %        2  "));
}

TEST(HistoryReport, WithoutDatesTheFilesAreNamed) {
  auto history = sample_history();
  for (auto& p : history.cases[1].points) p.date = p.commit = "";
  const auto text = shown(history);
  EXPECT_TRUE(contains(text, "results/run1.json  10.00 us"));
  EXPECT_FALSE(contains(text, "  commit  ")) << "no such column";
}

TEST(HistoryReport, AFirstRunThatFailedIsNoChange) {
  History history;
  auto& c = history.cases.emplace_back();
  c.points = {failure(1, "no"), point(2, 1e-3, 0)};
  c.segments = {segment(1e-3)};
  EXPECT_TRUE(contains(shown(history, Format::csv), ",0,0.001,,0,\n"));
}

}  // namespace
}  // namespace apod::show
