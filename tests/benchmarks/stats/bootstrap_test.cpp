#include "benchmarks/stats/bootstrap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "tests/benchmarks/stats/judging.hpp"
#include "tests/benchmarks/stats/noise.hpp"

namespace apod::stats {
namespace {

Statistic statistic_of(const nlohmann::json& fixture) {
  const std::string name = fixture.at("statistic");
  if (name == "median") return median;
  if (name == "standard_deviation") return standard_deviation;
  return mean;
}

void expect_interval(const Interval& actual, const nlohmann::json& fixture, const char* method) {
  EXPECT_TRUE(close(actual.estimate, fixture.at("estimate")));
  EXPECT_TRUE(close(actual.low, fixture.at(method).at(0)));
  EXPECT_TRUE(close(actual.high, fixture.at(method).at(1)));
}

TEST(Bootstrap, DrawsTheSameResamplesEverywhere) {
  for (const auto& fixture : judging("bootstrap")) {
    SCOPED_TRACE(fixture.dump());
    const Values x = fixture.at("x");
    const Statistic statistic = statistic_of(fixture);
    const std::size_t resamples = fixture.at("resamples");
    const std::uint64_t seed = fixture.at("seed");
    const double confidence = fixture.at("confidence");
    expect_interval(bootstrap_percentile(x, statistic, resamples, seed, confidence), fixture,
                    "percentile");
    expect_interval(bootstrap_bca(x, statistic, resamples, seed, confidence), fixture, "bca");
  }
}

TEST(Bootstrap, BcaIsNearSciPysWithManyResamples) {
  int seen = 0;
  for (const auto& fixture : judging("bootstrap")) {
    if (!fixture.contains("scipy_bca")) continue;
    SCOPED_TRACE(fixture.dump());
    const Interval interval = bootstrap_bca(fixture.at("x").get<Values>(), statistic_of(fixture),
                                            40'000, 7, fixture.at("confidence"));
    const double low = fixture.at("scipy_bca").at(0);
    const double high = fixture.at("scipy_bca").at(1);
    EXPECT_NEAR(interval.low, low, 0.03 * (high - low));
    EXPECT_NEAR(interval.high, high, 0.03 * (high - low));
    ++seen;
  }
  EXPECT_GE(seen, 3);
}

TEST(Bootstrap, DependsOnTheSeed) {
  const Values x{1, 2, 4, 8, 16, 32};
  EXPECT_EQ(bootstrap_percentile(x, mean, 200, 1).low, bootstrap_percentile(x, mean, 200, 1).low);
  EXPECT_NE(bootstrap_percentile(x, mean, 200, 1).low, bootstrap_percentile(x, mean, 200, 2).low);
}

TEST(Bootstrap, IsTheEstimateAloneWhereNothingVaries) {
  for (const Values& x : {Values{3.25}, Values(9, 0.1)}) {
    for (const Interval& interval :
         {bootstrap_percentile(x, mean, 50, 1), bootstrap_bca(x, mean, 50, 1)}) {
      EXPECT_EQ(interval.estimate, x.front());
      EXPECT_EQ(interval.low, x.front());
      EXPECT_EQ(interval.high, x.front());
    }
  }
  EXPECT_TRUE(std::isnan(bootstrap_bca({}, mean, 50, 1).low));
}

TEST(Bootstrap, BcaStaysWithinTheResultsWhereTheEstimateIsBeyondThem) {
  Values x(30);
  std::iota(x.begin(), x.end(), 1.0);
  // Resamples repeat values, so that none has thirty different ones.
  const Statistic different = [](std::span<const double> values) {
    Values sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    return static_cast<double>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
  };
  const Interval interval = bootstrap_bca(x, different, 500, 3);
  EXPECT_EQ(interval.estimate, 30);
  EXPECT_LE(interval.low, interval.high);
  EXPECT_GE(interval.low, 1);
  EXPECT_LT(interval.high, 30);
}

TEST(Bootstrap, BcaKeepsLowBelowHighForAnOutlierThatAcceleratesMuch) {
  Values x(200, 1.0);
  x.back() = 1e6;
  x.front() = 0;
  const Interval interval = bootstrap_bca(x, mean, 2000, 3, 0.999);
  EXPECT_LE(interval.low, interval.estimate);
  EXPECT_GE(interval.high, interval.estimate);
}

TEST(Bootstrap, CoversTheMean) {
  Noise noise(1);
  int percentile = 0;
  int bca = 0;
  constexpr int runs = 400;
  for (int run = 0; run < runs; ++run) {
    Values x(30);
    for (double& value : x) value = 10 + noise();
    const Interval p = bootstrap_percentile(x, mean, 400, static_cast<std::uint64_t>(run), 0.9);
    const Interval b = bootstrap_bca(x, mean, 400, static_cast<std::uint64_t>(run), 0.9);
    percentile += p.low <= 10 && 10 <= p.high ? 1 : 0;
    bca += b.low <= 10 && 10 <= b.high ? 1 : 0;
  }
  // The standard deviation of 400 runs is 1.5 %.
  EXPECT_NEAR(percentile, 0.9 * runs, 0.06 * runs);
  EXPECT_NEAR(bca, 0.9 * runs, 0.06 * runs);
}

TEST(Bootstrap, RefusesWhatMakesNoSense) {
  const Values x{1, 2};
  EXPECT_THROW(bootstrap_percentile(x, mean, 0, 1), std::invalid_argument);
  EXPECT_THROW(bootstrap_bca(x, mean, 0, 1), std::invalid_argument);
  for (const double bad : {0.0, 1.0, -0.5, not_a_number}) {
    EXPECT_THROW(bootstrap_percentile(x, mean, 10, 1, bad), std::domain_error);
    EXPECT_THROW(bootstrap_bca(x, mean, 10, 1, bad), std::domain_error);
  }
}

}  // namespace
}  // namespace apod::stats
