#include "benchmarks/compare/calibrate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>

#include "tests/benchmarks/compare/sides.hpp"

namespace apod {
namespace {

/// `count` cases measured in `sessions` sessions of `processes` processes, with known deviations.
Side measured(int count, int sessions, int processes, double session, double process,
              std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Side side;
  for (int s = 0; s < sessions; ++s) {
    side.sessions.push_back({std::to_string(s) + ".json",
                             "apod",
                             {{"gpu", "G"}, {"commit", "c"}, {"config", "x"}, {"date", "2026"}}});
  }
  for (int i = 0; i < count; ++i) {
    SideCase c;
    c.name = std::to_string(i);
    for (int s = 0; s < sessions; ++s) {
      const double level = session * normal(random);
      for (int p = 0; p < processes; ++p) {
        c.times.push_back({1e-3 * std::exp(level + process * normal(random)),
                           static_cast<std::uint32_t>(s), 0.01});
      }
    }
    side.cases.push_back(std::move(c));
  }
  return side;
}

double pooled(const Calibration& calibration) {
  double least = 1;
  for (const auto& c : calibration.cases) {
    least = std::min(least, compare::session_deviation(calibration, c));
  }
  return least;
}

TEST(Calibrate, FindsTheKnownParts) {
  const auto calibration = compare::calibrate(measured(200, 5, 5, 0.01, 0.004));
  ASSERT_EQ(calibration.cases.size(), 200u);
  EXPECT_EQ(calibration.sessions, 5);
  EXPECT_EQ(calibration.processes, 5);
  // No case is given less than all of them together say.
  EXPECT_NEAR(pooled(calibration), 0.01, 0.001);
  double process = 0;
  for (const auto& c : calibration.cases) process += c.process * c.process / 200;
  EXPECT_NEAR(std::sqrt(process), 0.004, 0.0004);
  EXPECT_DOUBLE_EQ(calibration.cases[0].sample, 0.01);
  EXPECT_NEAR(calibration.cases[0].time_s, 1e-3, 1e-4);
}

TEST(Calibrate, ACaseOfItsOwnSpreadKeepsIt) {
  auto side = measured(50, 5, 5, 0.001, 0.001);
  side.cases.push_back(measured(1, 5, 5, 0.1, 0.001, 9).cases.front());
  side.cases.back().name = "wild";
  const auto calibration = compare::calibrate(side);
  const auto& wild = calibration.cases.back();
  EXPECT_GT(wild.session, 0.03);
  EXPECT_DOUBLE_EQ(compare::session_deviation(calibration, wild), wild.session);
  const auto all = compare::session_deviations(calibration);
  ASSERT_EQ(all.size(), calibration.cases.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i], compare::session_deviation(calibration, calibration.cases[i])) << i;
  }
}

TEST(Calibrate, WhereNothingVariesTheFloorIsNone) {
  const auto calibration = compare::calibrate(measured(3, 3, 3, 0, 0));
  EXPECT_NEAR(calibration.cases[0].session, 0, 1e-12);
  EXPECT_NEAR(compare::floor_of(calibration, calibration.cases[0], 0.01), 0, 1e-9);
}

TEST(Calibrate, TheFloorIsWhatTwoFilesCanShow) {
  const auto calibration = compare::calibrate(measured(200, 5, 5, 0.01, 0.004));
  const auto& c = calibration.cases[0];
  const double sigma = compare::session_deviation(calibration, c);
  // Two-sided 0.01 / 200 is 4.06 standard errors away, 80 % power another 0.84.
  EXPECT_NEAR(std::log1p(compare::floor_of(calibration, c, 0.01)),
              std::sqrt(2.0) * sigma * (4.056 + 0.842), 0.002 * sigma + 1e-4);
}

TEST(Calibrate, KeepsOnlyWhatMakesTimesIncomparable) {
  const auto calibration = compare::calibrate(measured(2, 2, 2, 0.01, 0.01));
  EXPECT_EQ(calibration.environment, (std::map<std::string, std::string>{{"gpu", "G"}}));
  EXPECT_EQ(calibration.config, "x");
  EXPECT_EQ(calibration.commit, "c");
}

TEST(Calibrate, CasesThatASessionLacksAreLeftOut) {
  auto side = measured(3, 3, 3, 0.01, 0.01);
  side.cases[0].times.resize(6);  // the last session has none
  side.cases[1].failed = "wrong answer";
  const auto calibration = compare::calibrate(side);
  ASSERT_EQ(calibration.cases.size(), 1u);
  EXPECT_EQ(calibration.cases[0].name, "2");
}

TEST(Calibrate, TooLittleIsRefused) {
  EXPECT_THROW(compare::calibrate(measured(3, 1, 3, 0.01, 0.01)), std::runtime_error);
  EXPECT_THROW(compare::calibrate(measured(3, 3, 1, 0.01, 0.01)), std::runtime_error);
  EXPECT_THROW(compare::calibrate(Side{}), std::runtime_error);
}

}  // namespace
}  // namespace apod
