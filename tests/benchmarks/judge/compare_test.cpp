#include "benchmarks/judge/compare.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <random>
#include <string>

#include "benchmarks/judge/file_verdicts.hpp"
#include "tests/benchmarks/judge/sides.hpp"
#include "tests/support/texts.hpp"

namespace apod::judge {
namespace {

/// Times of one process a case, ms, around 1 and within 1 % of it.
std::vector<SideCase> quiet_cases(std::size_t count, double factor = 1) {
  std::vector<SideCase> cases;
  for (std::size_t i = 0; i < count; ++i) {
    const double wobble = 0.01 * std::sin(static_cast<double>(7 * i));
    cases.push_back(side_case("case" + std::to_string(i), {factor * (1 + wobble)}));
  }
  return cases;
}

Comparison compared(std::vector<SideCase> base, std::vector<SideCase> after,
                    const CompareOptions& options = {}) {
  return compare_sides(side_of(std::move(base)), side_of(std::move(after)), options);
}

CaseComparison compare_times(const std::vector<double>& base, const std::vector<double>& after,
                             const CompareOptions& options = {}) {
  return the_case(compared({side_case("x", base)}, {side_case("x", after)}, options));
}

TEST(CompareSides, OneValueASideIsHeldAgainstTheOtherCases) {
  const auto verdict_at = [](double factor) {
    auto after = quiet_cases(100);
    after[3].times[0].seconds *= factor;
    const auto comparison = compared(quiet_cases(100), after);
    for (std::size_t i = 0; i < 100; ++i) {
      if (i == 3) continue;
      EXPECT_EQ(comparison.cases[i].verdict, Verdict::within_noise) << i;
    }
    EXPECT_EQ(comparison.cases[3].noise_source, NoiseSource::cases);
    return comparison.cases[3].verdict;
  };
  EXPECT_EQ(verdict_at(1.2), Verdict::within_noise);
  EXPECT_EQ(verdict_at(1.5), Verdict::suspect);
  EXPECT_EQ(verdict_at(1 / 1.5), Verdict::suspect);
  EXPECT_EQ(verdict_at(5), Verdict::regression);
  EXPECT_EQ(verdict_at(0.2), Verdict::improvement);
}

TEST(CompareSides, OneValueASideAndNoOtherCaseIsItsRatio) {
  EXPECT_EQ(compare_times({1.0}, {1.3}).verdict, Verdict::within_noise);
  const auto c = compare_times({1.0}, {1.5});
  EXPECT_EQ(c.verdict, Verdict::suspect);
  EXPECT_NEAR(c.detectable.value_or(0), 0.377, 0.001);
  EXPECT_EQ(c.reason, "the change is 1.3 times the noise, on a log scale");
  EXPECT_EQ(compare_times({1.0}, {0.3}).reason, "the change is 3.8 times the noise, on a log scale")
      << "-70 % are 2.6 times 27 %, which are no distances";
  EXPECT_TRUE(std::isnan(c.change.low)) << "one process tells no spread";
  EXPECT_EQ(compare_times({44.8}, {8.4}).verdict, Verdict::improvement);
}

TEST(CompareSides, ThatThereAreNoFactsIsSaidOnce) {
  const auto told = [](double factor, double registers) {
    auto base = quiet_cases(20);
    auto after = quiet_cases(20);
    for (std::size_t i = 0; i < 5; ++i) after[i].times[0].seconds *= factor;
    if (registers > 0) base[0].facts = after[0].facts = {{"registers", registers}};
    const auto comparison = compared(base, after);
    EXPECT_TRUE(comparison.cases[1].causes.empty());
    return std::ranges::count_if(comparison.notes, [](const auto& note) {
      return contains(note, "neither side has facts");
    });
  };
  EXPECT_EQ(told(2, 0), 1);
  EXPECT_EQ(told(2, 8), 0);
  EXPECT_EQ(told(1, 0), 0) << "nothing changed";
}

TEST(CompareSides, WhatAllCasesShareIsSaidOnce) {
  const auto comparison = compared(quiet_cases(100), quiet_cases(100, 0.5));
  ASSERT_TRUE(comparison.common.has_value());
  EXPECT_EQ(comparison.common->verdict, Verdict::suspect);
  EXPECT_NEAR(comparison.common->change.value, -0.5, 0.01);
  EXPECT_EQ(comparison.count(Verdict::within_noise), 100u);
  EXPECT_TRUE(comparison.has_suspect());
}

TEST(CompareSides, AVerdictFollowsFromTheNumbersBesideIt) {
  for (const double shared : {1.0, 1.3, 2.0, 0.5}) {
    auto after = quiet_cases(8, shared);
    after[3].times[0].seconds *= 1.6;
    after[4].times[0].seconds /= 1.2;
    after[5] = quiet_cases(8)[5];
    for (const auto& c : compared(quiet_cases(8), after).cases) {
      ASSERT_TRUE(c.detectable.has_value());
      EXPECT_EQ(std::abs(c.change.value) > *c.detectable, c.verdict == Verdict::suspect)
          << c.name << ": " << c.change.value << ", noise " << *c.detectable;
    }
  }
}

TEST(CompareSides, AllThatMovedTogetherAreCounted) {
  auto base = quiet_cases(3);
  auto after = quiet_cases(3, 1.3);
  after[0].times[0].seconds *= 1.003;  // farther from the two others than they are from each other
  const auto comparison = compared(base, after);
  ASSERT_TRUE(comparison.common.has_value());
  EXPECT_EQ(comparison.common->cases, 3u);
}

/// Twelve cases that vary by 1 % from night to night, each around these levels.
Side suite_of_nights(std::mt19937& random, const std::vector<double>& levels, int first_day = 1) {
  std::normal_distribution<double> noise(0, 0.01);
  Side side;
  for (int i = 0; i < 12; ++i) {
    auto own = levels;
    for (double& level : own) level *= std::exp(noise(random));
    auto one = nights(own, first_day);
    one.cases[0].name = "case" + std::to_string(i);
    if (i == 0) {
      side = std::move(one);
    } else {
      side.cases.push_back(std::move(one.cases[0]));
    }
  }
  return side;
}

TEST(CompareSides, AStepThatTheBaseHasHadForLongerIsNoRegression) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    for (const std::size_t stepped : {4, 5, 6}) {
      std::mt19937 random(seed);
      std::vector<double> levels(10, 1);
      for (std::size_t i = 10 - stepped; i < 10; ++i) levels[i] = 1.12;
      const auto comparison =
          compare_sides(suite_of_nights(random, levels), suite_of_nights(random, {1.12}, 11), {});
      const auto where = "seed " + std::to_string(seed) + ", " + std::to_string(stepped);
      EXPECT_FALSE(comparison.has_regression()) << where;
      EXPECT_FALSE(comparison.has_suspect()) << where;
      const auto& common = comparison.common.value();
      EXPECT_NEAR(common.change.value, 0, 0.03) << where;
      EXPECT_LE(common.change.low, common.change.value) << where;
      EXPECT_GE(common.change.high, common.change.value) << where;
    }
  }
}

