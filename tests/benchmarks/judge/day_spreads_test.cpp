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
stats::Tails tails_of(std::size_t cases, std::size_t days,
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
  return tails_of_days(all);
}

class DaySpreadsTest : public testing::Test {
 protected:
  std::mt19937_64 random_{5};
  std::normal_distribution<double> normal_;
};

TEST_F(DaySpreadsTest, NormalDaysHaveNoTails) {
  const auto tails = tails_of(100, 10, [&](auto, auto) { return 0.01 * normal_(random_); });
  EXPECT_NEAR(tails.scale, 1, 0.1);
  EXPECT_GT(tails.degrees, 20);
}

TEST_F(DaySpreadsTest, WhatAllCasesShareIsTakenOut) {
  // A shared day that is wild would be a tail of every case.
  const auto tails = tails_of(100, 10, [&](auto, std::size_t day) {
    return (day == 7 ? 0.5 : 0) + 0.001 * normal_(random_);
  });
  EXPECT_GT(tails.degrees, 20);
}

TEST_F(DaySpreadsTest, WildDaysHaveTails) {
  std::student_t_distribution<double> wild(3);
  EXPECT_LT(tails_of(100, 10, [&](auto, auto) { return 0.01 * wild(random_); }).degrees, 8);
}

TEST_F(DaySpreadsTest, ANightLikeTheOneBeforeWidensTheScale) {
  std::vector<double> state(100);
  const auto tails = tails_of(100, 10, [&](std::size_t i, std::size_t) {
    state[i] = 0.9 * state[i] + std::sqrt(1 - 0.81) * normal_(random_);
    return 0.01 * state[i];
  });
  EXPECT_GT(tails.scale, 1.1);
}

TEST_F(DaySpreadsTest, AStepWithinTheHistoryWidensToo) {
  const auto tails = tails_of(30, 10, [&](std::size_t i, std::size_t day) {
    return 0.001 * normal_(random_) + (day > 5 && i % 3 == 0 ? 0.1 : 0);
  });
  EXPECT_LT(tails.degrees, 6);
}

TEST_F(DaySpreadsTest, ThreeDaysAreNoHistory) {
  const auto of_days = [&](std::size_t days) {
    return tails_of(30, days, [&](auto, auto) { return 0.01 * normal_(random_); });
  };
  EXPECT_EQ(of_days(3).scale, 0);
  EXPECT_GE(of_days(6).scale, 1);
}

TEST_F(DaySpreadsTest, ADayOfFewCasesHidesNoTails) {
  std::student_t_distribution<double> wild(3);
  const auto tails = tails_of(100, 10, [&](std::size_t i, std::size_t day) {
    return day == 9 && i > 0 ? NAN : 0.01 * wild(random_);
  });
  EXPECT_LT(tails.degrees, 8);
  EXPECT_NE(tails.degrees, cautious_tail_degrees) << "nothing tells";
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
