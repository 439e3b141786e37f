#include "benchmarks/model/summary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/stats/summary.hpp"

namespace apod {
namespace {

using Values = std::vector<double>;

/// A result under construction: one experiment, cases by index, measurements by process.
class Summaries : public testing::Test {
 protected:
  Summaries() { result_.plan.experiments.resize(1); }

  Case& add_case(std::optional<std::size_t> baseline = std::nullopt) {
    Case c;
    c.index = result_.plan.cases.size();
    c.id = "case " + std::to_string(c.index);
    c.backend = BackendKind::cuda;
    c.baseline = baseline;
    result_.plan.cases.push_back(c);
    return result_.plan.cases.back();
  }

  Measurement& measure(std::size_t case_index, int process, Values samples) {
    Measurement measurement;
    measurement.case_index = case_index;
    measurement.process = process;
    measurement.samples_s = std::move(samples);
    measurement.verification.passed = true;
    result_.measurements.push_back(std::move(measurement));
    return result_.measurements.back();
  }

  void fail(std::size_t case_index, int process, const std::string& stage,
            const std::string& reason) {
    auto& measurement = measure(case_index, process, {});
    measurement.stage = stage;
    measurement.failed = reason;
  }

  CaseSummary summary(std::size_t index = 0) { return summarize(result_).at(index); }

  DeviceFacts& device() {
    auto& device = result_.environment.device;
    device.backend = BackendKind::cuda;
    return device;
  }