TEST(CompareSides, ANewStepIsToldAgainstOneLevel) {
  for (std::size_t stepped = 0; stepped <= 3; ++stepped) {
    std::mt19937 random(5);
    std::vector<double> levels(10, 1);
    for (std::size_t i = 10 - stepped; i < 10; ++i) levels[i] = 1.3;
    const auto comparison =
        compare_sides(suite_of_nights(random, levels), suite_of_nights(random, {1.3}, 11), {});
    const auto& common = comparison.common.value();
    EXPECT_EQ(common.verdict, stepped == 0 ? Verdict::suspect : Verdict::regression) << stepped;
    EXPECT_NEAR(common.change.value, 0.3, 0.03) << stepped;
    EXPECT_LE(common.change.low, common.change.value) << stepped;
    EXPECT_EQ(common.cases, 12u) << stepped;
    for (const auto& c : comparison.cases) {
      EXPECT_NEAR(c.change.value, 0.3, 0.08) << c.name << ", " << stepped;
      EXPECT_EQ(c.verdict, Verdict::within_noise) << c.name << ", " << stepped;
    }
    for (const auto& note : comparison.notes) {
      EXPECT_FALSE(contains(note, "compared with the last level")) << note;
    }
  }
}

TEST(CompareSides, AnotherHostIsTheCauseOfWhatFewCasesShare) {
  auto base = side_of(quiet_cases(8));
  auto after = side_of(quiet_cases(8, 2));
  base.sessions[0].environment["host"] = "a";
  after.sessions[0].environment["host"] = "b";
  const auto comparison = compare_sides(base, after, {});
  EXPECT_FALSE(comparison.has_suspect());
  ASSERT_TRUE(comparison.common.has_value());
  EXPECT_TRUE(comparison.common->other_machine);
  EXPECT_NEAR(comparison.common->change.value, 1, 0.02);
  after.cases[2].times[0].seconds *= 2;
  EXPECT_EQ(compare_sides(base, after, {}).cases[2].verdict, Verdict::suspect);
}

