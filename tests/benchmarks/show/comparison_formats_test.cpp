#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "benchmarks/show/comparison_report.hpp"
#include "tests/benchmarks/show/golden.hpp"
#include "tests/benchmarks/show/sample_comparison.hpp"
#include "tests/benchmarks/show/texts.hpp"
#include "tests/kernels/api/temporary_folder.hpp"

namespace apod::show {
namespace {

using nlohmann::json;

constexpr std::size_t mebibyte = 1 << 20;

std::vector<std::string> annotations(const Comparison& comparison, FailOn fails = FailOn::suspect) {
  std::stringstream out;
  write_annotations(out, comparison, fails);
  return lines_of(out.str());
}

TEST(EveryComparisonReport, LooksAsItShould) {
  const auto sample = sample_comparison();
  expect_golden("comparison.json", written(sample, Format::json));
  expect_golden("comparison.csv", written(sample, Format::csv));
  expect_golden("comparison.md", written(sample, Format::markdown));
  expect_golden("comparison.xml", written(sample, Format::junit));
  expect_golden("comparison_hostile.xml", written(hostile_comparison(), Format::junit));
  std::ostringstream out;
  write_annotations(out, sample, FailOn::suspect);
  expect_golden("annotations.txt", out.str());
}

TEST(EveryComparisonReport, HasAllCasesWhateverTheNames) {
  const json j = json::parse(written(hostile_comparison(), Format::json));
  EXPECT_EQ(j.at("cases").size(), hostile_comparison().cases.size());
  EXPECT_TRUE(json::accept(written(Comparison{}, Format::json)));
  const auto rows = lines_of(written(hostile_comparison(), Format::csv));
  EXPECT_EQ(rows.size(), hostile_comparison().cases.size() + 1);
}

TEST(ComparisonJson, EveryFieldIsDocumented) {
  const auto documentation = content_of(APOD_SOURCE_DIR "/docs/formats.md");
  std::set<std::string> keys;
  const auto collect = [&](const json& object) {
    for (const auto& [key, value] : object.items()) keys.insert(key);
  };
  const json j = json::parse(written(sample_comparison(), Format::json));
  collect(j);
  collect(j.at("options"));
  collect(j.at("cases").at(2));
  collect(j.at("cases").at(2).at("causes").at(0));
  EXPECT_GT(keys.size(), 35u);
  for (const auto& key : keys) EXPECT_TRUE(contains(documentation, "`" + key + "`")) << key;
}

TEST(ComparisonCsv, HasFieldsOfTheJsonAlone) {
  const json j = json::parse(written(sample_comparison(), Format::json));
  for (const auto& column : comparison_rows(sample_comparison()).columns) {
    EXPECT_TRUE(j.at("cases").at(0).contains(column.name)) << column.name;
  }
}

TEST(ComparisonMarkdown, StaysBelowOneMebibyteAndSaysWhatItLeftOut) {
  for (const auto verdict : {Verdict::regression, Verdict::unchanged, Verdict::missing}) {
    auto comparison = comparison_of(20'000, verdict);
    comparison.notes = {"a note"};
    const std::string report = written(comparison, Format::markdown);
    EXPECT_LT(report.size(), mebibyte);
    EXPECT_GT(report.size(), mebibyte / 4);
    EXPECT_TRUE(contains(report, "more rows left out")) << to_string(verdict);
    EXPECT_TRUE(contains(report, "### notes")) << to_string(verdict);
  }
}

TEST(ComparisonJunit, AComparisonOfNothingIsAnError) {
  const std::string report = written(Comparison{}, Format::junit);
  EXPECT_TRUE(contains(report, "tests=\"1\" failures=\"0\" errors=\"1\"")) << report;
  EXPECT_TRUE(contains(report, "<error message=\"NOTHING COMPARED")) << report;
  const auto passing = comparison_of(1, Verdict::unchanged);
  EXPECT_FALSE(contains(written(passing, Format::junit), "<error"));
}

TEST(ComparisonJunit, APartThatIsGoneFromARecordingIsNoFailure) {
  auto comparison = comparison_of(1, Verdict::missing);
  EXPECT_TRUE(contains(written(comparison, Format::junit), "failures=\"1\""));
  comparison.of_recordings = true;
  EXPECT_TRUE(contains(written(comparison, Format::junit), "failures=\"0\""));
}

TEST(Warnings, OfCasesWithoutAChangeStandInMarkdownAndJunit) {
  for (const auto verdict : {Verdict::unchanged, Verdict::inconclusive}) {
    auto comparison = comparison_of(1, verdict);
    comparison.cases[0].warnings = {"throttled throughout"};
    for (const auto format : {Format::markdown, Format::junit}) {
      EXPECT_TRUE(contains(written(comparison, format), "! throttled throughout"));
    }
    const auto text = written(comparison, Format::console);
    EXPECT_FALSE(contains(text, "! throttled throughout")) << "a terminal counts them";
    EXPECT_TRUE(contains(text, "throttled throughout: 1 case"));
  }
}

TEST(Comparisons, OfRepetitionsDoNotCountThemAsProcesses) {
  auto comparison = comparison_of(1, Verdict::unchanged);
  EXPECT_TRUE(contains(written(comparison, Format::console), "decided from 12 processes"));
  comparison.one_process = true;
  EXPECT_FALSE(contains(written(comparison, Format::console), "decided from 12 processes"));
  const json j = json::parse(written(comparison, Format::json));
  EXPECT_EQ(j.at("one_process"), true);
}

TEST(Comparisons, OfRecordingsKeepThatTheyAreNoPair) {
  auto comparison = comparison_of(1, Verdict::suspect);
  EXPECT_FALSE(contains(written(comparison, Format::json), "unlike"));
  comparison.of_recordings = true;
  comparison.unlike = {"another program", "the base ended with exit code 2"};
  const TemporaryFolder folder;
  const auto again = read_comparison(folder.write("c.json", written(comparison, Format::json)));
  EXPECT_TRUE(again.of_recordings);
  EXPECT_EQ(again.unlike, comparison.unlike);
}

TEST(Comparisons, OfACounterShowNumbers) {
  auto comparison = comparison_of(1, Verdict::regression);
  comparison.cases[0].is_counter = true;
  comparison.cases[0].base_s = 1234;
  const auto text = written(comparison, Format::console);
  EXPECT_TRUE(contains(text, " 1234 ")) << text;
  EXPECT_FALSE(contains(text, "1234 s"));
}

TEST(ComparisonJunit, WhatIsIdenticalPassesWithoutTimes) {
  auto identical = comparison_of(2, Verdict::identical);
  for (auto& c : identical.cases) c.base_s = c.new_s = 0;
  EXPECT_TRUE(contains(verdict_line(identical), "NO REGRESSION FOUND in 2 cases; 2 identical"));
  const std::string junit = written(identical, Format::junit);
  EXPECT_TRUE(contains(junit, "tests=\"2\" failures=\"0\" errors=\"0\"")) << junit;
}

/// The JUnit report and the annotations of a case with this verdict are red.
bool is_red(Verdict verdict, double change, FailOn fails) {
  Comparison comparison;
  comparison.cases = {judged_case("a", verdict, 1, change, 0.1),
                      judged_case("b", Verdict::unchanged, 1, 0, 0.1),
                      judged_case("c", Verdict::unchanged, 1, 0, 0.1)};
  std::ostringstream junit;
  write(junit, report_of(comparison, fails), Format::junit);
  const bool passes = contains(junit.str(), "failures=\"0\" errors=\"0\"");
  EXPECT_EQ(annotations(comparison, fails).empty(), passes);
  return !passes;
}

TEST(ComparisonJunit, IsRedForWhatFailsTheComparison) {
  using enum FailOn;
  for (const auto fails : {regression, suspect, inconclusive}) {
    EXPECT_TRUE(is_red(Verdict::regression, 0.5, fails));
    EXPECT_EQ(is_red(Verdict::suspect, 0.5, fails), fails != regression);
    EXPECT_FALSE(is_red(Verdict::suspect, -0.5, fails)) << "a faster one fails nothing";
    EXPECT_EQ(is_red(Verdict::inconclusive, 0.5, fails), fails == inconclusive);
  }
  auto open = comparison_of(3, Verdict::inconclusive);
  std::ostringstream junit;
  write(junit, report_of(open, regression), Format::junit);
  EXPECT_TRUE(contains(junit.str(), "failures=\"0\" errors=\"0\"")) << "the exit code is 0";
  auto unlike = comparison_of(1, Verdict::unchanged);
  unlike.unlike = {"another program"};
  EXPECT_TRUE(contains(written(unlike, Format::junit), "errors=\"1\"")) << "the exit code is 4";
}

TEST(Annotations, AreNoneWhereAllIsWell) {
  for (const auto verdict : {Verdict::unchanged, Verdict::identical}) {
    EXPECT_TRUE(annotations(comparison_of(3, verdict)).empty());
  }
}

TEST(Annotations, NothingDecidedIsOneAndAnErrorOfTheSuite) {
  const auto undecided = comparison_of(3, Verdict::inconclusive);
  ASSERT_EQ(annotations(undecided).size(), 1u);
  EXPECT_TRUE(contains(annotations(undecided)[0], "INCONCLUSIVE: no result for 3 cases"));
  EXPECT_TRUE(contains(written(undecided, Format::junit), "errors=\"1\""));
}

TEST(Annotations, AreAtMostTenAndTheTenthCountsTheRest) {
  EXPECT_EQ(annotations(comparison_of(10, Verdict::regression)).size(), 10u);
  const auto lines = annotations(comparison_of(25, Verdict::regression));
  ASSERT_EQ(lines.size(), 10u);
  EXPECT_TRUE(contains(lines[8], "title=regression%3A ")) << lines[8];
  EXPECT_TRUE(contains(lines[9], "::and 16 more; REGRESSION: 25 of 25 cases")) << lines[9];
}

TEST(Annotations, SayThatNothingWasCompared) {
  ASSERT_EQ(annotations({}).size(), 1u);
  auto ended = comparison_of(1, Verdict::unchanged);
  ended.failure = "confirmation, block 3 of 12, new: no result";
  ASSERT_EQ(annotations(ended).size(), 1u);
  EXPECT_TRUE(contains(annotations(ended)[0], "INCOMPLETE (ended early)"));
  EXPECT_TRUE(contains(annotations(ended)[0], "block 3 of 12, new: no result"));
  const std::string junit = written(ended, Format::junit);
  EXPECT_TRUE(contains(junit, "tests=\"2\" failures=\"0\" errors=\"1\""));
  EXPECT_TRUE(contains(junit, "type=\"incomplete\">confirmation, block 3 of 12, new: no result"));
  EXPECT_EQ(
      annotations({})[0],
      "::error title=nothing_compared%3A something was compared::NOTHING COMPARED: no case on "
      "either side");
  const auto lines = annotations(comparison_of(10, Verdict::missing));
  ASSERT_EQ(lines.size(), 10u);
  EXPECT_TRUE(contains(lines[0], "NOTHING COMPARED"));
  EXPECT_TRUE(contains(lines[9], "::and 2 more; "));
}

TEST(Annotations, EscapeWhatTheRunnerTakesForItsOwn) {
  Comparison comparison;
  comparison.cases = {judged_case("50%, a:b\r\nc", Verdict::regression, 1, 0.5, 0.1),
                      judged_case("ok", Verdict::unchanged, 1, 0, 0.1)};
  const auto lines = annotations(comparison);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0],
            "::error title=regression%3A 50%25%2C a%3Ab  c::1.000 s -> 1.500 s, +50.0 %25 ±10.0");
}

TEST(Annotations, AreAsManyLinesAsErrorsWhateverTheNames) {
  for (const auto& line : annotations(hostile_comparison())) {
    EXPECT_EQ(line.find("::error title="), 0u) << line;
    EXPECT_NE(line.find("::", 14), std::string::npos) << line;
    EXPECT_LT(line.size(), 8000u);
  }
}

}  // namespace
}  // namespace apod::show
