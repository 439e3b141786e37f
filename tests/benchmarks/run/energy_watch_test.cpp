#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <stdexcept>
#include <thread>

#include "benchmarks/run/passes/passes.hpp"

namespace apod::run {
namespace {

/// Marks every 0.1 s for 3 s; the power is `watts` and, in turn, `wobble` above and below it.
EnergyWatch watched(double watts, double wobble = 0, double run_s = 0) {
  EnergyWatch watch;
  double joules = 1e6;
  for (int i = 0; i <= 30; ++i) {
    watch.marks.push_back({0.1 * i, joules});
    joules += 0.1 * (watts + (i / 3 % 2 == 0 ? wobble : -wobble));
  }
  watch.run_s = run_s;
  return watch;
}

TEST(Energy, IsThePowerAboveIdleTimesTheTimeOfARun) {
  const auto found = estimate_energy(watched(100), watched(600, 0, 2e-3));
  EXPECT_NEAR(found.power_w.value, 500, 1e-6);
  EXPECT_NEAR(found.idle_w, 100, 1e-6);
  EXPECT_EQ(found.run_s, 2e-3);
  EXPECT_TRUE(found.is_resolvable());
  // Nothing scatters, so the interval is that of the steps: 600 W and 100 W, each times
  // 0.1 / (3 sqrt(6)), and t of nine degrees.
  EXPECT_NEAR(found.power_w.high - 500, 2.262 * std::hypot(600, 100) * 0.1 / (3 * std::sqrt(6.0)),
              0.05);
}

TEST(Energy, HasAWiderIntervalWhereThePowerMoves) {
  const auto calm = estimate_energy(watched(100), watched(600));
  const auto moving = estimate_energy(watched(100), watched(600, 60));
  EXPECT_GT(moving.power_w.high - moving.power_w.low, 1.5 * (calm.power_w.high - calm.power_w.low));
}

TEST(Energy, IsNotResolvableNextToNothing) {
  EXPECT_FALSE(estimate_energy(watched(100), watched(101)).is_resolvable());
  EXPECT_FALSE(estimate_energy(watched(100), watched(90)).is_resolvable());
  EXPECT_FALSE(estimate_energy(watched(100), watched(600, 590)).is_resolvable());
}

TEST(WatchEnergy, SeesTheStepsOfTheCounterAndTheTimeOfARun) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const auto steps = [&] {  // 2 J every 10 ms
    return 2.0 * static_cast<double>((Clock::now() - begin) / std::chrono::milliseconds(10));
  };
  const auto seen = watch_energy(
      steps,
      [] {
        std::this_thread::sleep_for(std::chrono::milliseconds(4));
        return 2;
      },
      0.1);
  ASSERT_GE(seen.marks.size(), 2u);
  EXPECT_GE(seen.marks.back().at_s - seen.marks.front().at_s, 0.1);
  for (std::size_t i = 1; i < seen.marks.size(); ++i) {
    EXPECT_GT(seen.marks[i].joules, seen.marks[i - 1].joules);
  }
  EXPECT_GE(seen.run_s, 2e-3);
}

TEST(WatchEnergy, EndsWithACounterThatStandsStillAndWithWhatFails) {
  const auto nothing = [] { return 0; };
  EXPECT_THROW(watch_energy([] { return 5.0; }, nothing, 0.01), std::runtime_error);
  EXPECT_THROW(watch_energy([]() -> double { throw std::domain_error("no counter"); }, nothing, 1),
               std::domain_error);
  EXPECT_THROW(
      watch_energy([] { return 5.0; }, []() -> int { throw std::domain_error("no device"); }, 1),
      std::domain_error);
}

}  // namespace
}  // namespace apod::run
