#include "benchmarks/judge/sequential.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

namespace apod::judge {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// What looks after each difference say in the end: the first decision, and after how many.
struct Course {
  Standing standing = Standing::undecided;
  int looks = 0;
  bool missed = false;  ///< an interval missed the truth, at any look
};

Course course(double truth, double deviation, const SequentialRule& rule, std::uint64_t seed,
              int most, const stats::VarianceEstimate& noise = {}) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(std::log1p(truth), deviation);
  std::vector<double> differences;
  Course result;
  for (int i = 1; i <= most; ++i) {
    differences.push_back(normal(random));
    const auto now = decide(differences, rule, noise);
    result.missed = result.missed || now.change.low > truth || now.change.high < truth;
    if (result.standing != Standing::undecided || now.standing == Standing::undecided) continue;
    result.standing = now.standing;
    result.looks = i;
  }
  return result;
}

// The t interval of a fixed number, looked at 300 times, would miss in more than half of the
// courses.
TEST(Sequential, TheIntervalHoldsAtAllLooksAtOnce) {
  for (const double error : {0.05, 0.2}) {
    int missed = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
      missed += course(0.02, 0.004, {0.02, error}, seed, 300).missed ? 1 : 0;
    }
    EXPECT_LE(missed, 1000 * error);
    EXPECT_GE(missed, 1000 * error / 10) << "an interval that never misses is too wide";
  }
}

TEST(Sequential, TheErrorIsKeptWithNoiseKnownFromElsewhere) {
  constexpr int courses = 1000;
  int missed = 0;
  std::mt19937_64 random(7);
  std::chi_squared_distribution<double> squares(6);
  for (std::uint64_t seed = 0; seed < courses; ++seed) {
    const stats::VarianceEstimate noise{0.004 * 0.004 * squares(random) / 6, 6};
    missed += course(0, 0.004, {0, 0.1}, seed + 1, 200, noise).missed ? 1 : 0;
  }
  EXPECT_LE(missed, 100);
  EXPECT_GE(missed, 10);
}

TEST(Sequential, DecidesOnTheRightSideAndSoonerTheFurtherItIsFromTheThreshold) {
  const SequentialRule rule{0.02, 0.01};
  double last = infinity;
  for (const double distance : {0.002, 0.004, 0.016}) {
    double looks = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      const auto above = course(0.02 + distance, 0.004, rule, seed, 400);
      const auto below = course(0.02 - distance, 0.004, rule, seed + 1000, 400);
      EXPECT_EQ(above.standing, Standing::above);
      EXPECT_EQ(below.standing, Standing::below);
      looks += above.looks + below.looks;
    }
    EXPECT_LT(looks, last);
    last = looks;
  }
  EXPECT_LE(last / 200, 8);
}

TEST(Sequential, OneDifferenceDecidesWhereTheNoiseIsKnown) {
  const std::vector<double> one{std::log1p(0.05)};
  const SequentialRule rule{0.025, 0.01};
  EXPECT_EQ(decide(one, rule).standing, Standing::undecided);
  EXPECT_EQ(decide(one, rule).change.high, infinity);
  EXPECT_EQ(decide(one, rule, {0.004 * 0.004, 9}).standing, Standing::above);
  EXPECT_EQ(decide(one, rule, {0.04 * 0.04, 9}).standing, Standing::undecided);
}

// With infinite degrees: deviation sqrt(ln(r / error^2) r / (r - 1) / n), r = 1 + 30 n.
TEST(Sequential, KnownNoiseGivesTheNormalMixture) {
  const std::vector<double> four(4, 0.0);
  const auto decision = decide(four, {0.5, 0.05}, {1, infinity});
  const double half = std::sqrt(std::log(121 / 0.0025) * 121 / 120 / 4);
  EXPECT_NEAR(std::log1p(decision.change.high), half, 1e-5);
  EXPECT_NEAR(std::log1p(decision.change.low), -half, 1e-5);
}

TEST(Sequential, AgreementToTheLastDigitIsNotTakenAsCertainty) {
  const std::vector<double> same(4, std::log1p(0.0201));
  EXPECT_EQ(decide(same, {0.02, 0.01}).standing, Standing::undecided);
  EXPECT_NEAR(decide(same, {0.02, 0.01}).change.value, 0.0201, 1e-12);
}

TEST(Sequential, NothingIsKnownOfNoDifferences) {
  const auto nothing = decide({}, {0.02, 0.01});
  EXPECT_EQ(nothing.standing, Standing::undecided);
  EXPECT_EQ(nothing.change.low, -1);
  EXPECT_EQ(nothing.change.high, infinity);
}

TEST(Sequential, ARuleOutsideItsRangeIsAnError) {
  for (const double error : {0.0, 1.0, -0.1, std::nan("")}) {
    EXPECT_THROW(decide({}, {0.02, error}), std::domain_error) << error;
  }
  EXPECT_THROW(decide({}, {-1, 0.01}), std::domain_error);
  EXPECT_THROW(decide({}, {std::nan(""), 0.01}), std::domain_error);
}

}  // namespace
}  // namespace apod::judge
