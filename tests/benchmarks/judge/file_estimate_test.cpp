#include "benchmarks/judge/file_estimate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/base/stats/power.hpp"
#include "benchmarks/base/stats/t_tests.hpp"
#include "benchmarks/judge/judge.hpp"
#include "tests/benchmarks/judge/sides.hpp"
#include "tests/support/texts.hpp"

namespace apod::judge {
namespace {

/// A case of several sessions.
SideCase in_sessions(const std::vector<std::vector<double>>& sessions) {
  SideCase c;
  c.name = "x";
  for (std::uint32_t s = 0; s < sessions.size(); ++s) {
    for (const double ms : sessions[s]) c.times.push_back({ms * 1e-3, s});
  }
  return c;
}

double variance_of_logs(std::vector<double> values) {
  for (double& value : values) value = std::log(value);
  return std::pow(stats::standard_deviation(values), 2);
}

/// A side with as many sessions as the case has, each on a day of its own.
Side side_with(const SideCase& c) {
  Side side;
  for (const auto& time : c.times) {
    side.sessions.resize(std::max<std::size_t>(side.sessions.size(), time.session + 1));
  }
  for (std::size_t i = 0; i < side.sessions.size(); ++i) {
    side.sessions[i].environment["date"] = "2026-01-0" + std::to_string(i + 1);
  }
  return side;
}

/// The estimate with the processes' spreads as they are, moderated by nothing.
FileEstimate estimate_of(const SideCase& base, const SideCase& after, Prior prior = {}) {
  const auto b = side_with(base);
  const auto n = side_with(after);
  const SideLogs before(base, b, days_of(b));
  const SideLogs later(after, n, days_of(n));
  prior.base_processes = before.own;
  prior.new_processes = later.own;
  return estimate_change(before, later, prior);
}

FileEstimate given(double deviation, const SideCase& base, const SideCase& after) {
  return estimate_of(base, after, {.session_deviation = deviation});
}

FileEstimate calibrated(const KnownSpread& known, const SideCase& base, const SideCase& after) {
  return estimate_of(base, after, {.calibration = &known});
}

TEST(EstimateChange, WithoutASpreadBetweenSessionsIsWelch) {
  const auto b = around(1.0, 0.004);
  auto n = around(1.02, 0.01);
  n.resize(7);
  const auto estimate = given(0.0, side_case("x", b), side_case("x", n));
  // Welch 1947, degrees by Satterthwaite.
  const double of_b = variance_of_logs(b) / 12;
  const double of_n = variance_of_logs(n) / 7;
  EXPECT_NEAR(estimate.total().standard_error, std::sqrt(of_b + of_n), 1e-12);
  EXPECT_NEAR(estimate.total().degrees,
              std::pow(of_b + of_n, 2) / (of_b * of_b / 11 + of_n * of_n / 6), 1e-9);
  EXPECT_NEAR(estimate.total().mean, std::log(estimate.new_s / estimate.base_s), 1e-12);
  EXPECT_EQ(estimate.session_source, SessionSource::given);
  EXPECT_EQ(estimate.replicate, Replicate::process);
  EXPECT_EQ(estimate.new_units, 7u);
}

TEST(EstimateChange, SessionsOfUnevenSizeWeighAsTheyCount) {
  const auto base = in_sessions({{1, 1.001, 0.999, 1, 1.002, 0.998, 1, 1}, {1.0, 1.001}});
  const auto after = in_sessions({{1, 1.001}});
  const double sigma = 0.01;
  const auto estimate = given(sigma, base, after);
  EXPECT_NEAR(estimate.fixed.variance, sigma * sigma * (0.64 + 0.04 + 1), 1e-12);
  EXPECT_DOUBLE_EQ(estimate.session_deviation, sigma);
}

TEST(EstimateChange, TheDifferenceOfSessionsIsNotSpreadOfProcesses) {
  const auto base = in_sessions({{1, 1.001, 0.999}, {1.1, 1.101, 1.099}});
  const auto estimate = given(0.05, base, base);
  EXPECT_LT(estimate.unit_variance, 3e-6);
}

TEST(EstimateChange, ABorrowedSpreadIsOneEstimateAndNotTwo) {
  const auto many = around(1.0, 0.01);
  const auto estimate = given(0.0, side_case("x", many), side_case("x", {1.0}));
  const double s2 = variance_of_logs(many);
  EXPECT_NEAR(estimate.total().standard_error, std::sqrt(s2 / 12 + s2), 1e-12);
  EXPECT_DOUBLE_EQ(estimate.total().degrees, 11);
  EXPECT_TRUE(contains(estimate.warning, "one process on the new side"));
  const auto turned = given(0.0, side_case("x", {1.0}), side_case("x", many));
  EXPECT_DOUBLE_EQ(turned.total().degrees, 11);
  EXPECT_TRUE(contains(turned.warning, "one process in the base"));
}

TEST(EstimateChange, OneProcessASideIsGivenTheCautiousSpread) {
  const auto estimate = given(0.0, side_case("x", {1.0}), side_case("x", {1.0}));
  EXPECT_NEAR(estimate.total().standard_error, cautious_deviation * std::sqrt(2.0), 1e-12);
  EXPECT_TRUE(contains(estimate.warning, "one process a side"));
}

TEST(EstimateChange, ValuesThatAgreeToTheLastDigitAreNoCertainty) {
  const auto same = side_case("x", {1, 1, 1, 1, 1});
  const auto estimate = given(0.0, same, same);
  EXPECT_NEAR(estimate.total().standard_error, least_deviation * std::sqrt(0.4), 1e-12);
  const auto sessions = in_sessions({{1, 1}, {1, 1}});
  EXPECT_GT(estimate_of(sessions, sessions).total().standard_error, 0.5e-4);
}

TEST(EstimateChange, OfAsManyProcessesAsWereCalibratedOnlyTheSessionsMeansCount) {
  const KnownSpread known{1e-4, 9, 4e-5, 40, 12};
  const auto c = side_case("x", around(1.0, 1e-5));
  const auto estimate = calibrated(known, c, c);
  EXPECT_NEAR(estimate.total().standard_error, std::sqrt(2e-4), 1e-9);
  EXPECT_NEAR(estimate.total().degrees, 9, 1e-9);
  EXPECT_EQ(estimate.session_source, SessionSource::calibration);
  EXPECT_NEAR(estimate.session_deviation, std::sqrt(1e-4 - 4e-5 / 12), 1e-9);
}

TEST(EstimateChange, FewerProcessesThanWereCalibratedSpreadMore) {
  const KnownSpread known{1e-4, 9, 4e-5, 40, 12};
  const auto three = side_case("x", {1.0, 1.0001, 0.9999});
  const auto estimate = calibrated(known, three, three);
  const double variance = 2 * (1e-4 + (1.0 / 3 - 1.0 / 12) * 4e-5);
  EXPECT_NEAR(estimate.total().standard_error, std::sqrt(variance), 1e-9);
  EXPECT_GT(estimate.total().degrees, 9);
}

TEST(EstimateChange, MoreProcessesNeverMakeACalibratedErrorLarger) {
  const KnownSpread known{1e-6, 9, 4e-5, 40, 5};  // the sessions explain nothing
  double before = 1;
  for (const std::size_t n : {2u, 5u, 12u}) {
    auto times = around(1.0, 1e-5);
    times.resize(n);
    const auto c = side_case("x", times);
    const auto estimate = calibrated(known, c, c);
    const double detectable =
        stats::t_quantile(0.9999, estimate.total().degrees) * estimate.total().standard_error;
    EXPECT_LE(detectable, before) << n;
    before = detectable;
  }
}

TEST(EstimateChange, ProcessesThatSpreadMoreThanCalibratedAddToIt) {
  const KnownSpread known{1e-4, 9, 4e-5, 40, 3};
  const auto calm = side_case("x", {1.0, 1.0001, 0.9999});
  const auto wild = side_case("x", {1.0, 1.1, 0.9});
  const auto estimate = calibrated(known, wild, calm);
  const double excess = (variance_of_logs({1.0, 1.1, 0.9}) - 4e-5) / 3;
  EXPECT_NEAR(estimate.total().standard_error, std::sqrt(2e-4 + excess), 1e-9);
}

TEST(EstimateChange, ASideOfOneProcessAsksTheCalibrationFirst) {
  const KnownSpread known{1e-6, 9, 1e-6, 40, 5};
  const auto three = side_case("x", {1.0, 1.1, 0.9});
  const auto estimate = calibrated(known, side_case("x", {1.0}), side_case("x", {1.0}));
  EXPECT_LT(estimate.total().standard_error, 0.003);
  EXPECT_EQ(calibrated(known, side_case("x", {1.0}), three).warning, "");
}

TEST(EstimateChange, SessionsOutvoteACalibrationThatTheyContradict) {
  const KnownSpread known{1e-6, 9, 1e-8, 40, 2};
  const auto base = in_sessions({{1, 1.0001}, {1.05, 1.0501}, {1.02, 1.0201}});
  const auto estimate = calibrated(known, base, base);
  EXPECT_EQ(estimate.session_source, SessionSource::sessions);
  EXPECT_EQ(estimate.replicate, Replicate::session);
  EXPECT_EQ(estimate.base_units, 3u);
  // Larger by chance, as two sessions often are, is no contradiction.
  const KnownSpread right{4e-4, 9, 1e-8, 40, 2};
  EXPECT_EQ(calibrated(right, base, base).session_source, SessionSource::calibration);
}

TEST(EstimateChange, TheSideThatKnowsLessIsNotBelievedToBeCalmer) {
  const auto many = side_case("x", around(1.0, 0.01));
  const auto agree = side_case("x", {1.0, 1.00001});
  const auto estimate = given(0.0, many, agree);
  const double s2 = variance_of_logs(around(1.0, 0.01));
  EXPECT_NEAR(estimate.total().standard_error, std::sqrt(s2 / 12 + s2 / 2), 1e-9);
  EXPECT_DOUBLE_EQ(estimate.total().degrees, 11);
  const auto sessions = in_sessions({{1.0}, {1.01}, {0.99}, {1.02}, {0.98}});
  const auto two = in_sessions({{1.03}, {1.03001}});
  EXPECT_NEAR(estimate_of(sessions, two).total().degrees, 4, 1e-9);
}

TEST(EstimateChange, SessionsThatContradictAGivenSpreadAreTold) {
  const auto base = in_sessions({{1, 1.0001}, {1.05, 1.0501}, {1.02, 1.0201}});
  EXPECT_TRUE(contains(given(0.0001, base, base).warning, "differ by more"));
}

TEST(UnitsNeeded, AreEnoughAndOneLessIsNot) {
  const auto c = side_case("x", around(1.0, 0.01));
  const auto estimate = given(0.0, c, c);
  const auto needed = units_needed(estimate, 0.01, 0.01);
  ASSERT_TRUE(needed.has_value());
  // By the normal approximation: 2 s^2 (z_0.995 + z_0.8)^2 / effect^2, and a few for t.
  const double z = 2.576 + 0.842;
  const double about = estimate.unit_variance * z * z / 1e-4;
  EXPECT_GT(static_cast<double>(*needed), about);
  EXPECT_LT(static_cast<double>(*needed), about + 5);
  EXPECT_FALSE(units_needed(given(0.02, c, c), 0.01, 0.01).has_value());
}

TEST(UnitsNeeded, HaveTheTailsThatTheVerdictHas) {
  const auto c = side_case("x", around(1.0, 0.01));
  auto estimate = given(0.0, c, c);
  const auto normal = units_needed(estimate, 0.01, 0.01);
  estimate.tails = {1.5, 6};
  const auto heavy = units_needed(estimate, 0.01, 0.01);
  ASSERT_TRUE(normal && heavy);
  EXPECT_GT(*heavy, 2 * *normal) << "1.5^2, and some for the degrees";
  // With so many the total detects the effect, and with one less it does not.
  const auto detects = [&](std::size_t n) {
    auto with = estimate;
    const auto units = static_cast<double>(n);
    with.known = sum_of({{estimate.unit_variance / units, 2 * (units - 1)}, estimate.fixed});
    const auto total = with.total();
    return stats::t_test_power(0.01, total.standard_error, total.degrees, 0.005) >= wanted_power;
  };
  EXPECT_TRUE(detects(*heavy));
  EXPECT_FALSE(detects(*heavy - 1));
}

}  // namespace
}  // namespace apod::judge