  Result result_;
};

bool has_note(const CaseSummary& summary, const std::string& part) {
  return std::any_of(summary.notes.begin(), summary.notes.end(),
                     [&](const auto& note) { return note.find(part) != std::string::npos; });
}

void expect_equal(const Estimate& estimate, const stats::Interval& interval) {
  EXPECT_DOUBLE_EQ(estimate.value, interval.estimate);
  EXPECT_DOUBLE_EQ(estimate.low, interval.low);
  EXPECT_DOUBLE_EQ(estimate.high, interval.high);
}

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

// ---- throughput -------------------------------------------------------------------------------

TEST_F(Summaries, ThroughputNamesThePeakThatIsNearest) {
  add_case();
  add_case();
  device().peak_memory_bytes_per_s = 1000;
  device().peak_fp32_flops = 100;
  device().peak_fp64_flops = 50;
  measure(0, 0, {2, 2}).traffic = {600, 200, 10, 0};   // 400 B/s, 5 FLOP/s
  measure(1, 0, {2, 2}).traffic = {600, 200, 10, 80};  // 40 fp64 FLOP/s
  const auto memory = summary(0).throughput;
  EXPECT_DOUBLE_EQ(memory.bytes_per_s, 400);
  EXPECT_DOUBLE_EQ(memory.flops_per_s, 5);
  EXPECT_EQ(memory.bound, "memory");
  EXPECT_DOUBLE_EQ(memory.share, 0.4);
  EXPECT_FALSE(memory.above_peak);
  const auto compute = summary(1).throughput;
  EXPECT_DOUBLE_EQ(compute.flops_per_s, 45);
  EXPECT_EQ(compute.bound, "fp64");
  EXPECT_DOUBLE_EQ(compute.share, 0.8);
}

TEST_F(Summaries, MoreThanTheMemoryCanGiveIsFlagged) {
  add_case();
  device().peak_memory_bytes_per_s = 1000;
  measure(0, 0, {1, 1}).traffic = {1100, 0, 0, 0};
  const auto throughput = summary().throughput;
  EXPECT_TRUE(throughput.above_peak);
  EXPECT_DOUBLE_EQ(throughput.share, 1.1);
}

TEST_F(Summaries, WithoutAPeakThereIsNoBound) {
  add_case();
  measure(0, 0, {1, 1}).traffic = {1100, 0, 5, 0};
  const auto s = summary();
  EXPECT_EQ(s.throughput.bound, "");
  EXPECT_EQ(s.throughput.share, 0);
  EXPECT_FALSE(s.throughput.above_peak);
  EXPECT_DOUBLE_EQ(s.throughput.bytes_per_s, 1100);
  EXPECT_EQ(s.facts.count("share_of_peak"), 0u);
}

TEST_F(Summaries, ThePeaksOfTheGpuAreNotThoseOfAHostCase) {
  add_case().backend = BackendKind::host;
  device().peak_memory_bytes_per_s = 1000;
  measure(0, 0, {1, 1}).traffic = {1100, 0, 0, 0};
  const auto throughput = summary().throughput;
  EXPECT_EQ(throughput.bound, "");
  EXPECT_FALSE(throughput.above_peak);
}

TEST_F(Summaries, EndToEndIsHeldAgainstTheLink) {
  add_case();
  result_.plan.experiments[0].scope = Scope::end_to_end;
  device().peak_memory_bytes_per_s = 10;
  device().peak_transfer_bytes_per_s = 1000;
  auto& measurement = measure(0, 0, {2, 2});
  measurement.traffic = {5000, 5000, 0, 0};
  measurement.facts["transfer_bytes"] = 1600;
  const auto throughput = summary().throughput;
  EXPECT_EQ(throughput.bound, "transfer");
  EXPECT_DOUBLE_EQ(throughput.bytes_per_s, 800);
  EXPECT_DOUBLE_EQ(throughput.share, 0.8);
  EXPECT_FALSE(throughput.above_peak);
}

// ---- facts, notes, verification ---------------------------------------------------------------

TEST_F(Summaries, FactsAreMeansOverTheProcessesThatHaveThem) {
  add_case();
  measure(0, 0, {1, 1}).facts = {{"distinct_streams", 4}, {"overlap", 0.5}};
  measure(0, 1, {1, 1}).facts = {{"distinct_streams", 3}};
  result_.measurements[0].clock = {1000, 1100, 1200, 5, {}};
  result_.measurements[1].clock = {0, 0, 0, 0, {}};
  const auto facts = summary().facts;
  EXPECT_DOUBLE_EQ(facts.at("distinct_streams"), 3.5);
  EXPECT_DOUBLE_EQ(facts.at("overlap"), 0.5);
  EXPECT_DOUBLE_EQ(facts.at("sm_clock"), 1100);
}

TEST_F(Summaries, FactsTellTheInterval) {
  add_case();
  measure(0, 0, {1.0, 1.2, 1.1, 1.0});
  const auto s = summary();
  EXPECT_EQ(s.facts.at("time"), s.time_s.value);
  EXPECT_EQ(s.facts.at("time_low"), s.time_s.low);
  EXPECT_EQ(s.facts.at("time_high"), s.time_s.high);
  EXPECT_DOUBLE_EQ(s.facts.at("precision"), s.time_s.half_width() / s.time_s.value);
  EXPECT_EQ(s.facts.at("processes"), 1);
  EXPECT_EQ(s.facts.count("device_time"), 0u);
  EXPECT_EQ(s.facts.count("delta"), 0u);
}

TEST_F(Summaries, MakeExactlyTheKnownFactsThatNeedNoTrace) {
  result_.plan.experiments[0].scope = Scope::end_to_end;
  device().peak_transfer_bytes_per_s = 1000;
  add_case();
  add_case(0);
  for (std::size_t i = 0; i < 2; ++i) {
    auto& measurement = measure(i, 0, {1.0, 1.1});
    measurement.device_samples_s = {0.5, 0.6};
    measurement.clock.readings = 1;
    // The two that a process measures itself.
    measurement.facts = {{"distinct_streams", 4}, {"transfer_bytes", 100}};
  }
  std::set<std::string> made;
  for (const auto& fact : summary(1).facts) made.insert(fact.first);
  std::set<std::string> known;
  for (const auto& fact : known_facts()) {
    EXPECT_FALSE(fact.help.empty()) << fact.name;
    if (fact.needs_trace) continue;
    EXPECT_TRUE(known.insert(fact.name).second) << fact.name;
  }
  EXPECT_EQ(made, known);
}

TEST_F(Summaries, TheWorstVerificationOfAllProcessesIsKept) {
  add_case();
  measure(0, 0, {1, 1}).verification.error = 1e-7;
  measure(0, 1, {1, 1}).verification.error = 3e-7;
  measure(0, 2, {1, 1}).verification.error = 2e-7;
  EXPECT_EQ(summary().verification.error, 3e-7);
  EXPECT_EQ(summary().facts.at("error"), 3e-7);
  result_.measurements[2].verification.passed = false;
  EXPECT_FALSE(summary().verification.passed);
  result_.measurements[2].verification.passed = true;
  for (auto& measurement : result_.measurements) {  // NaN is the worst, wherever it stands
    const double error = measurement.verification.error;
    measurement.verification.error = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(std::isnan(summary().verification.error));
    EXPECT_EQ(summary().facts.count("error"), 0u);  // and no fact
    measurement.verification.error = error;
  }
}

TEST_F(Summaries, EachNoteIsToldOnce) {
  add_case();
  for (int process = 0; process < 3; ++process) {
    auto& measurement = measure(0, process, {1, 1});
    measurement.notes = {"launch: stream"};
    measurement.precision_reachable = false;
  }
  const auto notes = summary().notes;
  EXPECT_EQ(notes.size(), 2u);
  EXPECT_EQ(notes.front(), "launch: stream");
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
    const auto begin = std::chrono::steady_clock::now();
    const auto summaries = summarize(result_);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    RecordProperty("seconds_" + std::to_string(processes), std::to_string(taken.count()));
    // Some 0.2 s; with the baseline judged anew for each case it would be minutes.
    EXPECT_LT(taken.count(), 5) << processes << " processes";
    EXPECT_TRUE(summaries.back().delta.has_value());
  }
}

}  // namespace
}  // namespace apod
