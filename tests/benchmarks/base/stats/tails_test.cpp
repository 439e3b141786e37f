#include "benchmarks/base/stats/tails.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "benchmarks/base/stats/means.hpp"

namespace apod::stats {
namespace {

/// Quantiles of Student's t at evenly spaced probabilities: a sample without chance.
std::vector<double> even_t(std::size_t count, double degrees, double scale = 1) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(
        scale * t_quantile((static_cast<double>(i) + 0.5) / static_cast<double>(count), degrees));
  }
  return values;
}

constexpr double normal = 1e6;

TEST(FitTails, FindsScaleAndDegrees) {
  const auto of_normal = fit_tails(even_t(1000, normal, 2));
  EXPECT_TRUE(std::isinf(of_normal.degrees));
  EXPECT_NEAR(of_normal.scale, 2, 0.02);
  const auto heavy = fit_tails(even_t(1000, 3, 2));
  EXPECT_NEAR(heavy.degrees, 3, 0.5);
  EXPECT_NEAR(heavy.scale, 2, 0.1);
}

TEST(FitTails, AFewNormalValuesAreTakenForNormal) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> draw;
  int normals = 0;
  for (int i = 0; i < 100; ++i) {
    std::vector<double> values(60);
    for (double& value : values) value = draw(random);
    normals += std::isinf(fit_tails(values).degrees) ? 1 : 0;
  }
  EXPECT_GE(normals, 95);
}

TEST(FitTails, TooFewOrEqualValuesSayNothing) {
  EXPECT_EQ(fit_tails(even_t(9, 3)).scale, 1);
  EXPECT_EQ(fit_tails(std::vector<double>(50, 0.0)).scale, 1);
}

TEST(NormalScore, IsSciPysAndNeverInfinite) {
  EXPECT_NEAR(normal_score(3, 4), 2.054349, 1e-6);
  EXPECT_NEAR(normal_score(-20, 9), -5.747085, 1e-6);
  EXPECT_EQ(normal_score(0, 4), 0);
  EXPECT_EQ(normal_score(1e300, 1000), 37);
  EXPECT_EQ(normal_score(-1e300, 1000), -37);
}

}  // namespace
}  // namespace apod::stats