TEST(CompareSides, OneCaseOnAnotherHostConvictsNothing) {
  for (const std::size_t cases : {1, 2, 3, 20}) {
    auto base = side_of(quiet_cases(cases));
    auto after = side_of(quiet_cases(cases, 5));
    base.sessions[0].environment["host"] = "a";
    after.sessions[0].environment["host"] = "b";
    const auto comparison = compare_sides(base, after, {});
    EXPECT_EQ(comparison.count(Verdict::regression), 0u) << cases;
    EXPECT_TRUE(comparison.has_suspect()) << cases;
  }
}

TEST(CompareSides, NothingIsSureOnAnotherKindOfMachine) {
  auto base = side_of(quiet_cases(20));
  auto after = side_of(quiet_cases(20));
  base.sessions[0].environment["caches"] = "L2 512 KiB";
  after.sessions[0].environment["caches"] = "L2 1024 KiB";
  after.cases[2].times[0].seconds *= 10;
  const auto comparison = compare_sides(base, after, {});
  EXPECT_EQ(comparison.cases[2].verdict, Verdict::suspect);
  EXPECT_TRUE(contains(comparison.environment.at(0), "caches L2 512 KiB -> L2 1024 KiB"));
}

TEST(CompareSides, OnAnotherKindOfMachineNoGroupIsExpectedToAgree) {
  auto base = side_of(quiet_cases(20));
  auto after = side_of(quiet_cases(20));
  for (std::size_t i = 0; i < 7; ++i) after.cases[i].times[0].seconds *= 3;
  for (std::size_t i = 7; i < 14; ++i) after.cases[i].times[0].seconds /= 1.3;
  EXPECT_EQ(compare_sides(base, after, {}).count(Verdict::suspect), 7u);
  base.sessions[0].environment["caches"] = "L2 512 KiB";
  after.sessions[0].environment["caches"] = "L2 1024 KiB";
  EXPECT_EQ(compare_sides(base, after, {}).count(Verdict::suspect), 0u);
}

TEST(CompareSides, ACaseThatStoodStillWhileTheOthersMovedIsNotAccused) {
  auto after = quiet_cases(20, 0.5);
  after[2] = quiet_cases(20)[2];
  const auto comparison = compared(quiet_cases(20), after);
  EXPECT_EQ(comparison.cases[2].verdict, Verdict::within_noise);
}

// Each value has one of two modes, 20 % apart.
TEST(CompareSides, AShiftThatFewValuesCannotShowAccusesNoCase) {
  auto after = quiet_cases(6);
  const std::array<double, 6> factors{1.2, 1 / 1.2, 1, 1 / 1.2, 1 / 1.2, 1 / 1.2};
  for (std::size_t i = 0; i < factors.size(); ++i) after[i].times[0].seconds *= factors[i];
  EXPECT_FALSE(compared(quiet_cases(6), after).has_suspect());
}

TEST(CompareSides, ACaseThatMovedByNothingIsNoImprovementWhereAllOthersGotSlower) {
  auto after = quiet_cases(20, 5);
  after[2] = quiet_cases(20, 0.98)[2];
  EXPECT_EQ(compared(quiet_cases(20), after).cases[2].verdict, Verdict::within_noise);
}

