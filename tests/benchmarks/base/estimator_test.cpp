#include "benchmarks/base/estimator.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "benchmarks/base/stats/means.hpp"

namespace apod {
namespace {

using Values = std::vector<double>;

void expect_equal(const Estimate& estimate, const Estimate& interval) {
  EXPECT_DOUBLE_EQ(estimate.value, interval.value);
  EXPECT_DOUBLE_EQ(estimate.low, interval.low);
  EXPECT_DOUBLE_EQ(estimate.high, interval.high);
}

Measurement measured(Values samples, std::vector<std::uint8_t> throttled = {}) {
  Measurement measurement;
  measurement.samples_s = std::move(samples);
  measurement.throttled = std::move(throttled);
  return measurement;
}

TEST(EstimateTime, IsTheGeometricMeanOfHoweverManyMedians) {
  for (const Values& medians : {Values{4}, Values{2, 8}, Values{1, 4, 16}}) {
    const auto time = estimate_time(medians);
    EXPECT_NEAR(time.value, 4, 1e-12);
    EXPECT_EQ(time.has_interval(), medians.size() >= 3);
    if (time.has_interval()) expect_equal(time, stats::log_mean_interval(medians));
  }
}

TEST(EstimateTime, OfAClockThatReadsZeroIsZeroWithoutAnInterval) {
  const auto time = estimate_time(Values{1, 0, 1});
  EXPECT_EQ(time.value, 0);
  EXPECT_FALSE(time.has_interval());
  EXPECT_TRUE(std::isnan(estimate_time({}).value));
}

TEST(EstimateDelta, IsTheRatioOfTheGeometricMeans) {
  const Values medians{1, 4.5, 8};
  const Values base{2, 9, 16};
  for (const bool paired : {false, true}) {
    for (std::size_t n = 1; n <= 3; ++n) {
      const auto delta =
          estimate_delta(std::span(medians).first(n), std::span(base).first(n), paired);
      ASSERT_TRUE(delta.has_value());
      EXPECT_NEAR(delta->value, -0.5, 1e-12);
      EXPECT_EQ(delta->has_interval(), n >= 3);
    }
    EXPECT_FALSE(estimate_delta({}, {}, paired).has_value());
    EXPECT_FALSE(estimate_delta(Values{1}, Values{0}, paired).has_value()) << "a clock that read 0";
    EXPECT_FALSE(estimate_delta(Values{0}, Values{1}, paired).has_value());
  }
  expect_equal(*estimate_delta(Values{1, 2, 4}, Values{2, 1, 2}, true),
               stats::paired_change(Values{1, 2, 4}, Values{2, 1, 2}));
  expect_equal(*estimate_delta(Values{1, 2, 4}, Values{2, 1, 2, 3}, false),
               stats::unpaired_change(Values{1, 2, 4}, Values{2, 1, 2, 3}));
  EXPECT_THROW(estimate_delta(Values{1, 2}, Values{1}, true), std::invalid_argument);
}

TEST(Estimate, IsLopsidedWhereOneEndIsFarther) {
  EXPECT_FALSE((Estimate{2}.lopsided()));
  EXPECT_FALSE((Estimate{2, 1, 3}.lopsided()));
  EXPECT_FALSE((Estimate{2, 2, std::nextafter(2.0, 3.0)}.lopsided())) << "rounding of no width";
  EXPECT_TRUE((Estimate{2, 1, 4}.lopsided()));
}

TEST(SummarizeProcess, LeavesThrottledSamplesOutUnlessAllAre) {
  struct Example {
    Measurement measurement;
    double median;
    std::size_t samples;
    bool throttled;
  };
  for (const auto& [measurement, median, samples, throttled] :
       {Example{measured({1, 2, 9}), 2, 3, false},
        Example{measured({1.0, 9, 1.2, 9}, {0, 1, 0, 1}), 1.1, 2, false},
        Example{measured({5, 7}, {1, 1}), 6, 2, true},
        // A mark that is missing means not throttled.
        Example{measured({1, 2, 3}, {1}), 2.5, 2, false}}) {
    const auto process = summarize_process(measurement);
    EXPECT_DOUBLE_EQ(process.median_s, median);
    EXPECT_EQ(process.samples, samples);
    EXPECT_EQ(process.throttled, throttled);
  }
  auto end_to_end = measured({1, 9, 1}, {0, 1, 0});
  EXPECT_FALSE(summarize_process(end_to_end).device_median_s.has_value());
  end_to_end.device_samples_s = {0.5, 8, 0.7};
  EXPECT_DOUBLE_EQ(summarize_process(end_to_end).device_median_s.value(), 0.6);
}

TEST(SummarizeProcess, TellsTheWidthOfTheMiddleHalfOfItsSamples) {
  EXPECT_DOUBLE_EQ(summarize_process(measured({4, 1, 2, 5, 3})).sample_spread.value(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(
      summarize_process(measured({4, 1, 2, 5, 3, 99}, {0, 0, 0, 0, 0, 1})).sample_spread.value(),
      2.0 / 3);
  EXPECT_EQ(summarize_process(measured({3, 3, 3})).sample_spread, 0);
  EXPECT_FALSE(summarize_process(measured({3})).sample_spread.has_value());
  EXPECT_FALSE(summarize_process(measured({0, 0})).sample_spread.has_value());
}

TEST(LeaveOutThrottled, KeepsThemWhereNoOthersAre) {
  const auto left = [](std::vector<ProcessSummary> processes) {
    const auto dropped = leave_out_throttled(processes);
    return std::pair{processes.size(), dropped};
  };
  ProcessSummary slow;
  slow.throttled = true;
  EXPECT_EQ(left({{}, slow, {}}), (std::pair<std::size_t, std::size_t>{2, 1}));
  EXPECT_EQ(left({slow, slow}), (std::pair<std::size_t, std::size_t>{2, 0}));
  EXPECT_EQ(left({}), (std::pair<std::size_t, std::size_t>{0, 0}));
}

}  // namespace
}  // namespace apod
