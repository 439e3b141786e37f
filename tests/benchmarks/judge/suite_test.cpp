#include "benchmarks/judge/suite.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "benchmarks/judge/compare.hpp"
#include "benchmarks/judge/judge.hpp"
#include "tests/benchmarks/judge/sides.hpp"
#include "tests/support/texts.hpp"

namespace apod::judge {
namespace {

/// Estimates of three processes a side whose changes are normal with this deviation.
std::vector<FileEstimate> estimates_of(std::size_t count, double deviation, double shift = 0) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  std::vector<FileEstimate> estimates(count);
  for (auto& estimate : estimates) {
    estimate.change = shift + deviation * normal(random);
    estimate.known = {1e-8, 8};
    estimate.assumed = {8e-4, degrees_of_assumptions};
    estimate.base_processes = estimate.new_processes = 3;
  }
  return estimates;
}

TEST(Suite, LearnsTheSpreadFromItsOwnDifferences) {
  auto estimates = estimates_of(200, 0.01);
  const Suite suite(estimates);
  EXPECT_EQ(estimates[0].session_source, SessionSource::suite);
  EXPECT_NEAR(suite.beyond(estimates[0]).standard_error, 0.01, 0.0015);
  EXPECT_LE(suite.beyond(estimates[0]).degrees, 6);
}

TEST(Suite, TooFewCasesSayNothing) {
  auto estimates = estimates_of(19, 0.01);
  const Suite suite(estimates);
  EXPECT_FALSE(suite.speaks());
  EXPECT_EQ(estimates[0].session_source, SessionSource::assumed);
  EXPECT_DOUBLE_EQ(suite.beyond(estimates[0]).mean, estimates[0].change);
}

TEST(Suite, TakesOutWhatAllShare) {
  auto estimates = estimates_of(100, 0.001, 0.15);
  const Suite suite(estimates);
  EXPECT_NEAR(suite.shift(), 0.15, 0.0005);
  EXPECT_LT(std::abs(suite.beyond(estimates[0]).mean), 0.005);
}

TEST(Suite, ManyThatChangedAreNeitherTheSpreadNorTheShift) {
  for (const std::size_t changed : {6, 20, 55}) {
    auto estimates = estimates_of(100, 0.001);
    for (std::size_t i = 0; i < changed; ++i) estimates[i].change += 0.1;
    const Suite suite(estimates);
    EXPECT_EQ(suite.body(), 100 - changed);
    EXPECT_NEAR(suite.shift(), 0, 0.0005);
    const auto beyond = suite.beyond(estimates[0]);
    EXPECT_NEAR(beyond.mean, 0.1, 0.005);
    EXPECT_LT(beyond.standard_error, 0.002);
    EXPECT_GT(beyond.degrees, 3);
  }
}

TEST(Suite, AKnownSpreadIsNotBelievedAgainstAllCases) {
  auto estimates = estimates_of(100, 0.01);
  for (auto& estimate : estimates) {
    estimate.known = {1e-6, 40};
    estimate.assumed = {};
    estimate.session_source = SessionSource::calibration;
  }
  const Suite suite(estimates);
  EXPECT_GT(suite.beyond(estimates[0]).standard_error, 0.007);
  for (auto& estimate : estimates) estimate.change /= 10;
  EXPECT_NEAR(Suite(estimates).beyond(estimates[0]).standard_error, 0.001, 0.0001)
      << "by chance alone nothing is widened";
}

TEST(Suite, ModesSeenElsewhereMayHaveMadeThisChange) {
  auto estimates = estimates_of(100, 0.001);
  for (std::size_t i = 0; i < 50; ++i) estimates[i].range = 0.2;
  estimates[99].change = 0.2;
  const Suite suite(estimates);
  EXPECT_DOUBLE_EQ(suite.chance_of_modes(estimates[99]), 0.5 / 32);
  estimates[99].change = 0.3;
  EXPECT_EQ(suite.chance_of_modes(estimates[99]), 0) << "no two processes lie so far apart";
}

/// Sides of `count` cases, `processes` each, whose first `slower` cases are slower by `slowdown`
/// and all by `shift`.
class TwoFiles {
 public:
  TwoFiles(int count, int processes, double slowdown, double shift = 0) {
    for (int i = 0; i < count; ++i) {
      const auto name = "case" + std::to_string(i);
      base_.push_back(side_case(name, times(processes, 1)));
      new_.push_back(side_case(name, times(processes, (1 + shift) * (i == 0 ? 1 + slowdown : 1))));
    }
  }
  Comparison compare(const CompareOptions& options = {}) {
    return compare_sides(side_of(base_), side_of(new_), options);
  }

