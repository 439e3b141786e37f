#include "benchmarks/base/clock_states.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace apod {
namespace {

/// Samples of 1 s at 1 GHz, and of as many cycles at other clocks.
Measurement at_clocks(const std::vector<int>& mhz) {
  Measurement measurement;
  for (const int clock : mhz) measurement.samples_s.push_back(1000.0 / clock);
  measurement.clock.sample_mhz = mhz;
  return measurement;
}

std::optional<ClockStates> states(const std::vector<Measurement>& measurements) {
  std::vector<const Measurement*> all;
  for (const auto& one : measurements) all.push_back(&one);
  return clock_states(all);
}

TEST(ClockStates, PartTheSamplesOfAllProcesses) {
  const auto found = states({at_clocks({2000, 2000, 1990}), at_clocks({1250, 2000, 1600})});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->slow.samples, 2u);
  EXPECT_EQ(found->fast.samples, 4u);
  EXPECT_DOUBLE_EQ(found->fast.mhz, 2000);
  EXPECT_DOUBLE_EQ(found->fast.seconds, 0.5);
  EXPECT_FALSE(found->two) << "1600 lies between";
}

TEST(ClockStates, AreTwoWhereNothingLiesBetween) {
  const auto found = states({at_clocks({2000, 2000, 1250, 1250, 1250})});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->text(),
            "two clock states: 800.0 ms at 1250 MHz (3 samples), 500.0 ms at 2000 MHz (2)");
}

TEST(ClockStates, AreNoneWithinTwoPercentOrWhereTheClockIsNotKnown) {
  EXPECT_FALSE(states({at_clocks({1980, 1980, 1980})}));
  EXPECT_FALSE(states({at_clocks({1980, 1965, 1935})})) << "1.9 % between the medians";
  EXPECT_TRUE(states({at_clocks({1980, 1965, 1930})}));
  EXPECT_FALSE(states({}));
  auto unknown = at_clocks({2000, 1000});
  unknown.clock.sample_mhz = {2000, 0};
  EXPECT_FALSE(states({unknown}));
  unknown.clock.sample_mhz.clear();
  EXPECT_FALSE(states({unknown}));
  auto throttled = at_clocks({2000, 1000});
  throttled.throttled = {0, 1};
  EXPECT_FALSE(states({throttled}));
}

}  // namespace
}  // namespace apod
