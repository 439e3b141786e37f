#include "benchmarks/base/stats/drift.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "tests/benchmarks/base/stats/noise.hpp"

namespace apod::stats {
namespace {

/// So many values around a course, 1 % apart.
std::vector<double> around(std::size_t n, const std::function<double(double)>& course,
                           std::uint64_t seed = 1) {
  Noise noise(seed);
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) {
    values.push_back(course(static_cast<double>(i)) + 0.01 * noise());
  }
  return values;
}

TEST(Drift, ASteadyRiseIsOne) {
  const auto found = drift_at_end(around(20, [](double i) { return 0.02 * i; }), {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->values, 20U);
  EXPECT_NEAR(found->change, 0.38, 0.03);
  EXPECT_LT(drift_at_end(around(20, [](double i) { return -0.02 * i; }), {})->change, -0.35);
  EXPECT_FALSE(drift_at_end(around(7, [](double i) { return 0.1 * i; }), {})) << "too few";
}

TEST(Drift, ItMayHaveBegunOnTheWay) {
  const auto found =
      drift_at_end(around(40, [](double i) { return 0.02 * std::max(0.0, i - 20); }), {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->values, 20U);
  EXPECT_NEAR(found->change, 0.38, 0.05);
}

TEST(Drift, AStepIsNone) {
  for (const double first : {5, 10, 15, 18}) {
    const auto step = [&](double i) { return i < first ? 0 : 0.1; };
    EXPECT_FALSE(drift_at_end(around(20, step), {})) << first;
  }
  // Two equal ones look like a line, unless the levels are known.
  const auto two = around(30, [](double i) { return 0.1 * std::floor(i / 10); });
  EXPECT_FALSE(drift_at_end(two, std::vector<std::size_t>{10, 20}));
}

TEST(Drift, NeighboursThatAreAlikeAreRarelyOne) {
  for (const double r : {0.0, 0.8}) {
    int found = 0;
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
      Noise noise(seed);
      std::vector<double> values;
      double state = noise();
      for (int i = 0; i < 30; ++i) {
        values.push_back(0.01 * state);
        state = r * state + std::sqrt(1 - r * r) * noise();
      }
      found += drift_at_end(values, {}) ? 1 : 0;
    }
    EXPECT_LE(found, r == 0 ? 1 : 15) << "of 500, r = " << r;
  }
}

TEST(Drift, ConstantValuesHaveNone) {
  EXPECT_FALSE(drift_at_end(std::vector<double>(20, 1.5), {}));
  EXPECT_FALSE(drift_at_end({}, {}));
}

}  // namespace
}  // namespace apod::stats
