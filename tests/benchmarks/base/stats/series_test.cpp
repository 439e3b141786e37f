#include "benchmarks/base/stats/series.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/benchmarks/base/stats/coverage.hpp"
#include "tests/benchmarks/base/stats/fixtures.hpp"

namespace apod::stats {
namespace {

Estimate interval_of(const Values& values) {
  return t_interval(series_mean(values));
}

TEST(Series, AgreeWithNumPy) {
  for (const auto& fixture : fixtures("series")) {
    SCOPED_TRACE(fixture.dump());
    const Values x = fixture.at("x");
    const auto estimate = series_mean(x);
    EXPECT_TRUE(close(autocorrelation_time(x), fixture.at("autocorrelation_time"), 1e-10));
    EXPECT_TRUE(close(estimate.mean, fixture.at("mean"), 1e-14));
    EXPECT_TRUE(close(estimate.standard_error, fixture.at("standard_error"), 1e-10));
    EXPECT_TRUE(close(estimate.degrees, fixture.at("degrees"), 1e-10));
  }
}

TEST(Series, OfConstantOrTooFewValuesHaveNoSpread) {
  EXPECT_TRUE(std::isnan(series_mean({}).mean));
  EXPECT_EQ(series_mean(Values{4.5}).standard_error, 0);
  // 0.1 has no exact binary form, so sums of it round: the spread must be 0 all the same.
  for (const double value : {0.1, 28.07e-6, 1e308, 5e-324}) {
    const Values values(6828, value);
    EXPECT_EQ(autocorrelation_time(values), 1);
    EXPECT_EQ(series_mean(values).mean, value);
    EXPECT_EQ(series_mean(values).standard_error, 0);
    EXPECT_EQ(samples_for_precision(values, 0.005), 2u);
  }
}

TEST(Coverage, SeriesIntervalOfIndependentValues) {
  Noise noise(3);
  for (const std::size_t n : {20u, 200u}) {
    const double inside = coverage(10, runs, [&] { return interval_of(ar1(noise, n, 0, 10, 1)); });
    EXPECT_GT(inside, 0.93) << n;
    EXPECT_LT(inside, 0.97) << n;
  }
}

TEST(Coverage, SeriesIntervalOfCorrelatedValuesHoldsWhereTheNaiveOneFails) {
  Noise noise(4);
  const auto draw = [&] { return ar1(noise, 1000, 0.7, 10, 1); };
  const double series = coverage(10, 2000, [&] { return interval_of(draw()); });
  EXPECT_GT(series, 0.93);
  EXPECT_LT(series, 0.97);
  EXPECT_LT(coverage(10, 2000, [&] { return mean_interval(draw()); }), 0.75);
}

TEST(AutocorrelationTime, FindsThatOfAnAr1Series) {
  Noise noise(7);
  for (const double phi : {0.0, 0.5, 0.9}) {
    const double truth = (1 + phi) / (1 - phi);
    EXPECT_NEAR(autocorrelation_time(ar1(noise, 100'000, phi, 5, 1)), truth, 0.1 * truth) << phi;
  }
}

TEST(AutocorrelationTime, IsScaleFree) {
  Noise noise(8);
  const Values values = ar1(noise, 500, 0.6, 3, 1);
  for (const double scale : {1e-300, 1e-6, 1e300}) {
    Values scaled = values;
    for (auto& value : scaled) value *= scale;
    EXPECT_NEAR(autocorrelation_time(scaled), autocorrelation_time(values), 1e-6) << scale;
  }
}

TEST(AutocorrelationTime, OfAStepIsOfTheOrderOfTheSeries) {
  Noise noise(9);
  // Not by the clock, which a busy machine stretches: by windows of the order of n this would be
  // 4e10 steps and more, which take minutes.
  Values values = ar1(noise, 400'000, 0, 1, 0.01);
  for (std::size_t i = values.size() / 2; i < values.size(); ++i) values[i] += 0.02;
  EXPECT_GT(autocorrelation_time(values), 20'000);
  const auto interval = interval_of(values);
  EXPECT_LT(interval.low, 1.001);  // both levels are possible means of a longer run
  EXPECT_GT(interval.high, 1.019);
}

TEST(AutocorrelationTime, OfADriftLeavesHardlyAnyEffectiveSamples) {
  Values line(1000);
  std::iota(line.begin(), line.end(), 1.0);
  const MeanEstimate estimate = series_mean(line);
  EXPECT_GE(estimate.degrees, 1);
  EXPECT_LT(estimate.degrees, 3);
  const auto interval = interval_of(line);
  EXPECT_LT(interval.low, 1);
  EXPECT_GT(interval.high, 1000);
}

TEST(AutocorrelationTime, NeverPromisesMoreThanIndependentValues) {
  Values alternating(100);
  for (std::size_t i = 0; i < alternating.size(); ++i) alternating[i] = i % 2 == 0 ? 1 : 2;
  EXPECT_EQ(autocorrelation_time(alternating), 1);
  EXPECT_EQ(autocorrelation_time(Values{1, 2}), 1);
}

/// Share of runs in which as many samples as the pilot asked for gave the wanted half-width.
double kept_promise(Noise& noise, std::size_t pilot, double phi, double precision, int tries) {
  int kept = 0;
  for (int i = 0; i < tries; ++i) {
    const std::size_t n = samples_for_precision(ar1(noise, pilot, phi, 100, 1), precision);
    const auto interval = interval_of(ar1(noise, n, phi, 100, 1));
    kept += (interval.high - interval.low) / 2 <= precision * interval.value ? 1 : 0;
  }
  return static_cast<double>(kept) / tries;
}

TEST(SamplesForPrecision, KeepsItsPromiseMoreOftenThanNot) {
  Noise noise(10);
  EXPECT_GT(kept_promise(noise, 20, 0, 0.002, 400), 0.75);
  EXPECT_GT(kept_promise(noise, 100, 0, 0.002, 400), 0.75);
  EXPECT_GT(kept_promise(noise, 400, 0.5, 0.002, 200), 0.55);
}

TEST(SamplesForPrecision, IsNearTheTextbookNumber) {
  Noise noise(11);
  // Relative deviation 1 %, wanted 0.1 %: (1.96 * 10)^2 = 384, raised for the pilot's uncertainty.
  double sum = 0;
  for (int i = 0; i < 200; ++i) {
    sum += static_cast<double>(samples_for_precision(ar1(noise, 200, 0, 100, 1), 0.001));
  }
  EXPECT_GT(sum / 200, 384);
  EXPECT_LT(sum / 200, 2 * 384);
}

TEST(SamplesForPrecision, GrowsWithTheInverseSquare) {
  Noise noise(12);
  const Values pilot = ar1(noise, 100, 0, 100, 5);
  const auto coarse = static_cast<double>(samples_for_precision(pilot, 0.001));
  const auto fine = static_cast<double>(samples_for_precision(pilot, 0.0001));
  EXPECT_NEAR(fine / coarse, 100, 1);
}

TEST(SamplesForPrecision, IsTwoForAClockThatStands) {
  EXPECT_EQ(samples_for_precision(Values{0, 0, 0}, 0.01), 2u);
}

TEST(SamplesForPrecision, SaturatesWhereNothingCanBeJudged) {
  constexpr std::size_t most = 1'000'000'000;
  EXPECT_EQ(samples_for_precision({}, 0.01), most);
  EXPECT_EQ(samples_for_precision(Values{1}, 0.01), most);
  EXPECT_EQ(samples_for_precision(Values{-1, 1}, 0.01), most);
  EXPECT_EQ(samples_for_precision(Values{1, 2, 3}, 0), most);
  EXPECT_EQ(samples_for_precision(Values{1, 2, 3}, not_a_number), most);
  EXPECT_EQ(samples_for_precision(Values{1, not_a_number, 3}, 0.01), most);
  EXPECT_EQ(samples_for_precision(Values{1, infinity, 3}, 0.01), most);
  EXPECT_EQ(samples_for_precision(Values{1, 2, 3, 4}, 1e-9), most);
}

}  // namespace
}  // namespace apod::stats
