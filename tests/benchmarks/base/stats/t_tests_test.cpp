#include "benchmarks/base/stats/t_tests.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/benchmarks/base/stats/fixtures.hpp"

namespace apod::stats {
namespace {

TEST(TUpperTail, AgreesWithSciPyFarIntoBothTails) {
  for (const auto& fixture : fixtures("t_tail")) {
    EXPECT_TRUE(close(t_upper_tail(fixture.at("t"), fixture.at("degrees")), fixture.at("p")))
        << fixture.dump();
  }
}

TEST(TUpperTail, EndsInZeroAndOne) {
  EXPECT_EQ(t_upper_tail(infinity, 3), 0);
  EXPECT_EQ(t_upper_tail(-infinity, 3), 1);
  EXPECT_EQ(t_upper_tail(1e300, 1000), 0);
  EXPECT_EQ(t_upper_tail(0, 1), 0.5);
  EXPECT_NEAR(t_upper_tail(1e-8, 1), 0.5, 1e-8);
  EXPECT_NEAR(t_upper_tail(1.6448536269514722, infinity), 0.05, 1e-12);
  EXPECT_TRUE(std::isnan(t_upper_tail(not_a_number, 3)));
}

TEST(TUpperTail, RefusesDegreesThatAreNotPositive) {
  for (const double degrees : {0.0, -1.0, not_a_number}) {
    EXPECT_THROW(t_upper_tail(1, degrees), std::domain_error);
  }
}

TEST(PValues, OfPairedDifferencesAgreeWithSciPyAndStatsmodels) {
  for (const auto& fixture : fixtures("paired")) {
    SCOPED_TRACE(fixture.dump());
    const auto difference = mean_estimate(fixture.at("differences").get<Values>());
    EXPECT_EQ(difference.degrees, fixture.at("degrees").get<double>());
    EXPECT_TRUE(close(p_different(difference, 0), fixture.at("different")));
    EXPECT_TRUE(close(p_above(difference, 0), fixture.at("above")));
    EXPECT_TRUE(close(p_below(difference, 0), fixture.at("below")));
    const double width = fixture.at("width");
    EXPECT_TRUE(close(p_equivalent(difference, -width, width), fixture.at("equivalent"), 1e-7));
  }
}

TEST(PValues, WithoutAnErrorAreZeroOrOne) {
  const MeanEstimate certain{5, 0, 1};
  EXPECT_EQ(p_above(certain, 4), 0);
  EXPECT_EQ(p_above(certain, 5), 1);
  EXPECT_EQ(p_above(certain, 6), 1);
  EXPECT_EQ(p_below(certain, 4), 1);
  EXPECT_EQ(p_below(certain, 5), 1);
  EXPECT_EQ(p_below(certain, 6), 0);
  EXPECT_EQ(p_different(certain, 5), 1);
  EXPECT_EQ(p_different(certain, 4), 0);
  EXPECT_EQ(p_equivalent(certain, 4, 6), 0);
  EXPECT_EQ(p_equivalent(certain, 5, 6), 1);
  EXPECT_EQ(p_equivalent(certain, 6, 7), 1);
}

TEST(PValues, OfBothSidesAddUpToOne) {
  const MeanEstimate estimate{1.2, 0.5, 7};
  EXPECT_NEAR(p_above(estimate, 1) + p_below(estimate, 1), 1, 1e-14);
  EXPECT_DOUBLE_EQ(p_different(estimate, 1), 2 * p_above(estimate, 1));
  EXPECT_EQ(p_different({1, 0.5, 7}, 1), 1);
}

TEST(PValues, OfNaNAreNaN) {
  for (const MeanEstimate& estimate :
       {MeanEstimate{not_a_number, 1, 3}, MeanEstimate{1, not_a_number, 3}}) {
    EXPECT_TRUE(std::isnan(p_above(estimate, 0)));
    EXPECT_TRUE(std::isnan(p_below(estimate, 0)));
    EXPECT_TRUE(std::isnan(p_different(estimate, 0)));
    EXPECT_TRUE(std::isnan(p_equivalent(estimate, -1, 1)));
  }
  EXPECT_TRUE(std::isnan(p_equivalent({1, 1, 3}, not_a_number, 1)));
  EXPECT_TRUE(std::isnan(p_equivalent({1, 1, 3}, 0, not_a_number)));
}

}  // namespace
}  // namespace apod::stats
