// Which files are the runs of a history, in which order, and what is said of them.

#include "tests/benchmarks/judge/history_runs.hpp"

namespace apod::judge {
namespace {

TEST(History, AClockThatWentBackwardsIsSaid) {
  auto runs = runs_of(steps(20, {1}));
  const auto said = [&] {
    return contains(notes_of(history_of(runs)), "perhaps a clock was wrong");
  };
  EXPECT_FALSE(said());
  runs[12].sessions.front().environment["date"] = day(3);
  EXPECT_TRUE(contains(notes_of(history_of(runs)), "run12.json: the date does not fit"));
  // Names that do not follow the dates at all, as those of commits, tell nothing of clocks.
  for (std::size_t i = 0; i < 20; ++i)
    runs[i].sessions.front().environment["date"] = day(9 * i % 20);
  EXPECT_FALSE(said());
}

TEST(History, AHoleAndRunsOfOneDateAreSaid) {
  auto runs = runs_of(steps(20, {1}));
  EXPECT_FALSE(contains(notes_of(history_of(runs)), "no run for"));
  runs.erase(runs.begin() + 5, runs.begin() + 15);
  EXPECT_TRUE(
      contains(notes_of(history_of(runs)), "no run for 11 days, between " + day(4).substr(0, 10) +
                                               " (run4.json) and " + day(15).substr(0, 10) +
                                               " (run15.json): a change in this gap has no exact "
                                               "date (or a clock was wrong)"));
  on_one_date(runs);
  EXPECT_TRUE(contains(notes_of(history_of(runs)),
                       "9 runs have the same date as the run before: ordered by name"));
}

TEST(History, CasesThatComeAndGoAreSaid) {
  auto runs = runs_of(steps(8, {1}));
  for (std::size_t i = 0; i < 4; ++i) runs[i].cases.push_back(side_case("old", three(1)));
  for (std::size_t i = 4; i < 8; ++i) runs[i].cases.push_back(side_case("new", three(1)));
  const auto notes = notes_of(history_of(runs));
  EXPECT_TRUE(contains(notes, "1 of 3 cases (the first: old): missing in the last run")) << notes;
  EXPECT_TRUE(contains(notes, "1 of 3 cases (the first: new): missing in some runs")) << notes;
}

TEST(History, ACopyWithOtherBytesIsOneRun) {
  auto runs = runs_of(steps(5, {1.0}));
  runs.push_back(runs[2]);
  runs.back().sessions[0].file = "run2_again.json";
  const auto history = history_of(std::move(runs));
  EXPECT_EQ(only(history).points.size(), 5u);
  EXPECT_TRUE(contains(
      notes_of(history),
      "run2_again.json: left out, another run has the same date and the same measured times"));
}

TEST(History, AHoleOfOneCaseIsSaid) {
  auto runs = runs_of(steps(40, {1.0}));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i < 8 || i > 27) runs[i].cases.push_back(side_case("rare", three(1)));
  }
  EXPECT_TRUE(contains(notes_of(history_of(std::move(runs))), "no run of rare for 24 days"));
}

TEST(History, AnotherUnitIsNamedAsTheCause) {
  EXPECT_TRUE(
      contains(notes_of(history_of(runs_of(steps(6, {1, 1000})))), "perhaps the unit changed"));
  EXPECT_FALSE(
      contains(notes_of(history_of(runs_of(steps(6, {1, 100})))), "perhaps the unit changed"));
}

TEST(History, FewerThanFourRunsAreSaidToShowNothing) {
  EXPECT_EQ(notes_of(history_of(runs_of(steps(4, {1.0})))), "");
  EXPECT_TRUE(contains(notes_of(history_of(runs_of(steps(3, {1.0})))), "can't show a change"));
}

TEST(History, RunsAreInTheOrderOfTheirDatesWhateverTheirNames) {
  auto runs = runs_of({1.0, 1.0, 1.0});
  runs[0].sessions[0].environment["date"] = "2026-03-01T10:00:00+02:00";
  runs[1].sessions[0].environment["date"] = "2026-03-01T09:00:00+00:00";
  runs[2].sessions[0].environment["date"] = "2026-03-01 07:59:59";
  const auto c = only(history_of(std::move(runs)));
  EXPECT_EQ(files_of(c), (std::vector<std::string>{"run2.json", "run0.json", "run1.json"}));
}

TEST(History, RunsOfOneDateAreInTheOrderOfTheirNames) {
  auto runs = runs_of(steps(11, {1.0}));
  on_one_date(runs);
  std::reverse(runs.begin(), runs.end());
  const auto files = files_of(only(history_of(std::move(runs))));
  ASSERT_EQ(files.size(), 11u);
  EXPECT_EQ(files[2], "run2.json");
  EXPECT_EQ(files[10], "run10.json") << "numbers count as numbers";
}