 private:
  /// One session's level, and processes around it.
  std::vector<double> times(int processes, double factor) {
    const double level = 0.005 * normal_(random_);
    std::vector<double> times;
    for (int p = 0; p < processes; ++p) {
      times.push_back(factor * std::exp(level + 0.004 * normal_(random_)));
    }
    return times;
  }
  std::mt19937_64 random_{2};
  std::normal_distribution<double> normal_;
  std::vector<SideCase> base_;
  std::vector<SideCase> new_;
};

TEST(CompareSuites, ThreeProcessesFindALargeChangeAmongManyCases) {
  const auto comparison = TwoFiles(100, 3, 0.15).compare();
  EXPECT_EQ(comparison.cases[0].verdict, Verdict::regression);
  EXPECT_EQ(comparison.count(Verdict::regression), 1u);
  EXPECT_EQ(comparison.cases[1].session_source, SessionSource::suite);
}

TEST(CompareSuites, ThreeProcessesOfFewCasesConvictNobody) {
  const auto comparison = TwoFiles(6, 3, 0.5).compare();
  const auto& c = comparison.cases[0];
  EXPECT_EQ(c.verdict, Verdict::inconclusive);
  EXPECT_TRUE(contains(c.reason, "3 and 3 processes")) << c.reason;
  EXPECT_FALSE(c.detectable.has_value());
  EXPECT_TRUE(contains(comparison.next_step, "--confirm"));
}

/// The verdict on one case of 58: its change, and what it is beyond what all share.
CaseComparison judged(double change, double beyond, double standard_error, bool usual = false) {
  Comparison comparison;
  comparison.cases.resize(58);
  std::vector<Evidence> evidence;
  for (std::size_t i = 0; i < 58; ++i) {
    comparison.cases[i].threshold = 0.01;
    const bool first = i == 0;
    evidence.push_back({.index = i,
                        .difference = {first ? change : 0.1, standard_error, 20},
                        .beyond = {first ? beyond : 0, standard_error, 20},
                        .shift_is_usual = usual});
  }
  judge(evidence, comparison);
  return comparison.cases[0];
}

TEST(Judge, ACaseThatStoodStillWhileTheOthersMovedIsNotFaster) {
  const auto still = judged(-0.015, -0.115, 0.01);
  EXPECT_LT(still.p_adjusted, 0.01) << "beyond what all share";
  EXPECT_EQ(still.verdict, Verdict::inconclusive);
  EXPECT_TRUE(contains(still.reason, "stood still while the others moved"));
}

TEST(Judge, WithoutASharedShiftEveryStepOfHolmConvicts) {
  Comparison comparison;
  comparison.options.alpha = 0.1;
  comparison.cases.resize(2);
  std::vector<Evidence> evidence;
  // p of 1e-5 and 0.07: at the first step alpha / 2 is asked, at the second alpha.
  for (const double change : {0.05, 0.019}) {
    const stats::MeanEstimate estimate{change, 0.01, 20};
    comparison.cases[evidence.size()].threshold = 0.01;
    evidence.push_back({.index = evidence.size(), .difference = estimate, .beyond = estimate});
  }
  judge(evidence, comparison);
  EXPECT_GT(comparison.cases[1].p, 0.05);
  EXPECT_EQ(comparison.cases[1].verdict, Verdict::regression);
}

TEST(Judge, UnlessThatIsHowTheMachineMoves) {
  EXPECT_EQ(judged(-0.015, -0.115, 0.01, true).verdict, Verdict::improvement);
}

TEST(Judge, WhatIsSlowerByItselfAndBeyondTheOthersIsARegression) {
  EXPECT_EQ(judged(0.077, 0.18, 0.0005).verdict, Verdict::regression)
      << "though the others got faster by more";
}

TEST(CompareSuites, TwoProcessesHaveNoInterval) {
  const auto comparison = TwoFiles(100, 2, 0.5).compare();
  EXPECT_EQ(comparison.cases[0].verdict, Verdict::inconclusive);
  EXPECT_TRUE(std::isnan(comparison.cases[0].change_low));
}

TEST(CompareSuites, WhatAllCasesShareIsJudgedOnce) {
  const auto comparison = TwoFiles(100, 5, 0, 0.3).compare();
  EXPECT_EQ(comparison.count(Verdict::regression), 0u);
  EXPECT_EQ(comparison.count(Verdict::unchanged), 0u) << "no case is cleared by it";
  ASSERT_TRUE(comparison.common.has_value());
  EXPECT_EQ(comparison.common->verdict, Verdict::regression);
  EXPECT_NEAR(comparison.common->change, 0.3, 0.01);
  EXPECT_TRUE(comparison.has_regression());
  const auto faster = TwoFiles(100, 5, 0.35, -0.3).compare();
  EXPECT_NE(faster.cases[0].verdict, Verdict::regression) << "it did not get slower";
}

TEST(CompareSuites, ASharedShiftThatMayBeChanceConvictsNobody) {
  const auto comparison = TwoFiles(100, 5, 0, 0.05).compare();
  EXPECT_EQ(comparison.common->verdict, Verdict::inconclusive);
  EXPECT_FALSE(comparison.has_regression());
}

}  // namespace
}  // namespace apod::judge