TEST(CompareSides, AQuietCaseKeepsItsIntervalBesideNoisyOnes) {
  std::vector<SideCase> base, after;
  for (int i = 0; i < 6; ++i) {
    base.push_back(side_case("noisy" + std::to_string(i), {1, 1.3, 0.8}));
    after.push_back(side_case("noisy" + std::to_string(i), {1.1, 0.8, 1.3}));
  }
  base.push_back(side_case("quiet", {1, 1.002, 0.998}));
  after.push_back(side_case("quiet", {1.1, 1.102, 1.098}));
  const auto& quiet = compared(base, after).cases[6];
  EXPECT_GT(quiet.change.low, 0.08);
  EXPECT_EQ(quiet.verdict, Verdict::within_noise) << "three that agree may do so by chance";
}

TEST(CompareSides, AVerdictDoesNotDependOnAWildCase) {
  auto after = quiet_cases(20);
  after[3].times[0].seconds *= 1.5;
  after[4].times[0].seconds *= 40;
  after[5].times[0].seconds /= 40;
  EXPECT_EQ(compared(quiet_cases(20), after).cases[3].verdict, Verdict::suspect);
}

TEST(CompareSides, ProcessesOfBothSidesTellTheNoise) {
  const auto c = compare_times(around(1.0, 0.01), around(1.1, 0.01));
  EXPECT_EQ(c.verdict, Verdict::suspect) << "two runs alone prove nothing";
  EXPECT_EQ(c.noise_source, NoiseSource::processes);
  EXPECT_NEAR(c.change.value, 0.1, 1e-9);
  EXPECT_LT(c.change.low, 0.1);
  EXPECT_GT(c.change.low, 0.08);
  EXPECT_EQ(compare_times(around(1.0, 0.01), around(1.01, 0.01)).verdict, Verdict::within_noise);
  EXPECT_EQ(compare_times(around(1.0, 0.1), around(1.1, 0.1)).verdict, Verdict::within_noise);
  EXPECT_EQ(compare_times({1, 1, 1}, {1.02, 1.02, 1.02}).verdict, Verdict::within_noise)
      << "processes that agree don't prove that runs do";
  EXPECT_EQ(compare_times({1, 1.01}, {1.1, 1.11}).noise_source, NoiseSource::cases)
      << "two processes are no spread";
}

TEST(CompareSides, ManyThatLieFarOutAreNotThereByChance) {
  const auto suspects = [](std::size_t slower) {
    std::vector<SideCase> base, after;
    for (std::size_t i = 0; i < 20; ++i) {
      base.push_back(side_case("case" + std::to_string(i), around(1, 0.04)));
      after.push_back(side_case(base.back().name, around(i < slower ? 1.045 : 1, 0.04)));
    }
    return compared(base, after).count(Verdict::suspect);
  };
  EXPECT_EQ(suspects(1), 0u);
  EXPECT_EQ(suspects(6), 6u);
}

TEST(CompareSides, ARunAgainstThreeOfItsDayIsSure) {
  const auto verdict = [](double level, const char* day, std::size_t runs) {
    Side base = side_of({side_case("x", {})});
    base.sessions.clear();
    for (std::size_t run = 0; run < runs; ++run) {
      auto& session = base.sessions.emplace_back();
      session.environment["date"] = "2026-01-01T02:0" + std::to_string(run) + ":00Z";
      for (const double ms : {0.995, 1.0, 1.005}) {
        base.cases[0].times.push_back({ms * 1e-3, static_cast<std::uint32_t>(run)});
      }
    }
    Side after = side_of({side_case("x", {0.995 * level, level, 1.005 * level})});
    after.sessions[0].environment = {{"date", day}};
    return the_case(compare_sides(base, after, {})).verdict;
  };
  EXPECT_EQ(verdict(1.1, "2026-01-01T02:30:00Z", 3), Verdict::regression);
  EXPECT_EQ(verdict(0.9, "2026-01-01T02:30:00Z", 3), Verdict::improvement);
  EXPECT_EQ(verdict(1.1, "2026-01-02T02:30:00Z", 3), Verdict::suspect) << "another day";
  EXPECT_EQ(verdict(1.1, "2026-01-01T02:30:00Z", 2), Verdict::suspect) << "two runs";
  EXPECT_EQ(verdict(1.01, "2026-01-01T02:30:00Z", 3), Verdict::within_noise);
}

