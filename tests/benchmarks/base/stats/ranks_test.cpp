#include "benchmarks/base/stats/ranks.hpp"

#include <gtest/gtest.h>

namespace apod::stats {
namespace {

TEST(MeanRanks, EqualValuesShareTheirs) {
  EXPECT_EQ(mean_ranks(std::vector<double>{7, 3, 3, 9}), (std::vector<double>{3, 1.5, 1.5, 4}));
  EXPECT_TRUE(mean_ranks({}).empty());
}

TEST(ShareBetween, OfRanksIsTheStatisticOfKruskalAndWallis) {
  // The chance is that of t with 5 degrees, as there are two groups. scipy.stats.kruskal([2.1, 3.4,
  // 5], [1, 3.4, 8, 9]) has H = 0.2863636363636364.
  const std::vector<double> values{2.1, 3.4, 5, 1, 3.4, 8, 9};
  const std::vector<std::size_t> group{0, 0, 0, 1, 1, 1, 1};
  const double share = share_between(mean_ranks(values), group, 2);
  EXPECT_NEAR(6 * share, 0.2863636363636364, 1e-12);
  EXPECT_NEAR(chance_of_share(share, 7, 2), 0.6379078605904271, 1e-9);
}

TEST(ShareBetween, IsAllWhereGroupsExplainAllAndNothingWhereNothingDiffers) {
  const std::vector<std::size_t> group{0, 1, 2, 3};
  EXPECT_DOUBLE_EQ(share_between(std::vector<double>{1, 2, 1, 2}, group, 2), 1);
  EXPECT_EQ(share_between(std::vector<double>{1, 1, 1, 1}, group, 2), 0);
}

}  // namespace
}  // namespace apod::stats
