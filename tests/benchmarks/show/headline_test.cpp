#include <gtest/gtest.h>

#include <algorithm>

#include "benchmarks/show/run_result.hpp"
#include "tests/benchmarks/show/study.hpp"
#include "tests/support/texts.hpp"

namespace apod::show {
namespace {

std::string headline_of(const Result& result) {
  return headlines(result, summarize(result)).front();
}

TEST(Headline, TheBestAgainstItsBaselineAndWhatDoesNearlyAsWell) {
  EXPECT_TRUE(contains(headline_of(streams_study()), "Yes: 8 streams save 25.00 % ±"));
  EXPECT_TRUE(contains(headline_of(streams_study()), ", and 4 already save 24.67 %"));
}

TEST(Headline, ABaselineThatIsTheFastest) {
  const auto text = headline_of(
      study({{at({{"streams", 1}}), about(1e-3)}, {at({{"streams", 2}}), about(1.5e-3), 0}}));
  EXPECT_TRUE(text.starts_with("2 streams take 50.00 % ")) << "no Yes: " << text;
  EXPECT_TRUE(contains(text, " longer than 1 stream"));
}

TEST(Headline, WhatPrintsAsNoDifferenceIsTheSameTime) {
  const auto of = [](double time_s) {
    return headline_of(
        study({{at({{"streams", 1}}), {1e-3}}, {at({{"streams", 2}}), {time_s}, 0}}));
  };
  for (const double time_s : {1e-3, 1.00004e-3, 0.99996e-3}) {
    EXPECT_TRUE(of(time_s).starts_with("2 streams take the same time as 1 stream (no interval"))
        << of(time_s);
  }
  EXPECT_TRUE(contains(of(1.0002e-3), "2 streams take 0.02 % longer"));
}

TEST(Headline, ADifferenceThatMayBeChance) {
  const auto text = headline_of(study({{at({{"streams", 1}}), {1.00e-3, 1.10e-3, 1.05e-3}},
                                       {at({{"streams", 2}}), {1.08e-3, 0.99e-3, 1.06e-3}, 0}}));
  EXPECT_TRUE(contains(text, "2 streams are not clearly different from 1 stream ("));
}

TEST(Headline, OfFewPairsThatDifferAlikeTheLosersAreTold) {
  const auto of = [](const std::vector<double>& changes) {
    std::vector<StudyCase> cases;
    for (const double change : changes) {
      const auto base = cases.size();
      const auto size = static_cast<std::int64_t>(1000 * (base + 1));
      cases.push_back({at({{"size", size}, {"tile", 1}}), about(1e-3)});
      cases.push_back({at({{"size", size}, {"tile", 2}}), about(change * 1e-3), base});
    }
    return headline_of(study(cases));
  };
  const auto mixed = of({1.5, 0.9, 1.5});
  EXPECT_TRUE(contains(mixed, "tile = 2 is faster than tile = 1 in 1 of 3 cases and slower in 2"))
      << mixed;
  const auto none = of({1.4, 1});
  EXPECT_TRUE(contains(none, "is slower than tile = 1 in 1 of 2 cases and not clearly different"))
      << none;
  EXPECT_TRUE(contains(of({0.8, 0.9, 1}), "tile = 2 saves 20.00 %")) << "none loses";
}

TEST(Headline, ACaseOfWhichLittleIsKnownIsNoWinner) {
  const std::vector<double> unknown{0.01e-3, 0.2e-3, 3e-3};
  const std::vector<double> vague{0.9e-3, 0.5e-3, 0.6e-3};
  // Against a baseline: a decided saving, however much less an undecided one may need.
  EXPECT_TRUE(contains(headline_of(study({{at({{"streams", 1}}), about(1e-3)},
                                          {at({{"streams", 2}}), about(0.9e-3), 0},
                                          {at({{"streams", 4}}), unknown, 0},
                                          {at({{"streams", 8}}), vague, 0}})),
                       "2 streams save 10.00 % ±"));
  // Only where nothing is shown, the best guess is named for what it is.
  EXPECT_TRUE(contains(
      headline_of(study({{at({{"streams", 1}}), about(1e-3)},
                         {at({{"streams", 2}}), about(1.1e-3), 0},
                         {at({{"streams", 4}}), unknown, 0}})),
      "No case beats its baseline: at best, 4 streams are not clearly different from 1 stream"));
  // Of all problems: the largest is not the one where least is lost.
  EXPECT_TRUE(contains(headline_of(study({{at({{"size", 1000}, {"tile", 1}}), about(1e-3)},
                                          {at({{"size", 1000}, {"tile", 2}}), about(1.05e-3), 0},
                                          {at({{"size", 1000}, {"tile", 4}}), about(1.3e-3), 0},
                                          {at({{"size", 9000}, {"tile", 1}}), about(5e-3)},
                                          {at({{"size", 9000}, {"tile", 2}}), about(6e-3), 3},
                                          {at({{"size", 9000}, {"tile", 4}}), about(7e-3), 3}})),
                       "No case beats its baseline: at best, tile = 2 takes 5.0"));
  // A smaller problem that gains is named, and so is the larger one that doesn't.
  const auto text = headline_of(study({{at({{"size", 1000}, {"threads", 1}}), about(1e-3)},
                                       {at({{"size", 1000}, {"threads", 4}}), about(0.8e-3), 0},
                                       {at({{"size", 9000}, {"threads", 1}}), about(5e-3)},
                                       {at({{"size", 9000}, {"threads", 4}}), about(5.1e-3), 2}}));
  EXPECT_TRUE(contains(text, "4 threads save 20.00 % of the time of 1 thread")) << text;
  EXPECT_TRUE(contains(text, "with size 1e3; no case is faster with size 9e3")) << text;
  // A share of a limit, and the least time, are held against the end of the interval.
  const auto sizes = [&](double bytes) {
    return headline_of(study({{at({{"size", 1000}}), about(0.5e-3), {}, bytes},
                              {at({{"size", 2000}}), unknown, {}, bytes}}));
  };
  EXPECT_TRUE(contains(sizes(0.5e9), "size 1000 reaches 25.0 % of the theoretical memory peak"));
  EXPECT_TRUE(contains(sizes(4), "The fastest of 2 cases takes 500.0 us"));
}

TEST(Headline, WithoutThreeProcessesThereIsNoInterval) {
  const auto text =
      headline_of(study({{at({{"streams", 1}}), {2e-3}}, {at({{"streams", 2}}), {1e-3}, 0}}));
  EXPECT_TRUE(contains(text, "2 streams are 2 times as fast as 1 stream"));
  EXPECT_TRUE(contains(text, "no interval"));
}

TEST(Headline, OfSeveralBaselinesThatOfTheLargestProblem) {
  const auto text = headline_of(study({{at({{"size", 1}}), about(1e-6), {}, 4, "cub"},
                                       {at({{"size", 1000}}), about(1e-3), {}, 4e3, "cub"},
                                       {at({{"size", 1}}), about(0.1e-6), 0, 4, "mine"},
                                       {at({{"size", 1000}}), about(0.9e-3), 1, 4e3, "mine"}}));
  EXPECT_TRUE(contains(text, "mine saves 10.00 %"));
  EXPECT_TRUE(contains(text, "with size 1000"));
}

TEST(Headline, WhereTheSameChangeLosesElsewhereItSaysSo) {
  const auto text =
      headline_of(study({{at({{"accumulator", "fp32"}}), about(2e-3), {}, 4e6, "direct"},
                         {at({{"accumulator", "fp64"}}), about(1.8e-3), 0, 4e6, "direct"},
                         {at({{"accumulator", "fp32"}}), about(0.5e-3), {}, 4e6, "register_tile"},
                         {at({{"accumulator", "fp64"}}), about(0.9e-3), 2, 4e6, "register_tile"}}));
  EXPECT_TRUE(contains(text, "accumulator = fp64 saves 10.00 %")) << text;
  EXPECT_TRUE(contains(text, "; with register_tile, it takes 80.00 %")) << text;
}

TEST(Headline, OfThoseThatWinEquallyOftenTheOneThatSavesMost) {
  std::vector<StudyCase> cases;
  for (std::int64_t k = 0; k < 5; ++k) {
    const auto size = at({{"size", 1000 << k}});
    const auto base = cases.size();
    cases.push_back({size, about(1e-3), {}, 4e3, "cub"});
    cases.push_back({size, about(0.9e-3), base, 4e3, "careful"});
    cases.push_back({size, about(0.7e-3), base, 4e3, "mine"});
  }
  EXPECT_TRUE(contains(headline_of(study(cases)),
                       "mine is faster than cub in 5 of 5 cases (median saving: 30.0 %)"));
}

TEST(Headline, TheMedianIsThatOfTheCasesItCounts) {
  std::vector<StudyCase> cases;
  for (const double saved : {0.1, 0.2, 0.3, -0.5, -0.6}) {
    const auto size = at({{"size", std::int64_t{1000} + std::ssize(cases)}});
    const auto base = cases.size();
    cases.push_back({size, about(1e-3), {}, 4e3, "cub"});
    cases.push_back({size, about((1 - saved) * 1e-3), base, 4e3, "mine"});
  }
  EXPECT_TRUE(contains(headline_of(study(cases)),
                       "mine is faster than cub in 3 of 5 cases (median saving: 20.0 %)"))
      << headline_of(study(cases));
}

TEST(Headline, HasTheEnergyThatWasMeasured) {
  auto result = study({{at({{"size", 1000}}), about(2e-3), {}, 4}});
  for (auto& measurement : result.measurements) measurement.facts["energy"] = 0.3214;
  EXPECT_TRUE(contains(headline_of(result), "takes 2.000 ms ±")) << headline_of(result);
  EXPECT_TRUE(contains(headline_of(result), " and 321.4 mJ")) << headline_of(result);
}

TEST(Headline, HowNearToThePeakWithoutABaseline) {
  const auto text = headline_of(
      study({{at({{"size", 1000}}), about(2e-6)}, {at({{"size", 2000}}), about(2e-6), {}, 6e6}}));
  EXPECT_TRUE(contains(text, "size 2000 reaches 75.0 % of the theoretical memory peak"));
}

TEST(Headline, TheFastestWhereNoPeakIsNear) {
  const auto text = headline_of(study({{at({{"word", std::string("one")}}), about(2e-3), {}, 4},
                                       {at({{"word", std::string("two")}}), about(1e-3), {}, 4}}));
  EXPECT_TRUE(contains(text, "The fastest of 2 cases takes 1.000 ms"));
  EXPECT_TRUE(contains(text, "word two"));
}

TEST(Headline, NoCaseOfUnlikeWorkIsTheFastest) {
  auto result = study({{at({{"word", std::string("one")}}), about(2e-3), {}, 4},
                       {at({{"word", std::string("two")}}), about(1e-3), {}, 4},
                       {at({{"word", std::string("six")}}), about(3e-3), {}, 4}});
  result.plan.experiments[0].command.emplace();
  const auto text = headline_of(result);
  EXPECT_TRUE(contains(text, "The time of 3 cases goes from 1.000 ms ±")) << text;
  EXPECT_TRUE(contains(text, "(word two) to 3.000 ms ±") && contains(text, "(word six)")) << text;
  for (auto& measurement : result.measurements) measurement.samples_s = {1e-3, 1e-3, 1e-3};
  EXPECT_EQ(headline_of(result), "The time of each of 3 cases is 1.000 ms");
}

TEST(Headline, OfCollectivesTheHighestBusBandwidthCounts) {
  auto result = study({{at({{"size", 0}}), about(1e-3), {}, 0},
                       {at({{"size", 8000}}), about(2e-3), {}, 0},
                       {at({{"size", 64000}}), about(3e-3), {}, 0}});
  result.plan.experiments[0].command.emplace();
  for (auto& measurement : result.measurements) {
    measurement.facts["bus_bandwidth"] = 1e9 * static_cast<double>(measurement.case_index);
  }
  EXPECT_TRUE(contains(headline_of(result), "The highest bus bandwidth of 2 cases is 2.00 GB/s"))
      << headline_of(result) << ": the one of no bytes has none";
}

TEST(Headline, WhatIsNotShownToDifferIsSaid) {
  const auto text = headline_of(study({{at({{"word", std::string("one")}}), about(1e-3), {}, 4},
                                       {at({{"word", std::string("two")}}), about(1e-3), {}, 4}}));
  EXPECT_TRUE(contains(text, "word one, not clearly different from word two")) << text;
}

TEST(Headline, OtherWordsOnTheAxisFollowTheBest) {
  const auto text = headline_of(study({{at({{"size", 8}}), about(92e-3), {}, 4, "double"},
                                       {at({{"size", 8}}), about(92.5e-3), 0, 4, "repaired"},
                                       {at({{"size", 8}}), about(1e-3), 0, 4, "tile"}}));
  EXPECT_TRUE(contains(text, "tile is 92 times as fast as double; repaired takes 0.54 % "));
  EXPECT_TRUE(contains(text, " longer than double")) << text;
}

/// Another experiment of the study, whose cases are compared with those of the first.
Result beside(const std::vector<double>& alone, const std::vector<double>& together) {
  std::vector<StudyCase> cases;
  for (const double time : alone) cases.push_back({at({}), about(time)});
  for (std::size_t i = 0; i < together.size(); ++i)
    cases.push_back({at({}), about(together[i]), i});
  auto result = study(cases);
  result.plan.experiments[0].name = "alone";
  result.plan.experiments.push_back(result.plan.experiments[0]);
  result.plan.experiments[1].name = "beside";
  for (std::size_t i = alone.size(); i < result.plan.cases.size(); ++i) {
    result.plan.cases[i].experiment = 1;
  }
  return result;
}

TEST(Headline, AnExperimentAgainstAnother) {
  const auto result = beside({1e-3}, {3e-3});
  const auto lines = headlines(result, summarize(result));
  ASSERT_EQ(lines.size(), 1u) << "the baselines are in its sentence";
  EXPECT_EQ(lines[0], "beside takes 3 times (±0.00 %) as long as alone");
  EXPECT_EQ(headline_of(beside({1, 1, 1, 1, 1}, {1.1, 1.1, 1.1, 1.1, 1.2})),
            "beside is slower than alone in 5 of 5 cases (median loss: 10.0 %)");
}

TEST(Headline, EachExperimentHasALine) {
  auto result = beside({1e-6, 1e-6}, {2e-6, 3e-6});
  for (auto& c : result.plan.cases) c.baseline.reset();
  result.measurements[0].failed = "verify: the sum is wrong";
  const auto lines = headlines(result, summarize(result));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_TRUE(lines[0].starts_with("1 of 4 cases failed; the first is sums/plain: "));
  EXPECT_TRUE(lines[1].starts_with("alone "));
  EXPECT_TRUE(lines[2].starts_with("beside "));
}

TEST(Headline, MissedExpectationsComeFirst) {
  auto result = streams_study();
  result.expectations = {{0, "overlap > 0.5", "overlap is 0.1", RuleState::missed, {}},
                         {1, "overlap > 0", "overlap is 0.1", RuleState::met, {}}};
  EXPECT_EQ(headline_of(result),
            "1 of 2 expectations not met: overlap > 0.5 was expected, but overlap is 0.1");
}

/// The case of a double, of its repair and of a tile, at some sizes.
Result repairs(const std::vector<std::vector<double>>& times) {
  std::vector<StudyCase> cases;
  const std::vector<std::string> variants{"double", "repaired", "tile"};
  for (std::size_t v = 0; v < variants.size(); ++v) {
    for (std::size_t size = 0; size < times.size(); ++size) {
      const auto baseline = v == 0 ? std::nullopt : std::optional(size);
      const double time = times[size].at(v);
      cases.push_back({at({{"size", std::int64_t{8} << size}}),
                       time > 0 ? about(time) : std::vector<double>{}, baseline, 4, variants[v]});
    }
  }
  return study(cases);
}

Result asked_of(Result result, const std::vector<std::string>& variants) {
  for (auto& c : result.plan.cases) {
    c.answers =
        c.baseline && std::find(variants.begin(), variants.end(), c.variant) != variants.end();
  }
  return result;
}

TEST(Answer, IsOfWhatTheStudyAsksAndNotOfTheBest) {
  const auto result = repairs({{92e-3, 92.5e-3, 1e-3}});
  EXPECT_TRUE(contains(headline_of(result), "tile is 92 times"));
  EXPECT_TRUE(contains(headline_of(asked_of(result, {"repaired"})), "repaired takes 0.54 % ±"));
  // A sentence for each thing that is compared, in the order of the file.
  const auto both = asked_of(result, {"repaired", "tile"});
  const auto lines = headlines(both, summarize(both));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lines[0].starts_with("repaired takes 0.54 % ±"));
  EXPECT_TRUE(lines[1].starts_with("tile is 92 times as fast")) << lines[1];
}

TEST(Answer, OfManyCasesIsHowManyAndFromWhereToWhere) {
  const auto all = headline_of(asked_of(repairs({{1, 1.1, 1}, {2, 2.6, 2}}), {"repaired"}));
  EXPECT_TRUE(contains(all, "repaired is slower than double in all 2 cases: from 10.00 % ±"))
      << all;
  EXPECT_TRUE(contains(all, " longer with size 8 to 30.00 % ")) << all;
  EXPECT_TRUE(all.ends_with("longer with size 16")) << all;
  const auto mixed =
      headline_of(asked_of(repairs({{1, 1.1, 1}, {2, 0.5, 2}, {4, 4, 4}}), {"repaired"}));
  EXPECT_TRUE(contains(mixed,
                       "repaired is faster than double in 1 of 3 cases, slower in 1 and not "
                       "clearly different in 1: from 4 times (±"))
      << mixed;
  EXPECT_TRUE(contains(mixed, ") as fast with size 16 to 10.00 % ±")) << mixed;
}

TEST(Answer, SaysWhatWasNotMeasured) {
  const auto result = asked_of(repairs({{1, 1.1, 1}, {2, 0, 2}}), {"repaired"});
  const auto part = headlines(result, summarize(result));
  ASSERT_EQ(part.size(), 2u);
  EXPECT_TRUE(part[0].starts_with("1 of 6 cases failed"));
  EXPECT_TRUE(part[1].starts_with("repaired takes 10.00 % ±")) << part[1];
  EXPECT_TRUE(part[1].ends_with("(1 of 2 cases were not measured)")) << part[1];
  const auto none = asked_of(repairs({{1, 0, 1}}), {"repaired"});
  EXPECT_EQ(
      headlines(none, summarize(none)).back(),
      "Not answered: repaired against double: sums/repaired/size:8: verify: the sum is wrong");
}

TEST(Headline, WhereNothingWasMeasuredItSaysWhy) {
  EXPECT_TRUE(contains(headline_of(study({{at({{"size", 1}}), {}}})),
                       "Nothing was measured: 1 failed (first: verify: the sum is wrong)"));
  auto skipped = study({{at({{"size", 1}}), about(1)}});
  skipped.measurements.clear();
  skipped.plan.cases[0].skip = "no GPU";
  EXPECT_EQ(headline_of(skipped), "Nothing was measured: 1 skipped (first: no GPU)");
  EXPECT_EQ(headline_of(study({})), "Nothing was measured: the plan has no case");
}

}  // namespace
}  // namespace apod::show
