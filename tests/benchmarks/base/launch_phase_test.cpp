#include "benchmarks/base/launch_phase.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace apod {
namespace {

struct Series {
  std::vector<double> samples;
  std::vector<std::uint64_t> launches;
  std::vector<std::uint8_t> phases;
};

/// Samples in turn from a phase on, of what `level` says of each phase, with noise and a tail.
Series in_turn(std::size_t count, const std::vector<double>& level, std::size_t first = 0) {
  std::mt19937 random(7 + static_cast<unsigned>(first));
  std::normal_distribution<double> noise(0, 0.1);
  Series series;
  for (std::size_t i = 0; i < count; ++i) {
    const auto launch = first + i;
    const double tail = i % 29 == 17 ? 4 : 0;
    series.samples.push_back(level[launch % level.size()] + noise(random) + tail);
    series.launches.push_back(launch);
  }
  series.phases = phases_of(series.launches);
  return series;
}

// What a sum of two kernels does on an H100, us.
const std::vector<double> two_kernels{8.97, 8.95, 7.89, 7.93, 8.85, 8.84, 7.9, 8.05};

TEST(PhaseMean, IsTheMeanOfTheMediansOfThePhasesThatOccur) {
  const std::vector<double> samples{1, 5, 3, 9, 100, 2, 2, 9};
  EXPECT_EQ(phase_mean(samples, std::vector<std::uint8_t>{0, 1, 0, 1, 1, 0, 0, 1}), (2.0 + 9) / 2);
  EXPECT_EQ(phase_mean(samples, {}), 4);
  EXPECT_TRUE(std::isnan(phase_mean({}, {})));
}

TEST(PhaseMean, IsThePlainMedianIfNotAllPhasesCanHaveASample) {
  const std::vector<double> samples{1, 5, 3, 5, 100};
  EXPECT_EQ(phase_mean(samples, std::vector<std::uint8_t>{0, 1, 2, 3, 4}), 5);
}

// A median of 12 or 20 samples is that of the phases that were seen more often.
TEST(PhaseMean, WeighsPhasesEquallyWithOneOrTwoSamplesOfEach) {
  for (std::size_t count = launch_phases; count < fewest_for_period; ++count) {
    for (std::size_t first = 0; first < launch_phases; ++first) {
      auto series = in_turn(count, two_kernels, first);
      for (double& sample : series.samples) sample -= sample > 10 ? 4 : 0;  // no tail
      EXPECT_NEAR(phase_mean(series.samples, series.phases), 8.42, 0.15) << count;
      series.samples.back() *= 10;  // by half of a phase this would be 2 to 5 us more
      EXPECT_NEAR(phase_mean(series.samples, series.phases), 8.42, 0.6) << count;
    }
  }
}

TEST(PhaseMean, DoesNotDependOnTheFirstPhaseWhereAMedianDoes) {
  for (std::size_t first = 0; first < launch_phases; ++first) {
    const auto series = in_turn(240, two_kernels, first);
    EXPECT_NEAR(phase_mean(series.samples, series.phases), 8.42, 0.03) << first;
  }
}

TEST(WithoutPhases, LeavesTheNoiseAsItIs) {
  const auto series = in_turn(64, two_kernels);
  const auto level = without_phases(series.samples, series.phases);
  double squares = 0;
  for (const double value : level) {
    if (value < 10) squares += (value - 8.42) * (value - 8.42);
  }
  EXPECT_NEAR(std::sqrt(squares / 62), 0.1, 0.03);
  const std::vector<double> few{1, 2, 3};
  EXPECT_EQ(without_phases(few, std::vector<std::uint8_t>{0, 1, 2}), few);
  EXPECT_EQ(without_phases(few, {}), few);
}

TEST(PhaseEffect, FindsThePeriodAndHowFarPhasesDiffer) {
  struct Kind {
    std::vector<double> level;
    int period;
    double spread;
  };
  for (const auto& [level, period, spread] : {Kind{two_kernels, 4, 0.12}, Kind{{7, 8}, 2, 0.143},
                                              Kind{{5, 5, 5, 5, 5.6, 5.6, 5.6, 5.6}, 8, 0.121}}) {
    const auto series = in_turn(160, level, 3);
    const auto effect = phase_effect(series.samples, series.launches);
    ASSERT_TRUE(effect) << period;
    EXPECT_EQ(effect->period, period);
    EXPECT_NEAR(effect->spread, spread, 0.02) << period;
  }
}

TEST(PhaseEffect, IsFoundWithThreeSamplesOfEachPhase) {
  // As few as most cases have.
  for (std::size_t first = 0; first < 100; ++first) {
    auto series = in_turn(24, two_kernels, first);
    for (double& sample : series.samples) sample -= sample > 10 ? 4 : 0;  // no tail
    EXPECT_TRUE(phase_effect(series.samples, series.launches)) << first;
  }
}

TEST(PhaseEffect, FindsAPeriodThatDoesNotDivideTheirNumber) {
  const auto series = in_turn(160, {5, 6, 6, 5, 6});
  ASSERT_TRUE(phase_effect(series.samples, series.launches));
  EXPECT_EQ(phase_effect(series.samples, series.launches)->period, 5);
  std::vector<double> long_period(16, 5);
  std::fill(long_period.begin(), long_period.begin() + 4, 6);
  const auto twice = in_turn(320, long_period);
  ASSERT_TRUE(phase_effect(twice.samples, twice.launches));
  EXPECT_EQ(phase_effect(twice.samples, twice.launches)->period, 16);
}

TEST(PhaseEffect, ShowsNoneInNoise) {
  int shown = 0;
  for (std::size_t first = 0; first < 500; ++first) {
    const auto series = in_turn(64, {5}, first);
    shown += phase_effect(series.samples, series.launches) ? 1 : 0;
  }
  EXPECT_LE(shown, 3);
}

}  // namespace
}  // namespace apod