/// Twenty cases; `base_runs` runs and one more of three processes each, all of one day, which
/// differ by `of_runs`.
Comparison within_a_day(std::size_t base_runs, double of_runs, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, 1);
  const auto side_with = [&](std::size_t runs) {
    Side side = side_of({});
    side.sessions.assign(runs, {"run.json", "apod", {{"date", "2026-01-01T02:00:00Z"}}});
    for (int i = 0; i < 20; ++i) {
      auto& c = side.cases.emplace_back();
      c.name = "case" + std::to_string(i);
      for (std::uint32_t run = 0; run < runs; ++run) {
        const double level = of_runs * noise(random);
        for (int process = 0; process < 3; ++process) {
          c.times.push_back({std::exp(level + 0.002 * noise(random)), run});
        }
      }
    }
    return side;
  };
  const Side base = side_with(base_runs);
  return compare_sides(base, side_with(1), {});
}

TEST(CompareSides, ThreeRunsThatDifferMoreThanTheirProcessesConvictNothing) {
  int wrong = 0;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const auto comparison = within_a_day(3, 0.02, seed);
    wrong += comparison.count(Verdict::regression) + comparison.count(Verdict::improvement) > 0;
  }
  EXPECT_LE(wrong, 1) << "of 20 suites";
}

TEST(CompareSides, SeveralRunsOfOneProcessTellTheNoiseOfOneMore) {
  Side base = side_of({side_case("x", {})});
  base.sessions.assign(4, {"run.json", "google", {{"date", "2026-01-01T02:00:00Z"}}, true});
  for (std::uint32_t run = 0; run < 4; ++run) {
    base.cases[0].times.push_back({1e-3 + 1.234e-6 * run, run});
  }
  const auto verdict = [&](double ms, std::uint32_t runs = 1) {
    Side after = side_of({side_case("x", {})});
    after.sessions.assign(runs, base.sessions[0]);
    for (std::uint32_t run = 0; run < runs; ++run) {
      after.cases[0].times.push_back({ms * 1e-3 + 1e-9 * run, run});
    }
    return the_case(compare_sides(base, after, {}));
  };
  EXPECT_EQ(verdict(1.3).noise_source, NoiseSource::processes);
  EXPECT_EQ(verdict(1.3).verdict, Verdict::suspect) << "one run may be a wild one";
  EXPECT_EQ(verdict(1.3, 3).verdict, Verdict::regression);
  EXPECT_EQ(verdict(1.003).verdict, Verdict::within_noise);
}

TEST(CompareSides, OneWildRunOfTwoIsNoChange) {
  const auto side_with = [](double second) {
    Side side = side_of({side_case("x", {1.0})});
    side.sessions.push_back(side.sessions.front());
    side.cases[0].times.push_back({second * 1e-3, 1});
    return side;
  };
  EXPECT_NE(the_case(compare_sides(side_with(1), side_with(1600), {})).verdict,
            Verdict::regression);
  EXPECT_EQ(the_case(compare_sides(side_with(1), side_of({side_case("x", {1600})}), {})).verdict,
            Verdict::regression);
}

TEST(CompareSides, StrictNeedsAnInterval) {
  CompareOptions options;
  EXPECT_EQ(compare_times({1.0}, {5.0}, options).verdict, Verdict::regression);
  options.strict = true;
  const auto strict = the_case(compared({side_case("x", {1.0})}, {side_case("x", {5.0})}, options));
  EXPECT_EQ(strict.verdict, Verdict::suspect);
  EXPECT_TRUE(contains(strict.reason, "no interval")) << strict.reason;
}

TEST(CompareSides, AThresholdThatIsAskedForIsHeld) {
  CompareOptions options;
  options.threshold_given = true;
  options.threshold = 0.02;
  EXPECT_EQ(compare_times(around(1.0, 0.004), around(1.001, 0.004), options).verdict,
            Verdict::unchanged);
  EXPECT_EQ(compare_times(around(1.0, 0.05), around(1.001, 0.05), options).verdict,
            Verdict::inconclusive);
  EXPECT_EQ(compare_times({1.0}, {1.0}, options).verdict, Verdict::inconclusive)
      << "two equal values are no proof";
  const auto open =
      compared({side_case("x", around(1.0, 0.05))}, {side_case("x", around(1.0, 0.05))}, options);
  EXPECT_TRUE(contains(open.next_step,
                       "use --threshold 5%: this would decide 1 of the 1 inconclusive cases"))
      << open.next_step;
  options.threshold = 0.2;
  EXPECT_EQ(compare_times(around(1.0, 0.004), around(1.1, 0.004), options).verdict,
            Verdict::unchanged)
      << "it matters from 20 % on";
}

