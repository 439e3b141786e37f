#include "benchmarks/base/stats/means.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "tests/benchmarks/base/stats/coverage.hpp"
#include "tests/benchmarks/base/stats/fixtures.hpp"

namespace apod::stats {
namespace {

Values flat(const Estimate& interval) {
  return {interval.value, interval.low, interval.high};
}

void expect_close(const Values& actual, const Values& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_TRUE(close(actual[i], expected[i], 1e-10));
  }
}

TEST(Means, AgreeWithSciPyAndNumPy) {
  for (const auto& fixture : fixtures("means")) {
    SCOPED_TRACE(fixture.dump());
    const Values x = fixture.at("x");
    EXPECT_TRUE(close(mean(x), fixture.at("mean"), 1e-14));
    EXPECT_TRUE(close(standard_deviation(x), fixture.at("standard_deviation"), 1e-10));
    EXPECT_EQ(median(x), fixture.at("median").get<double>());
    for (const Values row : fixture.at("quantiles")) {
      EXPECT_TRUE(close(quantile(x, row[0]), row[1], 1e-14));
    }
    for (const Values row : fixture.at("mean_intervals")) {
      expect_close(flat(mean_interval(x, row[0])), {row.begin() + 1, row.end()});
    }
    for (const Values row : fixture.at("log_mean_intervals")) {
      expect_close(flat(log_mean_interval(x, row[0])), {row.begin() + 1, row.end()});
    }
  }
}

TEST(TQuantile, AgreesWithSciPy) {
  for (const auto& fixture : fixtures("t_quantiles")) {
    const double t = t_quantile(fixture.at("probability"), fixture.at("degrees"));
    // The median of t is 0, which neither library hits exactly.
    EXPECT_TRUE(std::abs(t) < 1e-12 || close(t, fixture.at("t"), 1e-10)) << fixture.dump();
  }
}

TEST(PairedChange, AgreesWithSciPy) {
  for (const auto& fixture : fixtures("paired_changes")) {
    const auto change =
        flat(paired_change(fixture.at("a").get<Values>(), fixture.at("b").get<Values>()));
    const Values expected = fixture.at("change");
    // A change is a difference near 1, so the slack is absolute.
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(change[i], expected[i], 1e-11);
  }
}

TEST(UnpairedChange, AgreesWithSciPy) {
  for (const auto& fixture : fixtures("unpaired_changes")) {
    const auto change =
        flat(unpaired_change(fixture.at("a").get<Values>(), fixture.at("b").get<Values>()));
    const Values expected = fixture.at("change");
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(change[i], expected[i], 1e-11);
  }
}

// ---- known answers and the edges --------------------------------------------------------------

TEST(Basics, EmptyGivesNaNAndNoSpread) {
  EXPECT_TRUE(std::isnan(mean({})));
  EXPECT_TRUE(std::isnan(median({})));
  EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
  EXPECT_EQ(standard_deviation({}), 0);
  for (const auto& interval :
       {mean_interval({}), log_mean_interval({}), paired_change({}, {}), unpaired_change({}, {})}) {
    EXPECT_TRUE(std::isnan(interval.value));
  }
}

TEST(Basics, OneValueIsItsOwnInterval) {
  const Values one{4.5};
  EXPECT_EQ(mean(one), 4.5);
  EXPECT_EQ(median(one), 4.5);
  EXPECT_EQ(quantile(one, 0.3), 4.5);
  EXPECT_EQ(standard_deviation(one), 0);
  EXPECT_EQ(flat(mean_interval(one)), Values({4.5, 4.5, 4.5}));
  EXPECT_EQ(mean_estimate(one).degrees, 1);
}

// 0.1 has no exact binary form, so sums of it round: the spread must be 0 all the same.
class Constant : public testing::TestWithParam<double> {};

TEST_P(Constant, HasNoWidth) {
  const Values values(6828, GetParam());  // enough for long double to round 0.1 away
  EXPECT_EQ(mean(values), GetParam());
  EXPECT_EQ(standard_deviation(values), 0);
  EXPECT_EQ(flat(mean_interval(values)), Values(3, GetParam()));
  const auto logarithmic = log_mean_interval(values);
  EXPECT_EQ(logarithmic.low, logarithmic.high);
  EXPECT_EQ(flat(paired_change(values, values)), Values(3, 0));
  EXPECT_EQ(flat(unpaired_change(values, values)), Values(3, 0));
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
  EXPECT_TRUE(std::isnan(mean_interval(values).low));
  EXPECT_TRUE(std::isnan(mean_interval(Values{1, infinity, 3}).low));
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
  EXPECT_NEAR(interval.value, 10, 1e-12);
  EXPECT_NEAR(interval.low * interval.high, 100, 1e-9);  // symmetric in the logarithm
  EXPECT_TRUE(std::isnan(log_mean_interval(Values{1, 0}).value));
  EXPECT_TRUE(std::isnan(log_mean_interval(Values{1, -2}).value));
}

TEST(PairedChange, SeesWhatTheProcessesShare) {
  const Values base{1.0, 1.3, 0.8};
  const Values same_factor{0.9, 1.17, 0.72};
  const auto change = paired_change(same_factor, base);
  EXPECT_NEAR(change.value, -0.1, 1e-12);
  EXPECT_NEAR(change.high - change.low, 0, 1e-12);
  EXPECT_THROW(paired_change(base, Values{1, 2}), std::invalid_argument);
}

// ---- simulations with a fixed seed ------------------------------------------------------------

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

}  // namespace
}  // namespace apod::stats
