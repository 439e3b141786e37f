#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "benchmarks/show/comparison_report.hpp"
#include "tests/benchmarks/show/golden.hpp"
#include "tests/benchmarks/show/sample_comparison.hpp"
#include "tests/benchmarks/show/texts.hpp"

namespace apod::show {
namespace {

std::string text(const Comparison& comparison, const ConsoleStyle& style = {}) {
  return written(comparison, Format::console, style);
}

Comparison with(std::vector<CaseComparison> cases) {
  Comparison comparison;
  comparison.cases = std::move(cases);
  return comparison;
}

TEST(VerdictLine, AComparisonOfNothingIsNoPass) {
  EXPECT_EQ(verdict_line({}), "NOTHING COMPARED: no case on either side");
  EXPECT_EQ(verdict_line(
                with({other_case("a", Verdict::missing, ""), other_case("b", Verdict::added, "")})),
            "NOTHING COMPARED: no case has comparable times on both sides; 1 missing; 1 new");
  // A verdict without times behind it counts for nothing either.
  EXPECT_EQ(verdict_line(with({other_case("a", Verdict::unchanged, "")})).find("NOTHING COMPARED"),
            0u);
}

TEST(VerdictLine, TellsPassIncompleteAndInconclusiveApart) {
  const auto same = judged_case("a", Verdict::unchanged, 1, 0, 0.001);
  const auto open = judged_case("b", Verdict::inconclusive, 1, 0, 0.1);
  const auto gone = other_case("c", Verdict::missing, "");
  EXPECT_EQ(verdict_line(with({same})), "NO REGRESSION FOUND in 1 case; 1 unchanged");
  EXPECT_EQ(verdict_line(with({same, open})),
            "NO REGRESSION FOUND in 1 of 2 cases; 1 inconclusive; 1 unchanged");
  EXPECT_EQ(verdict_line(with({open})),
            "INCONCLUSIVE: no result for 1 case: changes below 1.23 % can't be seen here");
  const auto identical = other_case("e", Verdict::identical, "");
  EXPECT_EQ(
      verdict_line(with({open, identical})),
      "INCONCLUSIVE: no result for 1 case: changes below 1.23 % can't be seen here; 1 identical");
  EXPECT_EQ(verdict_line(with({identical})), "NO REGRESSION FOUND in 1 case; 1 identical");
  const auto unmeasured = other_case("d", Verdict::inconclusive, "fewer than two whole blocks");
  EXPECT_EQ(verdict_line(with({same, unmeasured})),
            "NO REGRESSION FOUND in 1 of 2 cases; 1 inconclusive; 1 unchanged");
  EXPECT_EQ(verdict_line(with({same, gone})),
            "INCOMPLETE: no regression found in 1 case; 1 missing; 1 unchanged");
  EXPECT_EQ(verdict_line(with({open, gone})),
            "INCOMPLETE: no result for 1 case: changes below 1.23 % can't be seen here; 1 missing");
  auto recordings = with({same, gone});
  recordings.of_recordings = true;
  EXPECT_EQ(verdict_line(recordings).find("INCOMPLETE"), std::string::npos)
      << "a kernel that is gone is a change of the program";
}

TEST(VerdictLine, WhereMostCasesAreOpenNoRegressionIsRuledOut) {
  const auto same = judged_case("a", Verdict::unchanged, 1, 0, 0.001);
  const auto open = judged_case("b", Verdict::inconclusive, 1, 0, 0.1);
  const auto comparison = with({same, open, open});
  EXPECT_TRUE(comparison.mostly_open());
  EXPECT_EQ(verdict_line(comparison),
            "INCONCLUSIVE: no result for 2 of 3 cases: changes below 1.23 % can't be seen here; 1 "
            "unchanged");
  EXPECT_TRUE(contains(written(comparison, Format::junit), "most cases were decided"));
  EXPECT_FALSE(with({same, same, open, open}).mostly_open()) << "half of them are decided";
  const auto begins = [&](Verdict verdict, double change, const std::string& text) {
    const auto line = verdict_line(with({judged_case("c", verdict, 1, change, 0.1), open, open}));
    EXPECT_TRUE(line.starts_with(text)) << line;
    const auto junit =
        written(with({judged_case("c", verdict, 1, change, 0.1), open, open}), Format::junit);
    EXPECT_EQ(contains(junit, "most cases were decided"), text.starts_with("INCONCLUSIVE"))
        << "beside a regression or a suspect it is not the answer: " << junit;
  };
  begins(Verdict::improvement, -0.5, "INCONCLUSIVE: no result for 2 of 3 cases: ");
  begins(Verdict::suspect, 0.5,
         "SUSPECT: 1 of 3 cases is beyond its noise (farthest +50.0 % in c); 2 inc");
  begins(Verdict::regression, 0.5,
         "REGRESSION: 1 of 3 cases slower (worst +50.0 % in c, threshold 1 %); 2 inconclusive");
  const auto identical = other_case("f", Verdict::identical, "");
  EXPECT_EQ(verdict_line(with({identical, open, same})),
            "NO REGRESSION FOUND in 2 of 3 cases; 1 inconclusive; 1 unchanged; 1 identical");
}

TEST(VerdictLine, ChangesBelowTheSmallestCantBeToldApart) {
  auto noisy = judged_case("b", Verdict::inconclusive, 1, 0, 0.1);
  noisy.detectable = 0.5;
  EXPECT_TRUE(
      contains(verdict_line(with({judged_case("a", Verdict::inconclusive, 1, 0, 0.1), noisy})),
               "changes below 1.23 %"));
}

TEST(VerdictLine, OfRecordingsSaysWhatIsNoPairAndWhatCostsMost) {
  auto copies = judged_case("copies", Verdict::suspect, 3e-5, 20, 0.1);
  copies.new_s = 9e-4;
  auto program = judged_case("program", Verdict::suspect, 11, 2, 0.1);
  program.new_s = 33;
  auto comparison = with({copies, program});
  EXPECT_TRUE(contains(verdict_line(comparison), "farthest +2000 % in copies"));
  comparison.of_recordings = true;
  EXPECT_TRUE(contains(verdict_line(comparison), "most time: +200.0 % in program"))
      << verdict_line(comparison);
  comparison.unlike = {"another program", "the new side ended with exit code 1"};
  EXPECT_TRUE(verdict_line(comparison)
                  .starts_with("INCOMPLETE (another program; the new side ended with exit code 1), "
                               "SUSPECT: "));
  auto step = judged_case("step", Verdict::within_noise, 1, 0, 0.1);
  comparison.cases.push_back(step);
  const auto shown = text(comparison);
  EXPECT_LT(shown.find("another program"), shown.find("step 1")) << shown;
}

TEST(VerdictLine, WhatGotSlowerComesFirst) {
  auto comparison = with({judged_case("calm", Verdict::within_noise, 1, 1, 0.1),
                          judged_case("faster", Verdict::suspect, 1, -0.05, 0.01)});
  comparison.common =
      CommonShift{.verdict = Verdict::suspect, .change = {1}, .noise = 0.3, .cases = 8};
  EXPECT_TRUE(contains(verdict_line(comparison), "SUSPECT: 8 cases changed together, by +100"))
      << verdict_line(comparison);
  EXPECT_TRUE(
      contains(verdict_line(comparison), "; 1 of 2 cases is beyond its noise (farthest -5.0 %"));
  comparison.cases[1].change.value = 3;
  EXPECT_TRUE(
      verdict_line(comparison)
          .starts_with("SUSPECT: 1 of 2 cases is beyond its noise (farthest +300.0 % in faster); 8 "
                       "cases changed together, by +100"));
  comparison.cases[1].verdict = Verdict::regression;
  EXPECT_TRUE(contains(verdict_line(comparison),
                       "REGRESSION: 1 of 2 cases slower (worst +300.0 % in faster, threshold 1 %); "
                       "8 cases changed together, by"));
  comparison.common->cases = 0;
  EXPECT_FALSE(contains(verdict_line(comparison), "changed together")) << "no case did";
  comparison.common->cases = 8;
  comparison.common->verdict = Verdict::within_noise;
  EXPECT_FALSE(contains(verdict_line(comparison), "changed together"));
}

TEST(VerdictLine, WhatAllShareIsInEveryHeadline) {
  const auto line = [](Verdict of_case, Verdict of_all, double change) {
    auto comparison = with({judged_case("a", of_case, 1, 0, 0.1)});
    comparison.common =
        CommonShift{.verdict = of_all, .change = {change, change, change}, .cases = 8};
    return verdict_headline(comparison);
  };
  EXPECT_EQ(line(Verdict::within_noise, Verdict::improvement, -0.5),
            "NO REGRESSION: 8 cases changed together, by -50.00 %");
  EXPECT_EQ(line(Verdict::within_noise, Verdict::suspect, -0.5),
            "NO REGRESSION: 8 cases changed together, by -50.00 %");
  EXPECT_EQ(line(Verdict::within_noise, Verdict::suspect, 4),
            "SUSPECT: 8 cases changed together, by +400.0 %");
  EXPECT_EQ(line(Verdict::inconclusive, Verdict::suspect, 4),
            "SUSPECT: 8 cases changed together, by +400.0 %; no result for 1 case: changes below "
            "1.23 % can't be seen here");
  EXPECT_TRUE(line(Verdict::inconclusive, Verdict::improvement, -0.5)
                  .ends_with("can't be seen here; 8 cases changed together, by -50.00 %"));
  EXPECT_EQ(line(Verdict::unchanged, Verdict::improvement, -0.5),
            "NO REGRESSION FOUND in 1 case; 8 cases changed together, by -50.00 %");
}

TEST(VerdictLine, FasterCasesAreNoSuspicion) {
  const auto comparison = with({judged_case("a", Verdict::suspect, 1, -0.74, 0.1),
                                judged_case("b", Verdict::improvement, 1, -0.98, 0.1),
                                judged_case("c", Verdict::within_noise, 1, 0, 0.1)});
  EXPECT_EQ(verdict_line(comparison),
            "NO REGRESSION: 2 of 3 cases faster, 1 with certainty (best -98.0 % in b); 1 within "
            "noise");
  EXPECT_TRUE(contains(verdict_line(with({judged_case("a", Verdict::suspect, 1, -0.74, 0.1)})),
                       "1 of 1 case faster, none with certainty"));
}

TEST(ComparisonText, TheLargestChangesWithinTheNoiseAreListedInALongListToo) {
  std::vector<CaseComparison> cases;
  for (int i = 0; i < 50; ++i) {
    cases.push_back(judged_case("calm_" + std::to_string(i), Verdict::within_noise, 1,
                                i == 7 ? 0.26 : 0.001 * i, 0.02));
  }
  const auto shown = text(with(std::move(cases)));
  EXPECT_TRUE(contains(shown, "(largest change +26.0 % in calm_7)")) << shown;
  EXPECT_TRUE(contains(shown, "calm_49")) << shown;
  EXPECT_TRUE(contains(shown, "40 cases within noise: not listed")) << shown;
}

TEST(VerdictLine, OneReasonForAllIsSaidOnce) {
  auto other = judged_case("a", Verdict::invalid, 1, 0.5, 0.1);
  other.reason = "gpu A -> B";
  const auto comparison = with({other});
  EXPECT_EQ(verdict_line(comparison), "NOT JUDGED: gpu A -> B; 1 not judged");
  EXPECT_TRUE(contains(text(comparison), "+50.0 %")) << text(comparison);
  EXPECT_TRUE(contains(text(comparison), "not judged"));
}

TEST(ComparisonText, WhatAllCasesRemarkIsSaidOnce) {
  std::vector<CaseComparison> cases;
  for (const char* name : {"a", "b", "c", "d"}) {
    cases.push_back(judged_case(name, Verdict::regression, 1, 0.5, 0.01));
    cases.back().causes = {{.fact = "x", .text = "registers 16 -> 32"}};
  }
  const auto of_all = text(with(cases));
  EXPECT_TRUE(contains(of_all, "each case: registers 16 -> 32"));
  EXPECT_EQ(count(of_all, "registers 16 -> 32"), 1u);
  cases[1].causes = {{.fact = "x", .text = "commit 1 -> 2"}};
  const auto of_most = text(with(cases));
  EXPECT_TRUE(contains(of_most, "all other cases: registers 16 -> 32"));
  EXPECT_TRUE(contains(of_most, "      commit 1 -> 2"));
}

TEST(VerdictLine, MentionsThresholdsThatDifferAndHowItEnded) {
  auto comparison = with({judged_case("a", Verdict::regression, 1, 0.5, 0.01),
                          judged_case("b", Verdict::unchanged, 1, 0, 0.01)});
  comparison.cases[1].threshold = 0.03;
  comparison.interrupted = true;
  EXPECT_EQ(verdict_line(comparison),
            "INCOMPLETE (interrupted), REGRESSION: 1 of 2 cases slower "
            "(worst +50.0 % in a, thresholds by case); 1 unchanged");
  comparison = with({judged_case("a", Verdict::unchanged, 1, 0, 0.01)});
  comparison.failure = "confirmation, block 3 of 12, b: no result";
  EXPECT_EQ(verdict_line(comparison),
            "INCOMPLETE (ended early): no regression found in 1 case; 1 unchanged");
  comparison.cases.clear();
  EXPECT_EQ(verdict_line(comparison), "INCOMPLETE (ended early): nothing was compared");
}

TEST(ComparisonDocument, WarningsOfCasesWithoutAChangeAreCounted) {
  auto comparison = with({judged_case("a", Verdict::unchanged, 1, 0, 0.01),
                          judged_case("b", Verdict::inconclusive, 1, 0, 0.01),
                          judged_case("c", Verdict::regression, 1, 0.5, 0.01)});
  for (auto& c : comparison.cases) c.warnings = {"throttled in 3 of 12 processes"};
  comparison.cases[0].warnings.push_back("one process only");
  EXPECT_TRUE(contains(text(comparison),
                       "warnings of cases without a change\n"
                       "  throttled in 3 of 12 processes: 2 cases\n"
                       "  one process only: 1 case\n"));
}

TEST(VerdictLine, IsOneLineWhateverTheNames) {
  auto comparison = with(
      {judged_case("a\nb\x1B[2J" + std::string(10'000, 'x'), Verdict::regression, 1, 0.5, 0.01)});
  const std::string line = verdict_line(comparison);
  EXPECT_EQ(line.find_first_of("\n\r\x1B"), std::string::npos);
  EXPECT_LT(line.size(), 400u);
}

TEST(ComparisonDocument, LooksAsItShould) {
  expect_golden("comparison.txt", text(sample_comparison(), {.color = false, .width = 80}));
}

TEST(ComparisonDocument, OfNothingSaysSo) {
  EXPECT_TRUE(text({}).starts_with("NOTHING COMPARED: no case on either side\nbase:\nnew:\n"))
      << text({});
}

TEST(ComparisonDocument, OfBlocksSaysHowTheyWereOrderedAndEnded) {
  auto comparison = sample_comparison();
  comparison.method = CompareMethod::blocks;
  comparison.interrupted = true;
  comparison.seed = 18446744073709551615u;
  EXPECT_TRUE(contains(text(comparison),
                       "order of the blocks: --seed 18446744073709551615\n  ended early, so "
                       "only whole blocks count (each measures both sides twice): interrupted\n"));
}

TEST(ComparisonDocument, TheStepOfALadderIsSaidOnce) {
  auto comparison =
      with({judged_case("faults/slow [slowdown 0 -> 10]", Verdict::regression, 1, 0.5, 0.01),
            judged_case("faults/fast [slowdown 0 -> 10]", Verdict::regression, 1, 0.2, 0.01)});
  comparison.method = CompareMethod::blocks;
  comparison.base = "slowdown=0";
  comparison.new_side = "slowdown=10";
  const auto table = text(comparison).substr(text(comparison).find("changed"));
  EXPECT_FALSE(contains(table, "slowdown")) << table;
  EXPECT_TRUE(contains(table, "\n  faults/slow  "));
  comparison.cases[1].name = "faults/slow [slowdown 10 -> 20]";
  EXPECT_TRUE(contains(text(comparison), "\n  case         slowdown  ")) << text(comparison);
  EXPECT_TRUE(contains(text(comparison), "\n  faults/slow  10 -> 20  "));
}

TEST(ComparisonDocument, CountsUnchangedCasesWhereThereAreMany) {
  const auto few = comparison_of(20, Verdict::unchanged);
  EXPECT_EQ(count(text(few), "case="), 20u);
  auto many = comparison_of(21, Verdict::unchanged);
  EXPECT_EQ(count(text(many), "case="), 0u);
  EXPECT_TRUE(
      contains(text(many), "21 cases unchanged: not listed (to list every case: --out FILE.json)"));
  many.cases.push_back(judged_case("slow", Verdict::regression, 1, 1, 0.1));
  EXPECT_TRUE(contains(text(many), "\n  slow "));
}

TEST(ComparisonDocument, CutsLongListsAndSaysSo) {
  const std::string report = text(comparison_of(5000, Verdict::missing));
  EXPECT_LT(lines_of(report).size(), 350u);
  EXPECT_TRUE(contains(report, "4900 cases missing: not listed"));
}

TEST(ComparisonDocument, SaysWhereTheNoiseComesFrom) {
  auto comparison = sample_comparison();
  const auto line = [&] {
    for (const auto& l : lines_of(text(comparison, {.color = false, .width = 1000}))) {
      if (l.starts_with("  noise")) return l;
    }
    return std::string();
  };
  EXPECT_EQ(line(), "  noise: from the differences between the processes of each side");
  const auto set = [&](NoiseSource source) {
    for (auto& c : comparison.cases) c.noise_source = source;
  };
  set(NoiseSource::nights);
  EXPECT_EQ(line(), "  noise: from how each case varies between the nights of the base");
  set(NoiseSource::calibration);
  comparison.options.calibration = "lab-7.json";
  EXPECT_EQ(line(), "  noise: from the calibration (lab-7.json)");
  comparison.cases[0].noise_source = NoiseSource::cases;
  EXPECT_EQ(line(), "  noise of 6 cases: from the calibration (lab-7.json)");
  set(NoiseSource::none);
  EXPECT_EQ(line(), "");
}

TEST(ComparisonDocument, OfFilesNamesTheSuspectsFirst) {
  Comparison comparison;
  comparison.cases = {judged_case("calm", Verdict::within_noise, 1, 0.01, 0.02),
                      judged_case("apart", Verdict::suspect, 1, 0.5, 0.02)};
  const auto lines = lines_of(text(comparison));
  EXPECT_EQ(lines.at(0),
            "SUSPECT: 1 of 2 cases is beyond its noise (farthest +50.0 % in apart)"
            "; 1 within noise");
  EXPECT_TRUE(contains(text(comparison), "noise"));
  EXPECT_FALSE(contains(text(comparison), "Holm"));
  comparison.cases.pop_back();
  EXPECT_EQ(lines_of(text(comparison)).at(0),
            "NO CLEAR CHANGE in 1 case (largest change +1.0 % in calm)");
  comparison.cases.push_back(judged_case("faster", Verdict::improvement, 1, -0.5, 0.02));
  EXPECT_EQ(lines_of(text(comparison)).at(0),
            "NO REGRESSION FOUND in 2 cases; 1 faster (best -50.0 % in faster); 1 within noise");
}

TEST(ComparisonDocument, SaysWhatWouldSettleTheOpenCases) {
  const ConsoleStyle wide{.color = false, .width = 1000};
  auto comparison = sample_comparison();
  EXPECT_TRUE(contains(text(comparison, wide), comparison.next_step + "\n"));
  comparison.method = CompareMethod::blocks;
  for (auto& c : comparison.cases) c.replicate = Replicate::block;
  EXPECT_TRUE(contains(text(comparison, wide),
                       "48 blocks would show a change as large as the threshold in 1 case\n"));
  EXPECT_FALSE(contains(text(comparison_of(3, Verdict::unchanged), wide), "to detect"));
}

TEST(ComparisonDocument, GivesTheMedianOfWhatCouldBeDetected) {
  auto comparison = comparison_of(3, Verdict::unchanged);
  comparison.cases[0].detectable = 0.5;
  comparison.cases[1].detectable = 0.02;
  comparison.cases[2].detectable = 0.01;
  EXPECT_TRUE(contains(text(comparison, {.color = false, .width = 1000}),
                       "smallest change that would exceed the noise: 2.00 % (median of 3 cases, "
                       "from 1.00 % to 50.0 %)"));
  for (auto& c : comparison.cases) {
    c.change.value = -0.1;
    c.detectable = 0.5;
  }
  for (auto& c : comparison.cases) c.detectable_other = 0.8;
  comparison.cases[0].detectable_other = 0.9;
  EXPECT_TRUE(
      contains(text(comparison, {.color = false, .width = 1000}),
               "exceed the noise: +80.0 % or -50.0 % (median of 3 cases, from 80.0 % to 90.0 % "
               "slower)"))
      << "each end is that of the column";
  for (auto& c : comparison.cases) {
    c.change.value = 0.1;
    c.detectable = 1000;
  }
  EXPECT_TRUE(contains(text(comparison, {.color = false, .width = 1000}),
                       "smallest change that would exceed the noise: unknown in 3 cases"))
      << "another unit is no size";
  for (auto& c : comparison.cases) c.change.value = 0.1;
  comparison.cases[0].detectable = 0.5;
  comparison.cases[1].detectable = 0.02;
  comparison.cases[2].detectable = 0.01;
  comparison.method = CompareMethod::blocks;
  EXPECT_TRUE(contains(text(comparison, {.color = false, .width = 1000}),
                       "smallest detectable change: 2.00 % (median of 3 cases, from 1.00 % to 50.0 "
                       "%)"));
}

TEST(ComparisonDocument, OfBlocksALargeChangeHasNoSide) {
  auto comparison = comparison_of(3, Verdict::unchanged);
  comparison.method = CompareMethod::blocks;
  for (auto& c : comparison.cases) c.detectable = 0.3;
  comparison.cases[0].detectable = 0.5;
  EXPECT_TRUE(contains(text(comparison, {.color = false, .width = 1000}),
                       "smallest detectable change: 30.0 % (median of 3 cases, from 30.0 % to "
                       "50.0 %)"));
}

TEST(ComparisonDocument, SaysWhereTheThresholdOfTheFlagGaveWay) {
  auto comparison = comparison_of(3, Verdict::unchanged);
  for (auto& c : comparison.cases) c.threshold = 0.3;
  const ConsoleStyle wide{.color = false, .width = 1000};
  EXPECT_TRUE(
      contains(text(comparison, wide), "threshold (a smaller change does not matter): 30 %\n"));
  comparison.options.threshold = 0.02;
  comparison.options.threshold_given = true;
  EXPECT_TRUE(
      contains(text(comparison, wide),
               "matter): 30 %; the threshold in the base's file overrides --threshold 2 %\n"));
  for (auto& c : comparison.cases) c.verdict = Verdict::identical;
  EXPECT_FALSE(contains(text(comparison, wide), "threshold (a smaller"))
      << "where nothing is judged";
}

TEST(ComparisonDocument, SaysOnHowManyUnitsItJudged) {
  auto comparison = comparison_of(3, Verdict::unchanged);
  EXPECT_TRUE(contains(text(comparison), "decided from 12 processes a side\n"));
  comparison.cases[1].new_units = 3;
  EXPECT_TRUE(contains(text(comparison),
                       "decided from 12 processes in the base and 3 to 12 on the new side\n"));
  for (auto& c : comparison.cases) c.replicate = Replicate::block;
  EXPECT_TRUE(contains(text(comparison), "decided from 3 to 12 blocks\n"));
  comparison.cases[2].replicate = Replicate::session;
  EXPECT_TRUE(contains(text(comparison), "decided from 12 runs a side\n"));
}

TEST(EveryComparisonReport, ToleratesNumbersThatAreNone) {
  auto comparison = sample_comparison();
  const double nan = std::nan("");
  const double infinity = std::numeric_limits<double>::infinity();
  for (auto& c : comparison.cases) {
    c.change = {nan, nan, infinity};
    c.p = c.p_adjusted = c.q = nan;
    c.detectable = infinity;
    c.threshold = nan;
    if (c.new_s > 0) c.new_s = infinity;
  }
  for (const auto format : {Format::console, Format::json, Format::markdown, Format::junit}) {
    const std::string report = written(comparison, format);
    EXPECT_FALSE(contains(report, "nan") || contains(report, "inf ") || contains(report, "inf\""))
        << report;
  }
}

}  // namespace
}  // namespace apod::show
