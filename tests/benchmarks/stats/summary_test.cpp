#include "benchmarks/stats/summary.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/benchmarks/stats/noise.hpp"

namespace apod::stats {
namespace {

using Values = std::vector<double>;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// ---- against SciPy and NumPy ------------------------------------------------------------------

struct Fixture {
  std::string function;
  std::string argument;
  Values expected;
  Values a;
  Values b;
  std::size_t line = 0;
};

Values parse_values(const std::string& text) {
  std::istringstream in(text);
  Values values;
  for (std::string word; in >> word;) values.push_back(std::stod(word));
  return values;
}

std::vector<Fixture> read_fixtures() {
  std::ifstream in(APOD_SOURCE_DIR "/tests/data/stats/fixtures.csv");
  std::vector<Fixture> fixtures;
  std::string line;
  std::getline(in, line);  // the header
  for (std::size_t number = 2; std::getline(in, line); ++number) {
    std::vector<std::string> cells;
    std::istringstream row(line + ",");
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    fixtures.push_back({cells.at(0), cells.at(1), parse_values(cells.at(2)),
                        parse_values(cells.at(3)), parse_values(cells.at(4)), number});
  }
  return fixtures;
}

Values flat(const Interval& interval) {
  return {interval.estimate, interval.low, interval.high};
}

Values evaluate(const Fixture& f) {
  const double argument = f.argument.empty() ? 0 : std::stod(f.argument);
  if (f.function == "mean") return {mean(f.a)};
  if (f.function == "standard_deviation") return {standard_deviation(f.a)};
  if (f.function == "median") return {median(f.a)};
  if (f.function == "quantile") return {quantile(f.a, argument)};
  if (f.function == "t_quantile") return {t_quantile(argument, f.a.at(0))};
  if (f.function == "autocorrelation_time") return {autocorrelation_time(f.a)};
  if (f.function == "mean_interval") return flat(mean_interval(f.a, argument));
  if (f.function == "log_mean_interval") return flat(log_mean_interval(f.a, argument));
  if (f.function == "series_mean_interval") return flat(series_mean_interval(f.a, argument));
  if (f.function == "paired_change") return flat(paired_change(f.a, f.b, argument));
  if (f.function == "series_change") return flat(series_change(f.a, f.b, argument));
  throw std::invalid_argument("no such function: " + f.function);
}

TEST(Fixtures, AgreeWithSciPyAndNumPy) {
  std::map<std::string, int> seen;
  for (const auto& fixture : read_fixtures()) {
    SCOPED_TRACE("fixtures.csv:" + std::to_string(fixture.line) + " " + fixture.function);
    const Values actual = evaluate(fixture);
    ASSERT_EQ(actual.size(), fixture.expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
      const double expected = fixture.expected[i];
      // Relative, and for changes absolute too: they are differences near 1.
      const bool is_change = fixture.function.find("change") != std::string::npos;
      const double slack = std::abs(expected) * 1e-10 + (is_change ? 1e-12 : 0);
      // The median of t is 0, which neither library hits exactly.
      EXPECT_NEAR(actual[i], expected, fixture.argument == "0.5" ? slack + 1e-12 : slack);
    }
    ++seen[fixture.function];
  }
  EXPECT_EQ(seen.size(), 11u);
}

// ---- known answers and the edges --------------------------------------------------------------

TEST(Basics, EmptyGivesNaNAndNoSpread) {
  EXPECT_TRUE(std::isnan(mean({})));
  EXPECT_TRUE(std::isnan(median({})));
  EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
  EXPECT_EQ(standard_deviation({}), 0);
  EXPECT_EQ(autocorrelation_time({}), 1);
  for (const auto& interval : {mean_interval({}), series_mean_interval({}), log_mean_interval({}),
                               paired_change({}, {}), series_change({}, {})}) {
    EXPECT_TRUE(std::isnan(interval.estimate));
  }
}

TEST(Basics, OneValueIsItsOwnInterval) {
  const Values one{4.5};
  EXPECT_EQ(mean(one), 4.5);
  EXPECT_EQ(median(one), 4.5);
  EXPECT_EQ(quantile(one, 0.3), 4.5);
  EXPECT_EQ(standard_deviation(one), 0);
  for (const auto& interval : {mean_interval(one), series_mean_interval(one)}) {
    EXPECT_EQ(flat(interval), Values({4.5, 4.5, 4.5}));
  }
  const auto change = series_change(one, Values{9});
  EXPECT_NEAR(change.estimate, -0.5, 1e-15);
  EXPECT_EQ(change.low, change.high);
}

// 0.1 has no exact binary form, so sums of it round: the spread must be 0 all the same.
class Constant : public testing::TestWithParam<double> {};

TEST_P(Constant, HasNoWidth) {
  const Values values(6828, GetParam());  // enough for long double to round 0.1 away
  EXPECT_EQ(mean(values), GetParam());
  EXPECT_EQ(standard_deviation(values), 0);
  EXPECT_EQ(autocorrelation_time(values), 1);
  EXPECT_EQ(flat(series_mean_interval(values)), Values(3, GetParam()));
  EXPECT_EQ(samples_for_precision(values, 0.005), 2u);
  const auto logarithmic = log_mean_interval(values);
  EXPECT_EQ(logarithmic.low, logarithmic.high);
  const auto change = series_change(values, values);
  EXPECT_EQ(flat(change), Values(3, 0));
}
INSTANTIATE_TEST_SUITE_P(Values, Constant,
                         testing::Values(0.1, 1.0 / 3, 28.07e-6, 1e308, 1e-308, 5e-324));

TEST(Basics, SumsOfHugeValuesDoNotOverflow) {
  const double most = std::numeric_limits<double>::max();
  EXPECT_EQ(mean(Values{most, most, most}), most);
  EXPECT_EQ(mean(Values{most, -most}), 0);
  EXPECT_EQ(median(Values{most, most}), most);
  EXPECT_TRUE(std::isfinite(standard_deviation(Values{1e308, 1.5e308})));
}

TEST(Basics, NaNIsPassedOn) {
  const Values values{1, not_a_number, 3};
  EXPECT_TRUE(std::isnan(mean(values)));
  EXPECT_TRUE(std::isnan(median(values)));
  EXPECT_TRUE(std::isnan(quantile(values, 0.5)));
  EXPECT_TRUE(std::isnan(series_mean_interval(values).low));
  EXPECT_TRUE(std::isnan(series_mean_interval(Values{1, infinity, 3}).low));
}

TEST(Basics, OrderOfValuesDoesNotMatterToTheMedian) {
  EXPECT_EQ(median(Values{5, 1, 3}), 3);
  EXPECT_EQ(median(Values{4, 1, 3, 2}), 2.5);
}

TEST(Basics, RefusesWhatIsNoProbability) {
  EXPECT_THROW(quantile(Values{1, 2}, -0.01), std::domain_error);
  EXPECT_THROW(quantile(Values{1, 2}, 1.01), std::domain_error);
  EXPECT_THROW(quantile(Values{1, 2}, not_a_number), std::domain_error);
  EXPECT_THROW(t_quantile(0, 3), std::domain_error);
  EXPECT_THROW(t_quantile(1, 3), std::domain_error);
  EXPECT_THROW(t_quantile(0.5, 0), std::domain_error);
  EXPECT_THROW(t_quantile(0.5, not_a_number), std::domain_error);
  EXPECT_THROW(mean_interval(Values{1, 2}, 1), std::domain_error);
}

TEST(LogMean, IsTheGeometricMean) {
  const auto interval = log_mean_interval(Values{1, 10, 100});
  EXPECT_NEAR(interval.estimate, 10, 1e-12);
  EXPECT_NEAR(interval.low * interval.high, 100, 1e-9);  // symmetric in the logarithm
  EXPECT_TRUE(std::isnan(log_mean_interval(Values{1, 0}).estimate));
  EXPECT_TRUE(std::isnan(log_mean_interval(Values{1, -2}).estimate));
}

TEST(PairedChange, SeesWhatTheProcessesShare) {
  const Values base{1.0, 1.3, 0.8};
  const Values same_factor{0.9, 1.17, 0.72};
  const auto change = paired_change(same_factor, base);
  EXPECT_NEAR(change.estimate, -0.1, 1e-12);
  EXPECT_NEAR(change.high - change.low, 0, 1e-12);
  EXPECT_THROW(paired_change(base, Values{1, 2}), std::invalid_argument);
}

TEST(SeriesChange, IsAntisymmetricInTheLogarithm) {
  const Values a{1.0, 1.1, 0.9, 1.05};
  const Values b{2.0, 2.2, 1.9};
  const auto forth = series_change(a, b);
  const auto back = series_change(b, a);
  EXPECT_NEAR((1 + forth.estimate) * (1 + back.estimate), 1, 1e-12);
  EXPECT_NEAR((1 + forth.low) * (1 + back.high), 1, 1e-12);
  EXPECT_TRUE(std::isnan(series_change(a, Values{0, 0}).estimate));
}

// ---- simulations with a fixed seed ------------------------------------------------------------

/// A stationary AR(1) series; its integrated autocorrelation time is (1 + phi) / (1 - phi).
Values ar1(Noise& noise, std::size_t n, double phi, double centre, double deviation) {
  Values values(n);
  const double scale = std::sqrt(1 - phi * phi);
  double x = noise();
  for (auto& value : values) {
    value = centre + deviation * x;
    x = phi * x + scale * noise();
  }
  return values;
}

template <class Draw>
double coverage(double truth, int runs, Draw draw) {
  int inside = 0;
  for (int run = 0; run < runs; ++run) {
    const Interval interval = draw();
    inside += interval.low <= truth && truth <= interval.high ? 1 : 0;
  }
  return static_cast<double>(inside) / runs;
}

// 4000 runs of a true 95 % have a standard deviation of 0.34 %.
constexpr int runs = 4000;

TEST(Coverage, MeanIntervalOfIndependentValues) {
  Noise noise(1);
  for (const std::size_t n : {3u, 10u, 40u}) {
    const double inside =
        coverage(10, runs, [&] { return mean_interval(ar1(noise, n, 0, 10, 1)); });
    EXPECT_GT(inside, 0.93) << n;
    EXPECT_LT(inside, 0.97) << n;
  }
}

TEST(Coverage, LogMeanIntervalOfLogNormalValues) {
  Noise noise(2);
  const double inside = coverage(std::exp(2.0), runs, [&] {
    Values values = ar1(noise, 4, 0, 2, 0.3);
    for (auto& value : values) value = std::exp(value);
    return log_mean_interval(values);
  });
  EXPECT_GT(inside, 0.93);
  EXPECT_LT(inside, 0.97);
}

TEST(Coverage, SeriesIntervalOfIndependentValues) {
  Noise noise(3);
  for (const std::size_t n : {20u, 200u}) {
    const double inside =
        coverage(10, runs, [&] { return series_mean_interval(ar1(noise, n, 0, 10, 1)); });
    EXPECT_GT(inside, 0.93) << n;
    EXPECT_LT(inside, 0.97) << n;
  }
}

TEST(Coverage, SeriesIntervalOfCorrelatedValuesHoldsWhereTheNaiveOneFails) {
  Noise noise(4);
  const auto draw = [&] { return ar1(noise, 1000, 0.7, 10, 1); };
  const double series = coverage(10, 2000, [&] { return series_mean_interval(draw()); });
  EXPECT_GT(series, 0.93);
  EXPECT_LT(series, 0.97);
  EXPECT_LT(coverage(10, 2000, [&] { return mean_interval(draw()); }), 0.75);
}

TEST(Coverage, SeriesChangeOfCorrelatedValues) {
  Noise noise(5);
  const double inside = coverage(-0.1, 2000, [&] {
    const Values a = ar1(noise, 800, 0.5, 9, 0.5);
    return series_change(a, ar1(noise, 600, 0.3, 10, 0.5));
  });
  EXPECT_GT(inside, 0.93);
  EXPECT_LT(inside, 0.97);
}

TEST(Coverage, PairedChange) {
  Noise noise(6);
  const double inside = coverage(-0.2, runs, [&] {
    const Values level = ar1(noise, 5, 0, 0, 0.5);
    Values a, b;
    for (const double x : level) {
      a.push_back(0.8 * std::exp(x + 0.01 * noise()));
      b.push_back(std::exp(x + 0.01 * noise()));
    }
    return paired_change(a, b);
  });
  EXPECT_GT(inside, 0.93);
  EXPECT_LT(inside, 0.97);
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
  const auto interval = series_mean_interval(values);
  EXPECT_LT(interval.low, 1.001);  // both levels are possible means of a longer run
  EXPECT_GT(interval.high, 1.019);
}

TEST(AutocorrelationTime, OfADriftLeavesHardlyAnyEffectiveSamples) {
  Values line(1000);
  std::iota(line.begin(), line.end(), 1.0);
  const MeanEstimate estimate = series_mean(line);
  EXPECT_GE(estimate.degrees, 1);
  EXPECT_LT(estimate.degrees, 3);
  const auto interval = series_mean_interval(line);
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
    const auto interval = series_mean_interval(ar1(noise, n, phi, 100, 1));
    kept += (interval.high - interval.low) / 2 <= precision * interval.estimate ? 1 : 0;
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
