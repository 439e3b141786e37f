#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "tests/benchmarks/base/summaries.hpp"

namespace apod {
namespace {

using SummaryFacts = Summaries;

/// Phases of 24 samples, each of them three times.
const std::vector<std::uint8_t> in_rounds{0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3,
                                          4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7};

// ---- throughput -------------------------------------------------------------------------------

TEST_F(SummaryFacts, ThroughputNamesThePeakThatIsNearest) {
  struct Example {
    Traffic traffic;
    BackendKind backend;
    Bound bound;
    double share;
  };
  const auto cuda = BackendKind::cuda;
  device().peak_memory_bytes_per_s = 1000;
  device().peak_fp32_flops = 100;
  device().peak_fp64_flops = 50;
  for (const auto& [traffic, backend, bound, share] :
       {Example{{600, 200, 10, 0}, cuda, Bound::memory, 0.4},
        Example{{600, 200, 10, 80}, cuda, Bound::fp64, 0.8},
        Example{{2200, 0, 0, 0}, cuda, Bound::memory, 1.1},
        // Fewer operations than the workload states, or other units.
        Example{{600, 200, 600, 0}, cuda, Bound::fp32, 3},
        // No device tells the peak of its matrix units.
        Example{{600, 200, 10, 0, 80, 0}, cuda, Bound::tensor, 0},
        Example{{600, 200, 10, 0, 0, 80}, cuda, Bound::tensor, 0},
        // The peaks of the GPU are not those of a host case.
        Example{{2200, 0, 0, 0}, BackendKind::host, Bound::unknown, 0}}) {
    const auto index = result_.plan.cases.size();
    add_case().backend = backend;
    measure(index, 0, {2, 2}).traffic = traffic;
    const auto found = summary(index);
    EXPECT_DOUBLE_EQ(found.value("bandwidth"), (traffic.bytes_read + traffic.bytes_written) / 2);
    EXPECT_DOUBLE_EQ(found.value("flops"), traffic.flops() / 2);
    EXPECT_EQ(found.peak.bound, bound);
    EXPECT_DOUBLE_EQ(found.value("share_of_peak"), share);
    EXPECT_EQ(found.peak.exceeded, share > 1) << "faster than the peak";
    EXPECT_EQ(found.facts.count("share_of_peak"), share > 0 ? 1u : 0u);
  }
}

TEST_F(SummaryFacts, WorkOnMatrixUnitsHasNoShareOfAPeakWhateverCeilingIsNearest) {
  add_case();
  measure(0, 0, {2, 2}).traffic = {600, 200, 0, 0, 80, 0};
  device().peak_memory_bytes_per_s = 1000;
  auto& ceilings = result_.ceilings.emplace();
  ceilings.copy_bytes_per_s = ceilings.read_bytes_per_s = 900;
  ceilings.tensor_fp16_flops = 1e6;
  const auto found = summary();
  ASSERT_TRUE(found.roofline);
  EXPECT_EQ(found.roofline->nearest, Bound::memory);
  EXPECT_EQ(found.fact("share_of_peak"), nullptr) << "tf32 beside fp16 would have none";
}

TEST_F(SummaryFacts, TheUnitOfARateIsThatOfItsWorkWhateverIsKnown) {
  add_case();
  const auto is_of_arithmetic = [&](const Traffic& traffic) {
    result_.measurements.clear();
    measure(0, 0, {2, 2}).traffic = traffic;
    const bool found = summary().computes;
    auto& ceilings = result_.ceilings.emplace();
    ceilings.copy_bytes_per_s = 1;  // the nearest by far
    ceilings.read_bytes_per_s = 1;
    EXPECT_EQ(summary().computes, found) << "and of the ceilings";
    ceilings = {};
    ceilings.fp32_flops = 1;
    EXPECT_EQ(summary().computes, found);
    result_.ceilings.reset();
    return found;
  };
  EXPECT_FALSE(is_of_arithmetic({4e6, 0, 1e6}));      // a sum
  EXPECT_FALSE(is_of_arithmetic({4e6, 4e6, 9.6e6}));  // bilinear interpolation
  EXPECT_TRUE(is_of_arithmetic({4e6, 4e6, 18e6}));    // a mask of 3x3
  EXPECT_TRUE(is_of_arithmetic({8e6, 4e6, 2e9}));     // a product
  EXPECT_TRUE(is_of_arithmetic({.bytes_read = 4e6, .flops_fp32 = 2e6, .is_product = true}));
  EXPECT_TRUE(
      is_of_arithmetic({4e6, 4e6, 0, 0, 2e6}));  // likewise, of a matrix and a vector in fp16
}

TEST_F(SummaryFacts, EndToEndIsHeldAgainstTheLink) {
  add_case();
  result_.plan.experiments[0].scope = Scope::end_to_end;
  device().peak_memory_bytes_per_s = 10;
  device().peak_transfer_bytes_per_s = 1000;
  auto& measurement = measure(0, 0, {2, 2});
  measurement.traffic = {5000, 5000, 0, 0};
  measurement.facts["transfer_bytes"] = 1600;
  const auto found = summary();
  EXPECT_EQ(found.peak.bound, Bound::transfer);
  EXPECT_DOUBLE_EQ(found.value("bandwidth"), 800);
  EXPECT_DOUBLE_EQ(found.value("share_of_peak"), 0.8);
  EXPECT_FALSE(found.peak.exceeded);
}

TEST_F(SummaryFacts, ALinkThatWorksInBothDirectionsIsHeldAgainstTheLongerOne) {
  add_case();
  result_.plan.experiments[0].scope = Scope::end_to_end;
  device().peak_transfer_bytes_per_s = 1000;
  auto& measurement = measure(0, 0, {2, 2});
  measurement.facts.insert(
      {{"transfer_bytes", 2400}, {"upload_bytes", 1400}, {"download_bytes", 1000}});
  EXPECT_DOUBLE_EQ(summary().value("share_of_peak"), 0.7);
  EXPECT_DOUBLE_EQ(summary().value("bandwidth"), 1200);
  measurement.facts["transfers_in_turn"] = 1;
  EXPECT_DOUBLE_EQ(summary().value("share_of_peak"), 1.2);
}

// ---- facts, notes, verification ---------------------------------------------------------------

TEST_F(SummaryFacts, FactsAreMeansOverTheProcessesThatHaveThem) {
  add_case();
  measure(0, 0, {1, 1}).facts = {{"distinct_streams", 4}, {"overlap", 0.5}};
  measure(0, 1, {1, 1}).facts = {{"distinct_streams", 3}};
  result_.measurements[0].clock = {1000, 1100, 1200, 5, {}};
  result_.measurements[1].clock = {0, 0, 0, 0, {}};
  const auto facts = summary().values();
  EXPECT_DOUBLE_EQ(facts.at("distinct_streams"), 3.5);
  EXPECT_DOUBLE_EQ(facts.at("overlap"), 0.5);
  EXPECT_DOUBLE_EQ(facts.at("sm_clock"), 1100);
}

TEST_F(SummaryFacts, FactsTellTheIntervalWhereThereIsOne) {
  add_case();
  add_case();
  for (int process = 0; process < 3; ++process) measure(0, process, {1.0 + process, 1.2 + process});
  measure(1, 0, {1.0, 1.2});
  const auto s = summary();
  ASSERT_TRUE(s.time().has_interval());
  EXPECT_EQ(s.number("time"), s.time().value);
  EXPECT_EQ(s.number("time_low"), s.time().low);
  EXPECT_EQ(s.number("time_high"), s.time().high);
  EXPECT_DOUBLE_EQ(s.value("precision"), s.time().half_width() / s.time().value);
  EXPECT_EQ(s.value("processes"), 3);
  EXPECT_FALSE(s.fact("device_time"));
  EXPECT_FALSE(s.fact("delta"));
  const auto alone = summary(1);
  for (const char* name : {"time_low", "time_high", "precision", "tim", "_low", "samples_low"}) {
    EXPECT_FALSE(alone.number(name)) << name;
  }
  EXPECT_NEAR(alone.value("sample_spread"), 0.1 / 1.1, 1e-12);
}

TEST_F(SummaryFacts, WhatAMeasurementKeepsAsEndsIsTheIntervalOfTheFact) {
  add_case();
  measure(0, 0, {1, 1}).facts = {
      {"energy", 2}, {"energy_low", 1.5}, {"energy_high", 3}, {"other_low", 4}};
  const auto s = summary();
  ASSERT_TRUE(s.fact("energy"));
  EXPECT_EQ(s.fact("energy")->low, 1.5);
  EXPECT_EQ(s.fact("energy")->high, 3);
  EXPECT_EQ(s.number("energy_high"), 3);
  EXPECT_FALSE(s.facts.contains("energy_high"));
  EXPECT_EQ(s.number("other_low"), 4) << "the end of nothing is a fact of its own";
}

TEST_F(SummaryFacts, MakeExactlyTheKnownFactsThatNeedNoTrace) {
  result_.plan.experiments[0].scope = Scope::end_to_end;
  device().peak_transfer_bytes_per_s = 1000;
  result_.ceilings.emplace().h2d_pinned_bytes_per_s = 900;
  add_case();
  add_case(0);
  for (int i = 0; i < 6; ++i) {
    auto& measurement =
        measure(static_cast<std::size_t>(i % 2), i / 2, std::vector<double>(24, 1.1));
    measurement.device_samples_s = {0.5, 0.6};
    measurement.launch_phases = in_rounds;
    measurement.clock.mean_mhz = 1;
    measurement.traffic.bytes_read = 5;
    // Those that a process measures itself.
    measurement.facts = {{"distinct_streams", 4},
                         {"upload_bytes", 60},
                         {"download_bytes", 40},
                         {"transfer_bytes", 100},
                         {"transfers_in_turn", 1},
                         {"other_load", 0.5},
                         {"other_gpu_processes", 0},
                         {"peer_runs", 3},
                         {"peer_time", 1},
                         {"settling_time", 2},
                         {"spot_checks", 7},
                         {"memory_places", 4},
                         {"phase_spread", 0.1},
                         {"phase_period", 4},
                         {"cpu_time", 1e-5},
                         {"nvcc", 13},
                         {"nvrtc", 13},
                         {"compile_time", 2},
                         {"device_bytes", 8}};
  }
  std::set<std::string> made;
  for (const auto& fact : summary(1).facts) made.insert(fact.first);
  std::set<std::string> known;
  for (const auto& fact : known_facts()) {
    if (fact.needs == FactNeeds::trace || fact.needs == FactNeeds::counters ||
        fact.needs == FactNeeds::energy || fact.needs == FactNeeds::command) {
      continue;
    }
    known.emplace(fact.name);
  }
  EXPECT_EQ(made, known);
}

TEST_F(SummaryFacts, PhasesAreNotedWhereTheyDifferByMoreThanThePrecision) {
  result_.plan.experiments[0].measure.precision = 0.01;
  struct Kind {
    std::vector<double> spreads;
    std::vector<double> periods;
    double period;
    std::string noted;  ///< the end of the note; empty: there is none
  };
  const std::string alike = "all phases count equally in the time";
  for (const auto& [spreads, periods, period, noted] :
       {Kind{{0.11, 0.13}, {4, 4}, 4, alike}, Kind{{0.02, 0, 0}, {8, 1, 1}, 1, ""},
        Kind{{0.009, 0.009}, {2, 2}, 2, ""}, Kind{{0.1, 0.1, 0.1}, {4, 2, 4}, 4, alike},
        Kind{{0.1, 0.1}, {3, 3}, 3, "some phases count more than others in the time"},
        // Most find phases, though as many find none as find any one period.
        Kind{{0, 0, 0.1, 0.1, 0.1, 0.1}, {1, 1, 4, 4, 8, 2}, 4, alike},
        Kind{{0, 0, 0.1, 0.1, 0.1}, {1, 1, 8, 16, 8}, 8, alike},
        Kind{{0.1, 0.1, 0.1, 0.1}, {4, 4, 8, 8}, 8, alike}}) {
    const auto index = add_case().index;
    for (std::size_t i = 0; i < spreads.size(); ++i) {
      auto& measurement = measure(index, static_cast<int>(i), std::vector<double>(24, 1.1));
      measurement.facts = {{"phase_spread", spreads[i]}, {"phase_period", periods[i]}};
      measurement.launch_phases = in_rounds;
    }
    const auto made = summary(index);
    EXPECT_EQ(made.value("phase_period"), period);
    EXPECT_NEAR(made.value("phase_spread"),
                period > 1 ? *std::max_element(spreads.begin(), spreads.end()) : 0, 0.011);
    const auto says = [](const std::string& note) {
      return note.starts_with("the time of one execution varies");
    };
    const auto note = std::find_if(made.notes.begin(), made.notes.end(), says);
    ASSERT_EQ(note != made.notes.end(), !noted.empty()) << period;
    if (!noted.empty()) {
      EXPECT_TRUE(note->ends_with(noted)) << *note;
    }
  }
}

TEST_F(SummaryFacts, TheirPeriodIsNotKnownFromFewSamples) {
  for (const std::size_t samples : {23u, 24u}) {
    const auto index = add_case().index;
    measure(index, 0, std::vector<double>(samples, 1.1)).facts = {{"phase_spread", 0},
                                                                  {"phase_period", 1}};
    EXPECT_EQ(summary(index).facts.contains("phase_period"), samples == 24);
    EXPECT_EQ(summary(index).facts.contains("phase_spread"), samples == 24);
  }
}

TEST_F(SummaryFacts, NoNoteSaysThatPhasesWeighEquallyIfOneWasNotSeenOrThisIsNotKnown) {
  const std::vector<std::uint8_t> one(24, 3), unknown;
  for (const auto& [phases, noted] :
       {std::pair{one, "some phases count more than others in the time"},
        {in_rounds, "all phases count equally in the time"},
        {unknown, "with the launch phase (number of earlier launches modulo 4)"}}) {
    const auto index = add_case().index;
    auto& measurement = measure(index, 0, std::vector<double>(24, 1.1));
    measurement.facts = {{"phase_spread", 0.2}, {"phase_period", 4}};
    measurement.launch_phases = phases;
    const auto notes = summary(index).notes;
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_TRUE(notes.front().ends_with(noted)) << notes.front();
    EXPECT_EQ(summarize(thinned(result_)).at(index).notes, notes) << "as in a thin result";
  }
}

TEST_F(SummaryFacts, AProcessThatLacksANumberOfItsPhasesHasNoVote) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const auto index = add_case().index;
  int process = 0;
  for (const auto& [period, spread] :
       {std::pair{8.0, 0.1}, {8.0, 0.3}, {4.0, none}, {none, 0.9}, {4.0, none}}) {
    measure(index, process++, std::vector<double>(24, 1.1)).facts = {{"phase_spread", spread},
                                                                     {"phase_period", period}};
  }
  EXPECT_EQ(summary(index).value("phase_period"), 8);
  EXPECT_DOUBLE_EQ(summary(index).value("phase_spread"), 0.2);
}

TEST_F(SummaryFacts, OtherProcessesAreNotedWhereTheyAreWorthAWord) {
  result_.environment.cpu_count = 4;
  for (const double load : {0.9, 1.1}) {
    add_case();
    measure(result_.plan.cases.size() - 1, 0, {1, 1}).facts = {{"other_load", load},
                                                               {"other_gpu_processes", 0}};
  }
  add_case();
  measure(2, 0, {1, 1}).facts = {{"other_gpu_processes", 1}};
  EXPECT_TRUE(summary(0).notes.empty());
  EXPECT_EQ(summary(1).notes, std::vector<std::string>{
                                  "other processes kept at least a quarter of the CPU cores busy"});
  EXPECT_EQ(summary(2).notes, std::vector<std::string>{"other processes had contexts on the GPU"});
}

TEST_F(SummaryFacts, TheWorstVerificationOfAllProcessesIsKept) {
  add_case();
  measure(0, 0, {1, 1}).verification.error = 1e-7;
  measure(0, 1, {1, 1}).verification.error = 3e-7;
  measure(0, 2, {1, 1}).verification.error = 2e-7;
  EXPECT_EQ(summary().verification.error, 3e-7);
  EXPECT_EQ(summary().value("error"), 3e-7);
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

TEST_F(SummaryFacts, EachNoteIsToldOnce) {
  add_case();
  for (int process = 0; process < 3; ++process) {
    auto& measurement = measure(0, process, {1, 1});
    measurement.notes = {"launch: stream"};
    measurement.precision_reachable = false;
  }
  const auto notes = summary().notes;
  EXPECT_EQ(notes, std::vector<std::string>{"launch: stream"})
      << "the interval is what precision is about";
}

}  // namespace
}  // namespace apod
