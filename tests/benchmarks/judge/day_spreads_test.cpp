#include "benchmarks/judge/day_spreads.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>

#include "tests/benchmarks/judge/sides.hpp"

namespace apod::judge {
namespace {

/// `cases` of one process a day whose ln time is `level(case, day)`.
DaySpreads spreads_of(std::size_t cases, std::size_t days,
                      const std::function<double(std::size_t, std::size_t)>& level) {
  Side side;
  side.sessions.resize(days);
  for (std::size_t i = 0; i < days; ++i) {
    side.sessions[i].environment["date"] = "2026-01-" + std::to_string(10 + i);
  }
  std::vector<SideLogs> logs;
  std::vector<const SideLogs*> all;
  const auto of_side = days_of(side);
  for (std::size_t i = 0; i < cases; ++i) {
    SideCase c;
    for (std::uint32_t day = 0; day < days; ++day) {
      const double ln_s = level(i, day);
      if (std::isfinite(ln_s)) c.times.push_back({std::exp(ln_s), day});
    }
    logs.emplace_back(c, side, of_side);
  }
  for (const auto& one : logs) all.push_back(&one);
  return day_spreads(all, std::vector<stats::VarianceEstimate>(cases));
}

class DaySpreadsTest : public testing::Test {
 protected:
  std::mt19937_64 random_{5};
  std::normal_distribution<double> normal_;
};

TEST_F(DaySpreadsTest, NormalDaysGiveTheirVarianceAndNoTails) {
  const auto spreads = spreads_of(100, 10, [&](auto, auto) { return 0.01 * normal_(random_); });
  double mean = 0;
  for (const auto& known : spreads.cases) mean += known.mean_variance / 100;
  EXPECT_NEAR(std::sqrt(mean), 0.01, 0.001);
  EXPECT_NEAR(spreads.cases[0].tails.scale, 1, 0.1);
  EXPECT_GT(spreads.cases[0].tails.degrees, 20);
  EXPECT_EQ(spreads.cases[0].processes, 1);
}

TEST_F(DaySpreadsTest, WhatAllCasesShareIsApart) {
  std::vector<double> shared(10);
  for (double& value : shared) value = 0.05 * normal_(random_);
  const auto spreads = spreads_of(
      100, 10, [&](auto, std::size_t day) { return shared[day] + 0.001 * normal_(random_); });
  EXPECT_LT(std::sqrt(spreads.cases[0].mean_variance), 0.002);
  EXPECT_GT(std::sqrt(spreads.common.variance), 0.02);
  EXPECT_EQ(spreads.common.degrees, 9);
}

TEST_F(DaySpreadsTest, WildDaysHaveTails) {
  std::student_t_distribution<double> wild(3);
  const auto spreads = spreads_of(100, 10, [&](auto, auto) { return 0.01 * wild(random_); });
  EXPECT_LT(spreads.cases[0].tails.degrees, 8);
}

TEST_F(DaySpreadsTest, ANightLikeTheOneBeforeWidensTheScale) {
  std::vector<double> state(100);
  const auto spreads = spreads_of(100, 10, [&](std::size_t i, std::size_t) {
    state[i] = 0.9 * state[i] + std::sqrt(1 - 0.81) * normal_(random_);
    return 0.01 * state[i];
  });
  EXPECT_GT(spreads.cases[0].tails.scale, 1.1);
}

TEST_F(DaySpreadsTest, AStepWithinTheHistoryWidensToo) {
  const auto spreads = spreads_of(30, 10, [&](std::size_t i, std::size_t day) {
    return 0.001 * normal_(random_) + (day > 5 && i % 3 == 0 ? 0.1 : 0);
  });
  EXPECT_LT(spreads.cases[0].tails.degrees, 6);
}

TEST_F(DaySpreadsTest, CasesComeAndGo) {
  const auto spreads = spreads_of(30, 6, [&](std::size_t i, std::size_t day) {
    return i == 3 && day > 2 ? NAN : 0.01 * normal_(random_);
  });
  EXPECT_EQ(spreads.cases[3].processes, 0) << "three days are no history";
  EXPECT_GT(spreads.cases[4].processes, 0);
}

TEST_F(DaySpreadsTest, ADayOfFewCasesHidesNoTails) {
  std::student_t_distribution<double> wild(3);
  const auto spreads = spreads_of(100, 10, [&](std::size_t i, std::size_t day) {
    return day == 9 && i > 0 ? NAN : 0.01 * wild(random_);
  });
  EXPECT_LT(spreads.cases[0].tails.degrees, 8);
  EXPECT_NE(spreads.cases[0].tails.degrees, cautious_tail_degrees) << "nothing tells";
}

TEST_F(DaySpreadsTest, ADayOfFewCasesSharesNothing) {
  const auto spreads = spreads_of(30, 6, [&](std::size_t i, std::size_t day) {
    return day == 5 && i > 0 ? NAN : 0.01 * normal_(random_);
  });
  EXPECT_EQ(spreads.shared.at(5), 0);
  EXPECT_NE(spreads.shared.at(4), 0);
}

TEST(ModeratedTogether, FewShareNothingAndManyDo) {
  std::vector<stats::VarianceEstimate> few(fewest_for_prior - 1, {1e-4, 4});
  few[0].variance = 4e-4;
  EXPECT_EQ(moderated_together(few, 1)[0].degrees, 4);
  std::vector<stats::VarianceEstimate> many(fewest_for_prior, {1e-4, 4});
  many[0].variance = 4e-4;
  const auto moderated = moderated_together(many, 1);
  EXPECT_EQ(moderated[0].degrees, 8);
  EXPECT_LT(moderated[0].variance, 3e-4);
  EXPECT_EQ(moderated_together(many, 4)[0].degrees, 20);
  EXPECT_EQ(moderated_together(many, 0)[0].degrees, 4);
  many[1] = {};
  EXPECT_EQ(moderated_together(many, 1)[1].degrees, 0) << "nothing known stays so";
}

}  // namespace
}  // namespace apod::judge
