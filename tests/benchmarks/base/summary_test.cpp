#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "tests/benchmarks/base/summaries.hpp"

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
  EXPECT_EQ(s.time().value, 0);  // a wrong answer publishes no time
  EXPECT_TRUE(s.facts.empty());
}

TEST_F(Summaries, TheProfileIsThatOfTheTracedProcess) {
  add_case();
  add_case();
  for (int process = 0; process < 3; ++process) measure(0, process, {1});
  measure(1, 0, {1});
  result_.measurements[1].profile.kernels.emplace_back().name = "f";
  const auto summaries = summarize(result_);
  EXPECT_EQ(summaries[0].profile, &result_.measurements[1].profile);
  EXPECT_TRUE(summaries[1].profile->empty());
}

TEST_F(Summaries, RefuseAMeasurementOfACaseThatIsNotInThePlan) {
  add_case();
  measure(3, 0, {1});
  EXPECT_THROW(summarize(result_), std::invalid_argument);
}

// ---- the estimator ----------------------------------------------------------------------------

TEST_F(Summaries, TimeIsOfTheProcessesMediansHoweverManySamplesEachTook) {
  add_case();
  add_case();
  measure(0, 0, Values(4432, 1.0));
  measure(0, 1, Values(20, 4.0));
  for (int process = 0; process < 3; ++process) {
    measure(1, process, {1.0 + 0.1 * process, 50.0, 1.0});  // an outlier moves a mean, not a median
  }
  const auto two = summary(0);
  EXPECT_DOUBLE_EQ(two.time().value, 2);
  EXPECT_FALSE(two.time().has_interval());
  EXPECT_EQ(two.value("sample_spread"), 0) << "of samples: that two processes differ it can't tell";
  EXPECT_EQ(two.value("processes"), 2);
  EXPECT_EQ(two.value("samples"), 4452);
  const auto three = summary(1);
  EXPECT_TRUE(three.time().has_interval());
  EXPECT_EQ(three.value("processes"), 3);
  EXPECT_DOUBLE_EQ(three.time().value, std::cbrt(1.0 * 1.1 * 1.2));
  EXPECT_DOUBLE_EQ(three.value("sample_spread"), (24.5 / 1.0 + 24.5 / 1.1 + 24.5 / 1.2) / 3);
}

TEST_F(Summaries, AFewProcessesFarFromTheOthersAreNoMode) {
  add_case();
  for (int process = 0; process < 30; ++process) {
    const double s = (process % 10 == 0 ? 4.0 : 1.0) + 1e-3 * (process % 7);
    measure(0, process, {s, s, s});
  }
  EXPECT_TRUE(
      has_note(summary(), "the times of a few processes differ clearly from others: 3 at "));
  for (int process = 30; process < 36; ++process) measure(0, process, {4.0, 4.0, 4.0});
  EXPECT_TRUE(has_note(summary(), "the process times form two groups: 27 at "));
}

TEST_F(Summaries, AClockThatReadsZeroIsNoNaN) {
  add_case();
  for (int process = 0; process < 3; ++process) measure(0, process, {0, 0});
  const auto s = summary();
  EXPECT_EQ(s.status, CaseStatus::measured);
  EXPECT_EQ(s.time().value, 0);
  for (const auto& [name, value] : s.values()) EXPECT_TRUE(std::isfinite(value)) << name;
}

TEST_F(Summaries, DeviceTimeHasTheSameEstimator) {
  add_case();
  result_.plan.experiments[0].scope = Scope::end_to_end;
  for (int process = 0; process < 3; ++process) {
    measure(0, process, {2, 3, 4}).device_samples_s = {1, 2 + 0.1 * process, 3};
  }
  const auto s = summary();
  EXPECT_DOUBLE_EQ(s.value("device_time"), estimate_time(Values{2, 2.1, 2.2}).value);
  EXPECT_DOUBLE_EQ(s.fact("device_time")->low, estimate_time(Values{2, 2.1, 2.2}).low);
}

// ---- throttling -------------------------------------------------------------------------------

TEST_F(Summaries, ThrottledSamplesAreKeptOutAndCounted) {
  add_case();
  measure(0, 0, {1.0, 9.0, 1.2, 9.0}).throttled = {0, 1, 0, 1};
  measure(0, 1, {1.1});
  const auto s = summary();
  EXPECT_EQ(s.value("samples"), 3);
  EXPECT_EQ(s.value("throttled"), 2);
  EXPECT_DOUBLE_EQ(s.time().value, 1.1);
  EXPECT_EQ(s.value("throttled"), 2);
  EXPECT_EQ(s.value("throttled_share"), 0.25) << "the mean over the processes";
  EXPECT_EQ(s.value("samples"), 3);
  EXPECT_TRUE(s.notes.empty());
}