TEST(CompareSides, TheNewSideCannotLoosenItsOwnGate) {
  const auto threshold = [](double base_own, double new_own, std::optional<double> given) {
    auto base = side_case("x", around(1.0, 0.002));
    auto after = side_case("x", around(1.03, 0.002));
    base.threshold = base_own;
    after.threshold = new_own;
    CompareOptions options;
    options.threshold_given = given.has_value();
    options.threshold = given.value_or(options.threshold);
    return the_case(compared({base}, {after}, options)).threshold;
  };
  EXPECT_DOUBLE_EQ(threshold(0.02, 0.05, 0.03), 0.02) << "the base's own comes first";
  EXPECT_DOUBLE_EQ(threshold(0, 0.05, 0.03), 0.03) << "then the command line's";
  EXPECT_DOUBLE_EQ(threshold(0, 0.05, {}), 0.05);
  EXPECT_DOUBLE_EQ(threshold(0, 0, {}), 0.01);
}

TEST(CompareSides, ACalibrationTellsTheNoiseOfItsCases) {
  CompareOptions options;
  options.known_spreads["x"] = {.mean_variance = 1e-6, .mean_degrees = 9};
  const auto quiet = compare_times(around(1.0, 0.001), around(1.02, 0.001), options);
  EXPECT_EQ(quiet.verdict, Verdict::suspect);
  EXPECT_EQ(quiet.noise_source, NoiseSource::calibration);
  options.known_spreads["x"].mean_variance = 0.05 * 0.05;
  EXPECT_EQ(compare_times(around(1.0, 0.001), around(1.1, 0.001), options).verdict,
            Verdict::within_noise);
  options.known_spreads["x"] = {.mean_variance = 1e-6, .mean_degrees = 9, .one_day = true};
  EXPECT_EQ(compare_times(around(1.0, 0.001), around(1.02, 0.001), options).verdict,
            Verdict::within_noise)
      << "it knows nothing of other days";
}

TEST(CompareSides, WhatWouldSettleItFitsTheFiles) {
  const auto step_of = [](const Side& base, const Side& after) {
    return compare_sides(base, after, {}).next_step;
  };
  EXPECT_EQ(step_of(nights(ten_nights), nights({1.0}, 11)), "") << "nothing is open";
  const auto step = step_of(nights(ten_nights), nights({1.3}, 11));
  EXPECT_TRUE(contains(step, "another night")) << step;
  EXPECT_TRUE(contains(step, "bench compare --base-cmd A --new-cmd B --read google")) << step;
  EXPECT_TRUE(contains(step_of(side_of({side_case("x", {1.0})}), side_of({side_case("x", {2.0})})),
                       "add --confirm"));
  EXPECT_TRUE(contains(compared(quiet_cases(20), quiet_cases(20, 2)).next_step, "add --confirm"))
      << "change that all cases share";
  auto of_a_command = side_case("x", {2.0});
  of_a_command.facts = {{"wall_time", 2e-3}};
  EXPECT_TRUE(contains(step_of(side_of({side_case("x", {1.0})}), side_of({of_a_command})),
                       "bench compare --base-cmd OLD --new-cmd NEW"))
      << "two builds of bench would start the same program";
  Side base = nights(ten_nights);
  Side after = nights({1.3}, 11);
  for (auto* side : {&base, &after}) {
    side->cases.resize(4, side->cases[0]);
    for (std::size_t i = 0; i < 4; ++i) side->cases[i].name = "case" + std::to_string(i);
  }
  EXPECT_TRUE(contains(step_of(base, after), "decides the change that all cases share"));
}

/// Twenty cases, so many runs a side within a day, of 1 % noise; the first takes `factor` times as
/// long on the new side.
Comparison of_runs(std::size_t runs, double factor, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, 0.01);
  const auto side_with = [&](double of_first) {
    Side side = side_of({});
    side.sessions.clear();
    for (std::size_t run = 0; run < runs; ++run) {
      side.sessions.push_back({"run.json", "pytest", {{"date", "2026-01-01T02:00:00Z"}}, true});
    }
    for (int i = 0; i < 20; ++i) {
      auto& c = side.cases.emplace_back();
      c.name = "case" + std::to_string(i);
      for (std::uint32_t run = 0; run < runs; ++run) {
        c.times.push_back({(i == 0 ? of_first : 1) * std::exp(noise(random)), run});
      }
    }
    return side;
  };
  const Side base = side_with(1);
  return compare_sides(base, side_with(factor), {});
}

