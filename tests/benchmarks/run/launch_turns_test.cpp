#include "benchmarks/run/launch_turns.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

namespace apod::run {
namespace {

struct Visits {
  std::vector<double> samples;
  std::vector<std::uint64_t> launches;
};

/// The launch that begins the next sample.
std::uint64_t next(std::uint64_t begun, std::uint64_t counted, const LaunchTurns& turns) {
  return begun + counted + 1 + static_cast<std::uint64_t>(turns.empty());
}

/// Samples of `counted` launches each, a third of which are slow if times depend on the number of
/// launches before, modulo `period`; with noise of a third of the difference.
Visits visits(std::size_t count, std::uint64_t counted, std::uint64_t period, unsigned seed = 0) {
  LaunchTurns turns({seed});
  std::uint64_t begun = 17;
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, 0.1);
  Visits all;
  for (std::size_t i = 0; i < count; ++i) {
    const auto launches = turns.turn(begun, counted);
    begun = next(begun, counted, turns);
    const bool is_slow = launches % period < (period + 2) / 3;
    all.launches.push_back(launches);
    all.samples.push_back((is_slow ? 5.3 : 5) + noise(random));
  }
  return all;
}

TEST(LaunchTurns, CountTheLaunchesThatWereMade) {
  LaunchTurns turns({3});
  std::uint64_t begun = 1000;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(turns.turn(begun, 7), begun - 1000);
    begun = next(begun, 7, turns) + (i % 10 == 9 ? 5 : 0);  // now and then others come between
  }
}

TEST(LaunchTurns, LeaveThePhaseOfWhatDoesNotCountToAnother) {
  LaunchTurns turns({4});
  std::array<int, launch_phases> seen{};
  std::uint64_t begun = 0;
  for (std::size_t i = 0; i < 5 * launch_phases;) {
    const bool counts = (begun / 3) % 4 != 0;
    const auto launches = turns.turn(begun, 6, counts);
    if (counts) ++seen.at(launches % launch_phases);
    i += counts ? 1 : 0;
    begun = next(begun, 6, turns);
  }
  for (const int visits : seen) EXPECT_EQ(visits, 5);
}

TEST(LaunchTurns, AnotherSeedIsAnotherOrder) {
  std::set<std::vector<int>> orders;
  for (std::uint32_t process = 0; process < 8; ++process) {
    for (std::uint32_t index = 0; index < 8; ++index) {
      LaunchTurns turns({process, index});
      std::uint64_t begun = 0;
      std::vector<int> order;
      for (int i = 0; i < 40; ++i) {
        turns.turn(begun, 5);
        order.push_back(turns.empty());
        begun = next(begun, 5, turns);
      }
      orders.insert(order);
    }
  }
  EXPECT_EQ(orders.size(), 64U);
}

TEST(LaunchTurns, VisitEachPhaseOnceInEachRound) {
  for (std::uint64_t counted = 1; counted <= 16; ++counted) {
    const auto phases = phases_of(visits(80, counted, 4).launches);
    for (std::size_t round = 0; round < phases.size(); round += launch_phases) {
      std::array<int, launch_phases> seen{};
      for (std::size_t i = round; i < round + launch_phases; ++i) ++seen.at(phases[i]);
      EXPECT_EQ(*std::max_element(seen.begin(), seen.end()), 1) << counted;
    }
  }
}

TEST(LaunchTurns, BeginARoundWithTheFirstSampleThatCounts) {
  for (int warm_up = 1; warm_up < 20; ++warm_up) {
    LaunchTurns turns({1});
    std::uint64_t begun = 0;
    const auto turn = [&] {
      const auto launches = turns.turn(begun, 5);
      begun = next(begun, 5, turns);
      return launches;
    };
    for (int i = 0; i < warm_up; ++i) turn();
    turns.begin_round();
    std::array<int, launch_phases> seen{};
    for (std::size_t i = 0; i < 3 * launch_phases; ++i) ++seen.at(turn() % launch_phases);
    EXPECT_EQ(*std::min_element(seen.begin(), seen.end()), 3) << warm_up;
  }
}

// A fixed step of nine launches, say, hides periods of 3 and 9, and makes 6 look like 2.
TEST(LaunchTurns, LetEveryPeriodBeFound) {
  for (const std::uint64_t period : {2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 12u, 16u}) {
    for (std::uint64_t counted = 5; counted <= 20; ++counted) {
      const auto seen = visits(320, counted, period, static_cast<unsigned>(counted));
      const auto effect = phase_effect(seen.samples, seen.launches);
      ASSERT_TRUE(effect) << period << " behind " << counted;
      EXPECT_EQ(effect->period, static_cast<int>(period)) << "behind " << counted;
    }
  }
}

TEST(LaunchTurns, FindNoPeriodWhereThereIsNone) {
  int found = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    const auto seen = visits(64, 6, 1, seed);
    found += phase_effect(seen.samples, seen.launches) ? 1 : 0;
  }
  EXPECT_LE(found, 3);
}

// A fixed order takes 3.5, averaged over all counts, and so does one in which every phase is drawn.
TEST(LaunchTurns, MakeFewEmptyLaunches) {
  for (std::uint64_t counted = 1; counted <= 16; ++counted) {
    LaunchTurns turns({1});
    std::uint64_t begun = 0;
    int empty = 0;
    for (int i = 0; i < 8000; ++i) {
      turns.turn(begun, counted);
      begun = next(begun, counted, turns);
      empty += turns.empty();
    }
    EXPECT_LE(empty, 8000 * 2.5) << counted;
  }
}

}  // namespace
}  // namespace apod::run
