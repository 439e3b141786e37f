#include "benchmarks/stats/rank_tests.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "tests/benchmarks/stats/judging.hpp"
#include "tests/benchmarks/stats/noise.hpp"

namespace apod::stats {
namespace {

Alternative alternative_of(const nlohmann::json& fixture) {
  const std::string name = fixture.at("alternative");
  if (name == "less") return Alternative::less;
  return name == "greater" ? Alternative::greater : Alternative::two_sided;
}

void expect_test(const RankTest& actual, const nlohmann::json& fixture) {
  EXPECT_EQ(actual.statistic, fixture.at("statistic").get<double>());
  EXPECT_TRUE(close(actual.p, fixture.at("p")));
  EXPECT_EQ(actual.exact, fixture.at("exact").get<bool>());
}

TEST(MannWhitney, AgreesWithSciPyAndEnumeration) {
  for (const auto& fixture : judging("mann_whitney")) {
    SCOPED_TRACE(fixture.dump());
    expect_test(mann_whitney(fixture.at("a").get<Values>(), fixture.at("b").get<Values>(),
                             alternative_of(fixture)),
                fixture);
  }
}

TEST(Wilcoxon, AgreesWithSciPyAndEnumeration) {
  for (const auto& fixture : judging("wilcoxon")) {
    SCOPED_TRACE(fixture.dump());
    expect_test(wilcoxon_signed_rank(fixture.at("d").get<Values>(), alternative_of(fixture)),
                fixture);
  }
}

TEST(HodgesLehmann, AgreesWithAllPairs) {
  for (const auto& fixture : judging("hodges_lehmann")) {
    SCOPED_TRACE(fixture.dump());
    const double shift = fixture.contains("d") ? hodges_lehmann(fixture.at("d").get<Values>())
                                               : hodges_lehmann(fixture.at("a").get<Values>(),
                                                                fixture.at("b").get<Values>());
    EXPECT_TRUE(close(shift, fixture.at("shift"), 1e-14));
  }
}

TEST(MannWhitney, SmallestPIsOneOfAllPermutations) {
  const Values low{1, 2, 3};
  const Values high{4, 5, 6, 7};
  EXPECT_DOUBLE_EQ(mann_whitney(low, high).p, 2.0 / 35);
  EXPECT_DOUBLE_EQ(mann_whitney(low, high, Alternative::less).p, 1.0 / 35);
  EXPECT_DOUBLE_EQ(mann_whitney(low, high, Alternative::greater).p, 1);
  EXPECT_EQ(mann_whitney(high, low).statistic, 12);
}

TEST(MannWhitney, SwappedSamplesSwapTheAlternative) {
  Noise noise(1);
  for (const std::size_t n : {5u, 60u}) {
    Values a(n), b(n + 3);
    for (auto& x : a) x = std::round(3 * noise());
    for (auto& x : b) x = std::round(3 * noise() + 1);
    EXPECT_NEAR(mann_whitney(a, b).p, mann_whitney(b, a).p, 1e-12);
    EXPECT_NEAR(mann_whitney(a, b, Alternative::less).p, mann_whitney(b, a, Alternative::greater).p,
                1e-12);
  }
}

TEST(MannWhitney, ApproximationIsNearTheExactOneWhereItBegins) {
  Values a(26), b(24);
  std::iota(a.begin(), a.end(), 0.0);
  std::iota(b.begin(), b.end(), 6.5);
  const RankTest exact = mann_whitney(a, b);
  EXPECT_TRUE(exact.exact);
  b.push_back(18);
  const RankTest approximate = mann_whitney(a, b);
  EXPECT_FALSE(approximate.exact);
  EXPECT_NEAR(approximate.p, exact.p, 0.01);
}

TEST(RankTests, NothingToTestIsNoDifference) {
  for (const auto& test :
       {mann_whitney({}, {}), mann_whitney(Values{1}, {}), mann_whitney({}, Values{1}),
        wilcoxon_signed_rank({}), wilcoxon_signed_rank(Values(70, 0.0)),
        wilcoxon_signed_rank(Values{0}, Alternative::greater)}) {
    EXPECT_EQ(test.p, 1);
  }
  EXPECT_TRUE(std::isnan(hodges_lehmann({}, Values{1})));
  EXPECT_TRUE(std::isnan(hodges_lehmann(Values{1}, {})));
  EXPECT_TRUE(std::isnan(hodges_lehmann(std::span<const double>{})));
}

TEST(RankTests, RefuseWhatIsNotFinite) {
  const Values good{1, 2};
  for (const double bad : {not_a_number, infinity, -infinity}) {
    const Values values{1, bad};
    EXPECT_THROW(mann_whitney(values, good), std::domain_error);
    EXPECT_THROW(mann_whitney(good, values), std::domain_error);
    EXPECT_THROW(mann_whitney(values, {}), std::domain_error);
    EXPECT_THROW(wilcoxon_signed_rank(values), std::domain_error);
    EXPECT_THROW(hodges_lehmann(values), std::domain_error);
    EXPECT_THROW(hodges_lehmann(good, values), std::domain_error);
  }
}

TEST(HodgesLehmann, OfAnEvenCountIsTheMeanOfTheTwoMiddleOnes) {
  EXPECT_EQ(hodges_lehmann(Values{0}, Values{1, 2}), 1.5);
  EXPECT_EQ(hodges_lehmann(Values{1, 3}), 2);  // of 1, 2 and 3
  EXPECT_EQ(hodges_lehmann(Values{0, 0}, Values{-1, 1}), 0);
}

TEST(HodgesLehmann, MovesWithTheSamplesAndIgnoresAnOutlier) {
  Noise noise(2);
  Values a(200), b(150);
  for (auto& x : a) x = noise();
  for (auto& x : b) x = 5 + noise();
  const double shift = hodges_lehmann(a, b);
  EXPECT_NEAR(shift, 5, 0.5);
  b.front() = 1e300;
  EXPECT_NEAR(hodges_lehmann(a, b), shift, 0.1);
  EXPECT_EQ(hodges_lehmann(b, a), -hodges_lehmann(a, b));
}

TEST(HodgesLehmann, NeedsNoMemoryForAllPairs) {
  Values a(200'000), b(200'000);  // 4e10 pairs
  std::iota(a.begin(), a.end(), 0.0);
  std::iota(b.begin(), b.end(), 1000.0);
  EXPECT_EQ(hodges_lehmann(a, b), 1000);
  EXPECT_EQ(hodges_lehmann(a), 99'999.5);
}

}  // namespace
}  // namespace apod::stats
