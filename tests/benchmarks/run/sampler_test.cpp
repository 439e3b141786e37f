#include "benchmarks/run/sampler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>

namespace apod::run {
namespace {

/// Hooks whose samples last what `seconds(i)` says, each 10 us on a clock of their own.
SamplerHooks scripted(std::function<double(std::size_t)> seconds, std::vector<std::string>* stages,
                      std::size_t* taken) {
  return {.take = [=] { return Sample{seconds((*taken)++)}; },
          .clock = [] { return ClockReading{}; },
          .stage = [=](const std::string& stage) { stages->push_back(stage); },
          .cancelled = [] { return false; },
          .now = [=] { return 1e-5 * double(*taken); }};
}

double alternating(std::size_t i) {
  return i % 2 == 0 ? 0.9e-3 : 1.1e-3;
}

/// `high` each `period` samples, `low` between.
std::vector<double> pilot(std::size_t samples, std::size_t period, double high, double low) {
  std::vector<double> seconds;
  for (std::size_t i = 0; i < samples; ++i) seconds.push_back(i % period == 0 ? high : low);
  return seconds;
}

TEST(ChooseSamples, StaysWithinItsLimitsAndSaysWhenTheyKeepItFromItsPrecision) {
  struct Choice {
    std::vector<double> pilot;
    double wall_s;
    MeasureSpec spec;
    std::size_t samples;
    bool reachable;
  };
  MeasureSpec least, ten_seconds, one_second, most;
  least.min_samples = 20;
  ten_seconds.max_time_s = 10;
  one_second.max_time_s = 1;
  most.max_samples = 300;
  for (const auto& [seconds, wall_s, spec, samples, reachable] :
       {Choice{pilot(20, 1, 1e-3, 0), 1e-3, least, 20, true},
        Choice{pilot(20, 3, 1, 2), 2, ten_seconds, 5, false},
        Choice{{100, 110}, 100, one_second, 2, false},  // never fewer than two
        Choice{pilot(20, 2, 9, 1), 0, most, 300, false},
        Choice{pilot(40, 39, 9, 1), 0, least, 20, true}}) {  // medians don't heed the farthest
    const auto chosen = choose_samples(seconds, wall_s, spec);
    EXPECT_EQ(chosen.samples, samples);
    EXPECT_EQ(chosen.precision_reachable, reachable) << samples;
  }
}

TEST(ChooseSamples, FinerPrecisionTakesMore) {
  std::vector<double> pilot;
  for (std::size_t i = 0; i < 100; ++i)
    pilot.push_back(1e-3 * (1 + 0.01 * std::sin(double(i * i))));
  MeasureSpec coarse, fine;
  coarse.precision = 0.01;
  fine.precision = 0.001;
  coarse.min_samples = fine.min_samples = 2;
  const auto few = choose_samples(pilot, 0, coarse).samples;
  const auto many = choose_samples(pilot, 0, fine).samples;
  EXPECT_GT(many, 20 * few);
}

TEST(ChooseSamples, SamplesWithPhasesAreAMultipleOfThem) {
  const auto chosen = [&](double seconds, int least, int most) {
    MeasureSpec spec;
    spec.min_samples = least;
    spec.max_samples = most;
    return choose_samples(pilot(20, 1, seconds, 0), 0, spec, 8).samples;
  };
  for (const double seconds : {5e-6, 1e-3}) {
    EXPECT_EQ(chosen(seconds, 16, 1000), 16u);
    EXPECT_EQ(chosen(seconds, 20, 1000), 24u);
    EXPECT_EQ(chosen(seconds, 20, 22), 20u);
    EXPECT_EQ(chosen(seconds, 33, 1000), 40u);
    EXPECT_EQ(chosen(seconds, 33, 39), 33u) << "no fewer than were asked for";
  }
  EXPECT_EQ(chosen(5e-6, 15, 1000), 16u);
  EXPECT_EQ(chosen(5e-6, 5, 1000), 8u);
  EXPECT_EQ(chosen(5e-6, 5, 7), 5u);
  EXPECT_EQ(chosen(1e-3, 5, 1000), 5u) << "phases change a millisecond by less than its precision";
}

TEST(SampleCase, SaysThatPhasesMatterIfItCanNotWeighThem) {
  for (const int most : {6, 8, 1000}) {
    for (const double seconds : {6e-6, 6e-3}) {
      MeasureSpec spec;
      spec.warmup_s = 0;
      spec.min_samples = 6;
      spec.max_samples = most;
      std::uint64_t taken = 0;
      SamplerHooks hooks{.take = [&] { return Sample{.seconds = seconds, .launches = taken++}; },
                         .clock = [] { return ClockReading{}; },
                         .stage = [](const std::string&) {},
                         .cancelled = [] { return false; }};
      trace::PhaseTimers timers;
      Measurement measurement;
      sample_case("case", spec, 0, hooks, timers, measurement);
      EXPECT_FALSE(measurement.facts.contains("phase_period")) << "of too few samples";
      EXPECT_FALSE(measurement.facts.contains("phase_spread"));
      const bool depends = most == 6 && seconds < 1e-3;
      EXPECT_EQ(measurement.notes,
                depends ? std::vector<std::string>{"too few samples to cover all launch phases: "
                                                   "the time depends on earlier launches"}
                        : std::vector<std::string>{});
    }
  }
}

TEST(SampleCase, PlacesAreNoNoiseAndHideNoPhases) {
  // Launches of odd numbers take 2 % longer; of four places in memory, two take 8 % longer.
  MeasureSpec spec;
  spec.warmup_s = 0;
  spec.min_samples = 160;
  spec.precision = 0.005;
  for (const std::size_t places : {std::size_t{1}, std::size_t{4}}) {
    std::mt19937 random(7);
    std::uint64_t launches = 0;
    std::size_t taken = 0;
    SamplerHooks hooks{.take =
                           [&] {
                             launches += 3 + random() % 2;
                             const double phase = launches % 2 == 0 ? 1 : 1.02;
                             const double place = taken++ % 4 < 2 ? 1 : 1.08;
                             const double noise = 1 + 0.002 * double(random() % 10);
                             return Sample{.seconds = 6e-6 * phase * place * noise,
                                           .launches = launches};
                           },
                       .clock = [] { return ClockReading{}; },
                       .stage = [](const std::string&) {},
                       .cancelled = [] { return false; },
                       .begin = [&] { taken = 0; },
                       .places = places};
    trace::PhaseTimers timers;
    Measurement measurement;
    sample_case("case", spec, 0, hooks, timers, measurement);
    EXPECT_EQ(measurement.samples_s.size() == 160, places == 4) << measurement.samples_s.size();
    if (places == 1) continue;
    EXPECT_NEAR(measurement.facts.at("phase_spread"), 0.02, 0.004);
    EXPECT_EQ(measurement.facts.at("phase_period"), 2);
  }
}

TEST(SampleCase, StagesInOrderAndFixedCount) {
  std::vector<std::string> stages;
  std::size_t taken = 0;
  MeasureSpec spec;
  spec.warmup_s = 0;
  spec.precision = 0.05;
  spec.min_samples = 30;
  trace::PhaseTimers timers;
  Measurement measurement;
  sample_case("case", spec, 0, scripted(alternating, &stages, &taken), timers, measurement);
  EXPECT_EQ(stages, (std::vector<std::string>{"warm-up", "sample"}));
  EXPECT_GE(measurement.samples_s.size(), 30U);
  EXPECT_EQ(taken, 1 + measurement.pilot_samples + measurement.samples_s.size());
  const double sum =
      std::accumulate(measurement.samples_s.begin(), measurement.samples_s.end(), 0.0);
  EXPECT_NEAR(sum / double(measurement.samples_s.size()), 1e-3, 1e-5);
  EXPECT_TRUE(measurement.throttled.empty());
  EXPECT_EQ(measurement.clock.readings, 0U);
}

TEST(SampleCase, ThePilotIsTheEndOfTheWarmUp) {
  std::vector<std::string> stages;
  std::size_t taken = 0;
  MeasureSpec spec;
  // The first runs are slow, and each of them differs.
  const auto settling = [](std::size_t i) { return i < 100 ? 0.1 / double(i + 1) : 1e-3; };
  trace::PhaseTimers timers;
  Measurement measurement;
  sample_case("case", spec, 0, scripted(settling, &stages, &taken), timers, measurement);
  EXPECT_EQ(measurement.pilot_samples, 200U) << "of many short runs";
  EXPECT_EQ(measurement.samples_s.size(), 20U) << "what the first runs did asks for no more";
  EXPECT_TRUE(measurement.precision_reachable);
  spec.warmup_s = 0;
  taken = 0;
  Measurement other;
  sample_case("case", spec, 0, scripted(settling, &stages, &taken), timers, other);
  EXPECT_EQ(taken, 1 + 200 + other.samples_s.size()) << "the first run is never one of them";
}

TEST(SampleCase, EndsBetweenSamplesWhenCancelledAndWithWhatASampleThrows) {
  std::vector<std::string> stages;
  std::size_t taken = 0;
  auto hooks = scripted(
      [](std::size_t i) {
        if (i == 250) throw BackendError(BackendError::Code::sticky, "illegal address");
        return alternating(i);
      },
      &stages, &taken);
  MeasureSpec spec;
  spec.warmup_s = 0;
  trace::PhaseTimers timers;
  Measurement measurement;
  EXPECT_THROW(sample_case("case", spec, 0, hooks, timers, measurement), BackendError);
  EXPECT_EQ(stages.back(), "sample");
  taken = 0;
  hooks.cancelled = [&] { return taken >= 25; };
  EXPECT_THROW(sample_case("case", {}, 0, hooks, timers, measurement), Cancelled);
  EXPECT_EQ(taken, 25U);
}

/// Quick samples at a clock of their own.
SamplerHooks at_clock(double mhz, std::size_t* taken) {
  return {.take =
              [=] {
                ++*taken;
                return Sample{.seconds = 1e-3, .mhz = mhz};
              },
          .clock = [] { return ClockReading{.valid = true, .sm_mhz = 1980, .power_w = 500}; },
          .stage = [](const std::string&) {},
          .cancelled = [] { return false; },
          .has_clock = true};
}

TEST(SampleCase, ASampleHasItsOwnClockOrThatOfTheDriver) {
  MeasureSpec spec;
  spec.warmup_s = 0;
  for (const double own : {1500.4, 0.0}) {
    std::size_t taken = 0;
    trace::PhaseTimers timers;
    Measurement measurement;
    sample_case("case", spec, 0, at_clock(own, &taken), timers, measurement);
    const int mhz = own > 0 ? 1500 : 1980;
    EXPECT_EQ(measurement.clock.sample_mhz, std::vector<int>(measurement.samples_s.size(), mhz));
    EXPECT_EQ(measurement.clock.min_mhz, mhz);
    EXPECT_EQ(measurement.clock.mean_mhz, mhz);
    EXPECT_EQ(measurement.clock.max_mhz, mhz);
  }
}

TEST(SampleCase, ADeviceThatIdledIsWarmedUntilItsClockIsTheHighest) {
  const auto warm_up_s = [](double mhz, double highest_mhz) {
    MeasureSpec spec;
    spec.warmup_s = 0;
    std::size_t taken = 0;
    auto hooks = at_clock(mhz, &taken);
    hooks.has_clock = false;  // no rests
    hooks.highest_mhz = highest_mhz;
    hooks.now = [&] { return 1e-3 * double(taken); };
    trace::PhaseTimers timers;
    Measurement measurement;
    sample_case("case", spec, 0.2, hooks, timers, measurement);
    return 1e-3 * double(taken - measurement.samples_s.size());
  };
  EXPECT_LT(warm_up_s(1970, 1980), 0.15);
  EXPECT_GE(warm_up_s(1200, 1980), 0.2);
  EXPECT_GE(warm_up_s(0, 1980), 0.2) << "its clock is not known";
  EXPECT_GE(warm_up_s(1980, 0), 0.2) << "nor what would be high";
}

TEST(TimedSampleCase, RestsInABurstAsLongAsItWorked) {
  MeasureSpec spec;
  spec.warmup_s = 0;
  /// Of one sample, in the fastest of ten runs: other programs may hold any of them up.
  const auto wall_s = [&](ClockMode clocks, bool has_clock) {
    spec.clocks = clocks;
    double fastest = 1;
    for (int run = 0; run < 10; ++run) {
      std::size_t taken = 0;
      auto hooks = at_clock(1980, &taken);
      hooks.has_clock = has_clock;
      trace::PhaseTimers timers;
      Measurement measurement;
      const auto begin = std::chrono::steady_clock::now();
      sample_case("case", spec, 0, hooks, timers, measurement);
      const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
      const auto samples = static_cast<double>(measurement.samples_s.size());
      fastest = std::min(fastest, wall.count() / samples);
    }
    return fastest;
  };
  EXPECT_GE(wall_s(ClockMode::burst, true), 1e-3) << "a sample says that it took a millisecond";
  EXPECT_LT(wall_s(ClockMode::burst, false), 0.5e-3);
  EXPECT_LT(wall_s(ClockMode::unheld, true), 0.5e-3);
}

TEST(SampleCase, WarmsUntilTheClockIsSteady) {
  MeasureSpec spec;
  spec.warmup_s = 0;
  spec.clocks = ClockMode::steady;
  std::size_t taken = 0;
  auto hooks = at_clock(1980, &taken);
  trace::PhaseTimers timers;
  Measurement measurement;
  sample_case("case", spec, 0, hooks, timers, measurement);
  EXPECT_GE(measurement.facts.at("settling_time"), 1);
  EXPECT_TRUE(measurement.notes.empty());
  hooks.clock = [] { return ClockReading{}; };
  EXPECT_THROW(sample_case("case", spec, 0, hooks, timers, measurement), BackendError)
      << "nothing tells when it is";
}

TEST(SampleFixed, ThrottledSamplesAreMarkedNotDropped) {
  std::vector<std::string> stages;
  std::size_t taken = 0;
  auto hooks = scripted([](std::size_t) { return 5e-3; }, &stages, &taken);
  hooks.now = [&] { return 5e-3 * double(taken); };
  // Slowed for heat in the second half only.
  hooks.clock = [&] {
    const bool hot = taken > 10;
    return ClockReading{.valid = true,
                        .sm_mhz = hot ? 900.0 : 1980.0,
                        .throttled = hot,
                        .reason = hot ? "hw_thermal" : ""};
  };
  trace::PhaseTimers timers;
  Measurement measurement;
  sample_fixed("case", 30, hooks, timers, measurement);
  ASSERT_EQ(measurement.samples_s.size(), 30U);
  ASSERT_EQ(measurement.throttled.size(), 30U);
  EXPECT_EQ(measurement.throttled.front(), 0);
  EXPECT_EQ(measurement.throttled.back(), 1);
  EXPECT_EQ(measurement.clock.min_mhz, 900);
  EXPECT_EQ(measurement.clock.max_mhz, 1980);
  EXPECT_GT(measurement.clock.mean_mhz, 900);
  EXPECT_EQ(measurement.clock.reasons, std::vector<std::string>{"hw_thermal"});
}

}  // namespace
}  // namespace apod::run