TEST_F(Summaries, WhereAllSamplesAreThrottledAllAreKept) {
  add_case();
  measure(0, 0, {1.0, 1.2}).throttled = {1, 1};
  const auto s = summary();
  EXPECT_EQ(s.value("samples"), 2);
  EXPECT_EQ(s.value("throttled"), 2);
  EXPECT_DOUBLE_EQ(s.time().value, 1.1);
  EXPECT_TRUE(has_note(s, "the device was throttled during all samples"));
}

TEST_F(Summaries, AThrottledProcessIsLeftOutWhereOthersAreBetter) {
  add_case();
  measure(0, 0, {1.0, 1.2});
  measure(0, 1, {5.0, 5.0}).throttled = {1, 1};
  measure(0, 2, {1.0, 1.2});
  const auto s = summary();
  EXPECT_EQ(s.value("processes"), 2);
  EXPECT_FALSE(s.time().has_interval());
  EXPECT_DOUBLE_EQ(s.time().value, 1.1);
  EXPECT_TRUE(has_note(s, "process 1 is left out"));
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
  EXPECT_FALSE(summaries[0].fact("delta"));
  ASSERT_TRUE(summaries[1].fact("delta"));
  EXPECT_NEAR(summaries[1].fact("delta")->value, -0.2, 1e-12);
  EXPECT_NEAR(summaries[1].fact("delta")->half_width(), 0, 1e-12);
  EXPECT_NEAR(summaries[1].value("delta"), -0.2, 1e-12);
  EXPECT_NEAR(summaries[1].value("speedup"), 1.25, 1e-12);
  EXPECT_NEAR(1 + summaries[1].fact("delta")->value,
              summaries[1].time().value / summaries[0].time().value, 1e-12);
}

TEST_F(Summaries, DeltaIsOverAllProcessesWhereTheyAreNotPairs) {
  add_case(1);  // the baseline may come later in the plan
  add_case();
  for (int process = 0; process < 12; ++process) measure(1, process, {2.0 + 0.01 * process});
  for (int process = 10; process < 13; ++process) measure(0, process, {1.0 + 0.1 * process});
  const auto s = summary();
  ASSERT_TRUE(s.fact("delta"));
  EXPECT_NEAR(1 + s.fact("delta")->value, s.time().value / summary(1).time().value, 1e-12);
  ASSERT_TRUE(s.fact("delta")->has_interval()) << "two processes timed both, three one";
  // The baseline's twelve agree, so that the other three make the width.
  const double width = s.time().half_width() / s.time().value;
  EXPECT_NEAR(s.fact("delta")->half_width() / (1 + s.fact("delta")->value), width, 0.1 * width);
}

TEST_F(Summaries, ADeltaOfTwoProcessesHasNoInterval) {
  add_case(1);
  add_case();
  for (int process = 0; process < 3; ++process) measure(1, process, {2.0});
  for (int process = 0; process < 2; ++process) measure(0, process, {1.0 + process});
  const auto s = summary();
  ASSERT_TRUE(s.fact("delta"));
  EXPECT_DOUBLE_EQ(s.fact("delta")->value, std::sqrt(2.0) / 2 - 1);
  EXPECT_FALSE(s.fact("delta")->has_interval());
}

TEST_F(Summaries, NoDeltaAgainstABaselineThatWasNotMeasured) {
  add_case();
  add_case(0);
  fail(0, 0, "setup", "out of memory");
  measure(1, 0, {1, 2});
  const auto s = summary(1);
  EXPECT_EQ(s.status, CaseStatus::measured);
  EXPECT_FALSE(s.fact("delta"));
  EXPECT_TRUE(has_note(s, "no delta"));
  EXPECT_EQ(s.facts.count("speedup"), 0u);
}

TEST_F(Summaries, NoDeltaAgainstAClockThatReadZero) {
  add_case();
  add_case(0);
  measure(0, 0, {0, 0});
  measure(1, 0, {1, 2});
  EXPECT_FALSE(summary(1).fact("delta"));
}

}  // namespace
}  // namespace apod
