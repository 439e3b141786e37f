#include "benchmarks/base/stats/centre.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "benchmarks/base/stats/means.hpp"

namespace apod::stats {
namespace {

/// Normal quantiles around `centre`: a sample without chance.
std::vector<double> even(std::size_t count, double centre, double deviation) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    const double p = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
    values.push_back(centre + deviation * t_quantile(p, 1e6));
  }
  return values;
}

TEST(CentreOf, IsTheMedianAndTheRobustDeviation) {
  const auto centre = centre_of(even(101, 0.3, 0.02));
  EXPECT_NEAR(centre.value, 0.3, 1e-3);
  EXPECT_NEAR(centre.deviation, 0.02, 1e-3);
  EXPECT_EQ(centre.members, 101u);
}

TEST(CentreOf, AGroupThatLiesApartCountsForNothing) {
  auto values = even(60, 0.02, 0.01);
  const auto apart = even(40, 0.7, 0.01);
  values.insert(values.end(), apart.begin(), apart.end());
  const auto centre = centre_of(values);
  EXPECT_NEAR(centre.value, 0.02, 0.001);
  EXPECT_EQ(centre.members, 60u);
}

TEST(CentreOf, OfTwoGroupsTheOneNearerToZeroIsIt) {
  auto values = even(50, 0.7, 0.01);
  const auto still = even(50, 0.0, 0.01);
  values.insert(values.end(), still.begin(), still.end());
  EXPECT_NEAR(centre_of(values).value, 0, 0.001);
}

TEST(CentreOf, ValuesThatAgreeHaveTheirNeighboursToo) {
  std::vector<double> values(60, 0.0);
  values.insert(values.end(), 20, 5e-5);
  EXPECT_EQ(centre_of(values).members, 80u);
}

TEST(CentreOf, FewValuesHaveNone) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(centre_of(std::vector<double>{1, 2}).members, 0u);
  EXPECT_EQ(centre_of(std::vector<double>{1, none, 1, none}).value, 0);
  EXPECT_EQ(centre_of(std::vector<double>{1, none, 1, 1}).value, 1);
}

}  // namespace
}  // namespace apod::stats