TEST(CompareSides, TheRunsThatAreProposedDecide) {
  for (const double factor : {1.5, 1 / 1.5, 2.0}) {
    std::size_t proposed = 0;
    std::size_t decided = 0;
    constexpr std::uint32_t tries = 100;
    for (std::uint32_t seed = 0; seed < tries; ++seed) {
      const auto one = of_runs(1, factor, seed);
      if (!contains(one.next_step, " runs per side within 6 h to decide 1 of 1 suspect")) continue;
      ++proposed;
      const auto runs = std::stoul(one.next_step.substr(one.next_step.find_first_of("123456789")));
      const auto verdict = of_runs(runs, factor, seed + tries).cases[0].verdict;
      decided += verdict == (factor > 1 ? Verdict::regression : Verdict::improvement) ? 1 : 0;
    }
    EXPECT_GE(proposed, 60U) << factor;
    EXPECT_GE(static_cast<double>(decided), 0.9 * static_cast<double>(proposed)) << factor;
  }
}

TEST(CompareSides, NothingInCommonJudgesNothing) {
  const auto comparison = compared({side_case("a", {1, 1})}, {side_case("b", {1, 1})});
  EXPECT_EQ(comparison.count(Verdict::missing), 1u);
  EXPECT_EQ(comparison.count(Verdict::added), 1u);
  EXPECT_TRUE(compare_sides(side_of({}), side_of({}), {}).cases.empty());
}

TEST(CompareSides, AnotherPeriodOfTheLaunchPhaseIsNoted) {
  const auto with_periods = [](const std::vector<double>& periods) {
    auto cases = quiet_cases(periods.size());
    for (std::size_t i = 0; i < periods.size(); ++i) {
      cases[i].facts = {{"phase_period", periods[i]}};
    }
    return cases;
  };
  const std::string text = "phases of launches now have a different period";
  const auto changed = compared(with_periods({8, 1, 8, 4}), with_periods({3, 1, 3, 4}));
  EXPECT_TRUE(has_note(changed, text + ": 8 -> 3 in case0 and 1 more"));
  EXPECT_FALSE(has_note(compared(with_periods({8, 8, 4}), with_periods({8, 8, 8})), text));
  EXPECT_FALSE(has_note(compared(with_periods({1, 1}), with_periods({1, 1})), text));
  EXPECT_FALSE(has_note(compared(with_periods({8, 2, 16}), with_periods({4, 4, 8})), text))
      << "times that repeat after four launches repeat after eight";
}

TEST(CompareSides, PhasesThatWeighOtherwiseOnOneSideAreNoted) {
  const auto short_case = [](const Facts& facts, double ms = 0.005) {
    auto c = side_case("x", {ms, ms});
    c.facts = facts;
    return c;
  };
  const std::string text = "the phases of launches have equal weight only ";
  const Facts none, equal{{"phases_visited", 8}}, few{{"phases_visited", 4}};
  const Facts older{{"phase_period", 8}}, third{{"phase_period", 3}, {"phases_visited", 8}};
  for (const auto& [a, b] : {std::pair{none, equal}, {few, equal}, {third, equal}, {older, few}}) {
    EXPECT_TRUE(has_note(compared({short_case(a)}, {short_case(b)}), text + "in x: see"));
    EXPECT_TRUE(has_note(compared({short_case(b)}, {short_case(a)}), text + "in x: see"));
    EXPECT_FALSE(has_note(compared({short_case(a, 1)}, {short_case(b, 1)}), text))
        << "of a long case they don't matter";
  }
  for (const auto& [a, b] : {std::pair{none, none}, {none, few}, {older, equal}, {few, third}}) {
    EXPECT_FALSE(has_note(compared({short_case(a)}, {short_case(b)}), text));
  }
}

}  // namespace
}  // namespace apod::judge