TEST(History, ARunWithoutADateIsLeftOutAndNamed) {
  auto runs = runs_of({1.0, 1.0, 1.0, 1.0});
  runs[0].sessions[0].environment["date"] = day(20);
  runs[2].sessions[0].environment["date"] = "yesterday";
  const auto history = history_of(std::move(runs));
  EXPECT_EQ(files_of(only(history)),
            (std::vector<std::string>{"run1.json", "run3.json", "run0.json"}));
  EXPECT_EQ(history.runs, 3u);
  EXPECT_TRUE(contains(notes_of(history), "run2.json: left out, no readable date"));
}

TEST(History, WhereMostRunsHaveNoDateTheNamesDecide) {
  auto runs = runs_of({1.0, 1.0, 1.0, 1.0});
  for (std::size_t i = 1; i < 4; ++i) runs[i].sessions[0].environment.erase("date");
  const auto history = history_of(std::move(runs));
  EXPECT_EQ(files_of(only(history)).size(), 4u);
  EXPECT_EQ(files_of(only(history)).front(), "run0.json");
  EXPECT_TRUE(contains(notes_of(history),
                       "ordered by file name, because 3 of 4 files have no readable date"));
}

TEST(History, ACaseMayBeInSomeRunsOnly) {
  auto runs = runs_of(steps(6, {1.0}));
  runs[4].cases.push_back(side_case("late", {3.0}));
  runs[5].cases.push_back(side_case("late", {3.0}));
  runs[5].cases.erase(runs[5].cases.begin());
  const auto history = history_of(std::move(runs));
  ASSERT_EQ(history.cases.size(), 2u);
  EXPECT_EQ(history.cases[0].points.size(), 5u);
  EXPECT_EQ(history.cases[1].name, "late");
  EXPECT_EQ(history.cases[1].points.size(), 2u);
  EXPECT_EQ(history.runs, 6u);
}

TEST(History, AFailureIsShownAndCountsForNoLevel) {
  auto runs = runs_of(steps(6, {1.0, 1.2}));
  runs[3].cases[0].times.clear();
  runs[3].cases[0].failed = "wrong result";
  runs[6].cases[0].times.clear();
  const auto c = only(history_of(std::move(runs)));
  ASSERT_EQ(c.points.size(), 12u);
  EXPECT_EQ(c.points[3].failed, "wrong result");
  EXPECT_EQ(c.points[6].failed, "no time");
  EXPECT_EQ(c.points[3].time_s.value, 0);
  ASSERT_EQ(c.segments.size(), 2u);
  EXPECT_EQ(c.points[5].segment, 0u);
  EXPECT_EQ(c.points[7].segment, 1u);
  auto failures = runs_of({1.0, 1.0});
  for (auto& run : failures) run.cases[0].times.clear();
  const auto always = only(history_of(std::move(failures)));
  EXPECT_EQ(always.points.size(), 2u);
  EXPECT_TRUE(always.segments.empty());
}

TEST(History, EqualNotesOfManyFilesAreOne) {
  auto runs = runs_of(steps(4, {1.0}));
  for (auto& run : runs) run.notes.push_back(run.sessions[0].file + ": skipped, no GPU: y");
  runs[2].notes.push_back("run2.json: the run was interrupted");
  const auto history = history_of(std::move(runs));
  ASSERT_EQ(history.notes.size(), 2u) << notes_of(history);
  EXPECT_EQ(history.notes[0], "skipped, no GPU: y (in 4 files, the first run0.json)");
  EXPECT_EQ(history.notes[1], "run2.json: the run was interrupted");
}

TEST(History, ARunIsOneFile) {
  EXPECT_TRUE(history_of({}).cases.empty());
  auto runs = runs_of({1.0});
  runs[0].sessions.push_back(runs[0].sessions[0]);
  EXPECT_THROW(history_of(runs), std::invalid_argument);
  runs[0].sessions.clear();
  EXPECT_THROW(history_of(runs), std::invalid_argument);
}

TEST(History, HundredsOfRunsOfManyCases) {
  auto runs = runs_of(steps(150, {1.0, 1.03}));
  for (auto& run : runs) {
    const auto first = run.cases[0];
    for (int i = 1; i < 50; ++i) {
      run.cases.push_back(first);
      run.cases.back().name = fmt::format("x{}", i);
    }
  }
  const auto history = history_of(std::move(runs));
  ASSERT_EQ(history.cases.size(), 50u);
  for (const auto& c : history.cases) {
    EXPECT_EQ(c.points.size(), 300u);
    ASSERT_EQ(c.segments.size(), 2u) << c.name;
    EXPECT_EQ(c.segments[1].together, 50u) << c.name;
  }
}

}  // namespace
}  // namespace apod::judge
