#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "tests/benchmarks/model/summaries.hpp"

namespace apod {
namespace {

// ---- status -----------------------------------------------------------------------------------

TEST_F(Summaries, OfNothing) {
  EXPECT_TRUE(summarize({}).empty());
}

TEST_F(Summaries, StatusOfEveryCaseInPlanOrder) {
  for (int i = 0; i < 4; ++i) add_case();
  result_.plan.cases[2].skip = "backend cuda not built";
  fail(1, 0, "verify", "sum is 3, not 4");
  measure(0, 0, {1, 2});
  const auto summaries = summarize(result_);
  ASSERT_EQ(summaries.size(), 4u);
  EXPECT_EQ(summaries[0].status, CaseStatus::measured);
  EXPECT_EQ(summaries[1].status, CaseStatus::failed);
  EXPECT_EQ(summaries[1].reason, "verify: sum is 3, not 4");
  EXPECT_EQ(summaries[2].status, CaseStatus::skipped);
  EXPECT_EQ(summaries[2].reason, "backend cuda not built");
  EXPECT_EQ(summaries[3].status, CaseStatus::not_run);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(summaries[i].info, &result_.plan.cases[i]);
}

TEST_F(Summaries, OneFailedProcessFailsTheCase) {
  add_case();
  measure(0, 0, {1, 1});
  measure(0, 1, {1, 1});
  fail(0, 2, "", "killed by signal 9");
  const auto s = summary();
  EXPECT_EQ(s.status, CaseStatus::failed);
  EXPECT_EQ(s.reason, "killed by signal 9");
  EXPECT_TRUE(has_note(s, "1 of 3 processes failed"));
  EXPECT_EQ(s.time_s.value, 0);  // a wrong answer publishes no time
  EXPECT_TRUE(s.facts.empty());
}

TEST_F(Summaries, RefuseAMeasurementOfACaseThatIsNotInThePlan) {
  add_case();
  measure(3, 0, {1});
  EXPECT_THROW(summarize(result_), std::invalid_argument);
}

// ---- the estimator ----------------------------------------------------------------------------

TEST_F(Summaries, ThreeProcessesAreJudgedByTheirMedians) {
  add_case();
  measure(0, 0, {1.0, 1.1, 50.0});  // an outlier moves a mean, not a median
  measure(0, 1, {1.2, 1.2, 1.3});
  measure(0, 2, {0.9, 1.0, 1.0});
  const auto s = summary();
  EXPECT_TRUE(s.between_processes);
  EXPECT_EQ(s.processes, 3);
  EXPECT_EQ(s.samples, 9u);
  expect_equal(s.time_s, stats::log_mean_interval(Values{1.1, 1.2, 1.0}));
}

TEST_F(Summaries, OneOrTwoProcessesAreJudgedByTheirSamples) {
  add_case();
  add_case();
  measure(0, 0, {1.0, 1.1, 1.3, 1.0, 1.2});
  measure(1, 0, {1.0, 1.1, 1.3});
  measure(1, 1, {2.0, 2.2});
  const auto one = summary(0);
  EXPECT_FALSE(one.between_processes);
  EXPECT_EQ(one.processes, 1);
  expect_equal(one.time_s, stats::series_mean_interval(Values{1.0, 1.1, 1.3, 1.0, 1.2}));
  const auto two = summary(1);
  EXPECT_FALSE(two.between_processes);
  EXPECT_EQ(two.processes, 2);
  expect_equal(two.time_s, stats::series_mean_interval(Values{1.0, 1.1, 1.3, 2.0, 2.2}));
}

TEST_F(Summaries, AStepBetweenTwoProcessesWidensTheInterval) {
  add_case();
  add_case();
  Values low, high;
  for (int i = 0; i < 200; ++i) {
    low.push_back(1 + 0.001 * (i % 3));
    high.push_back(1.1 + 0.001 * (i % 3));
  }
  measure(0, 0, low);
  measure(0, 1, low);
  measure(1, 0, low);
  measure(1, 1, high);
  EXPECT_GT(summary(1).time_s.half_width(), 20 * summary(0).time_s.half_width());
  EXPECT_LT(summary(1).time_s.low, 1.01);
  EXPECT_GT(summary(1).time_s.high, 1.09);
}

TEST_F(Summaries, OneSampleHasNoInterval) {
  add_case();
  measure(0, 0, {2.5});
  const auto s = summary();
  EXPECT_EQ(s.time_s.value, 2.5);
  EXPECT_EQ(s.time_s.low, 2.5);
  EXPECT_EQ(s.time_s.half_width(), 0);
}

TEST_F(Summaries, NoTimeIsNegative) {
  add_case();
  measure(0, 0, {1, 2});
  const auto s = summary();
  EXPECT_EQ(s.time_s.low, 0) << "t of two samples reaches beyond";
  EXPECT_GT(s.time_s.high, 7);
  EXPECT_TRUE(s.time_s.lopsided());
}

TEST_F(Summaries, ConstantSamplesHaveAnIntervalOfNoWidth) {
  add_case();
  for (int process = 0; process < 3; ++process) measure(0, process, Values(7, 0.1));
  const auto s = summary();
  EXPECT_EQ(s.time_s.half_width(), 0);
  EXPECT_NEAR(s.time_s.value, 0.1, 1e-15);
}

TEST_F(Summaries, AClockThatReadsZeroIsNoNaN) {
  add_case();
  for (int process = 0; process < 3; ++process) measure(0, process, {0, 0});
  const auto s = summary();
  EXPECT_EQ(s.status, CaseStatus::measured);
  EXPECT_EQ(s.time_s.value, 0);
  for (const auto& [name, value] : s.facts) EXPECT_TRUE(std::isfinite(value)) << name;
}

TEST_F(Summaries, DeviceTimeHasTheSameEstimator) {
  add_case();
  result_.plan.experiments[0].scope = Scope::end_to_end;
  for (int process = 0; process < 3; ++process) {
    measure(0, process, {2, 3, 4}).device_samples_s = {1, 2 + 0.1 * process, 3};
  }
  const auto s = summary();
  expect_equal(s.device_time_s, stats::log_mean_interval(Values{2, 2.1, 2.2}));
  EXPECT_DOUBLE_EQ(s.facts.at("device_time"), s.device_time_s.value);
}

// ---- throttling -------------------------------------------------------------------------------

TEST_F(Summaries, ThrottledSamplesAreKeptOutAndCounted) {
  add_case();
  auto& measurement = measure(0, 0, {1.0, 9.0, 1.2, 9.0});
  measurement.throttled = {0, 1, 0, 1};
  measurement.device_samples_s = {0.5, 8.0, 0.7, 8.0};
  const auto s = summary();
  EXPECT_EQ(s.samples, 2u);
  EXPECT_EQ(s.throttled, 2u);
  EXPECT_DOUBLE_EQ(s.time_s.value, 1.1);
  EXPECT_DOUBLE_EQ(s.device_time_s.value, 0.6);
  EXPECT_EQ(s.facts.at("throttled"), 2);
  EXPECT_EQ(s.facts.at("samples"), 2);
}

TEST_F(Summaries, WhereAllSamplesAreThrottledAllAreKept) {
  add_case();
  measure(0, 0, {1.0, 1.2}).throttled = {1, 1};
  const auto s = summary();
  EXPECT_EQ(s.samples, 2u);
  EXPECT_EQ(s.throttled, 2u);
  EXPECT_DOUBLE_EQ(s.time_s.value, 1.1);
  EXPECT_TRUE(has_note(s, "all samples were taken while throttled"));
}

TEST_F(Summaries, AThrottledProcessIsLeftOutWhereOthersAreBetter) {
  add_case();
  measure(0, 0, {1.0, 1.2});
  measure(0, 1, {5.0, 5.0}).throttled = {1, 1};
  measure(0, 2, {1.0, 1.2});
  const auto s = summary();
  EXPECT_EQ(s.processes, 2);
  EXPECT_FALSE(s.between_processes);
  EXPECT_DOUBLE_EQ(s.time_s.value, 1.1);
  EXPECT_TRUE(has_note(s, "process 1 left out"));
}

TEST_F(Summaries, MarksThatAreMissingMeanNotThrottled) {
  add_case();
  measure(0, 0, {1.0, 2.0, 3.0}).throttled = {1};
  EXPECT_EQ(summary().samples, 2u);
}

// ---- delta ------------------------------------------------------------------------------------

TEST_F(Summaries, DeltaIsPairedByProcessAgainstTheBaseline) {
  add_case();
  add_case(0);
  for (int process = 0; process < 3; ++process) {
    const double level = 1 + 0.3 * process;  // processes differ far more than the cases
    measure(0, process, {level, level, level});
    measure(1, 2 - process, {0.8 * (1 + 0.3 * (2 - process))});  // in another order
  }
  const auto summaries = summarize(result_);
  EXPECT_FALSE(summaries[0].delta.has_value());
  ASSERT_TRUE(summaries[1].delta.has_value());
  EXPECT_NEAR(summaries[1].delta->value, -0.2, 1e-12);
  EXPECT_NEAR(summaries[1].delta->half_width(), 0, 1e-12);
  EXPECT_NEAR(summaries[1].facts.at("delta"), -0.2, 1e-12);
  EXPECT_NEAR(summaries[1].facts.at("speedup"), 1.25, 1e-12);
  EXPECT_NEAR(1 + summaries[1].delta->value, summaries[1].time_s.value / summaries[0].time_s.value,
              1e-12);
}

TEST_F(Summaries, DeltaOfFewProcessesIsOfTheirSamples) {
  add_case(1);  // the baseline may come later in the plan
  add_case();
  const Values ours{1.0, 1.1, 1.2, 1.1};
  const Values base{2.0, 2.1, 2.2, 2.0, 2.1};
  measure(0, 0, ours);
  measure(1, 0, base);
  const auto s = summary();
  ASSERT_TRUE(s.delta.has_value());
  expect_equal(*s.delta, stats::series_change(ours, base));
  EXPECT_LT(s.delta->value, 0);
}

TEST_F(Summaries, DeltaWithFewSharedProcessesFallsBackToSamples) {
  add_case();
  add_case(0);
  for (int process = 0; process < 3; ++process) measure(0, process, {2.0, 2.1});
  measure(1, 0, {1.0, 1.1});
  const auto s = summary(1);
  ASSERT_TRUE(s.delta.has_value());
  expect_equal(*s.delta,
               stats::series_change(Values{1.0, 1.1}, Values{2.0, 2.1, 2.0, 2.1, 2.0, 2.1}));
}

TEST_F(Summaries, NoDeltaAgainstABaselineThatWasNotMeasured) {
  add_case();
  add_case(0);
  fail(0, 0, "setup", "out of memory");
  measure(1, 0, {1, 2});
  const auto s = summary(1);
  EXPECT_EQ(s.status, CaseStatus::measured);
  EXPECT_FALSE(s.delta.has_value());
  EXPECT_TRUE(has_note(s, "no delta"));
  EXPECT_EQ(s.facts.count("speedup"), 0u);
}

TEST_F(Summaries, NoDeltaAgainstAClockThatReadZero) {
  add_case();
  add_case(0);
  measure(0, 0, {0, 0});
  measure(1, 0, {1, 2});
  EXPECT_FALSE(summary(1).delta.has_value());
}

// ---- speed ------------------------------------------------------------------------------------

TEST_F(Summaries, OfTenThousandCasesThatShareABaseline) {
  for (const int processes : {1, 3}) {
    result_.plan.cases.clear();
    result_.measurements.clear();
    for (std::size_t i = 0; i < 10'000; ++i) {
      add_case(i == 0 ? std::nullopt : std::optional<std::size_t>(0));
      for (int process = 0; process < processes; ++process) {
        Values samples(i == 0 ? 20'000 : 50);
        for (std::size_t k = 0; k < samples.size(); ++k)
          samples[k] = 1 + 0.01 * double((k * 7) % 5);
        measure(i, process, std::move(samples));
      }
    }
    // Not by the clock, which a busy machine stretches: with the baseline judged anew for each case
    // this would not end in time.
    EXPECT_TRUE(summarize(result_).back().delta.has_value()) << processes << " processes";
  }
}

}  // namespace
}  // namespace apod
