#include "benchmarks/run/settle.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>

namespace apod::run {
namespace {

constexpr SettleLimits short_limits{.window_s = 0.02, .most_s = 0.2};

void work_a_while() {
  std::this_thread::sleep_for(std::chrono::microseconds(200));
}

/// A clock that gives `mhz(i)` and `watts(i)` at its i-th reading.
template <class Mhz, class Watts>
Settled settled(Mhz mhz, Watts watts) {
  int i = 0;
  return settle(
      work_a_while,
      [&] {
        ++i;
        return ClockReading{.valid = true, .sm_mhz = mhz(i), .power_w = watts(i)};
      },
      short_limits);
}

TEST(Settle, EndsAfterOneWindowWithoutAChange) {
  const auto found = settled([](int i) { return 1500.0 + i % 2; }, [](int) { return 0.0; });
  EXPECT_TRUE(found.settled);
  EXPECT_GE(found.seconds, short_limits.window_s);
  EXPECT_EQ(found.low_mhz, 1500);
  EXPECT_EQ(found.high_mhz, 1501);
}

TEST(Settle, GivesUpWhereClockOrPowerKeepsMoving) {
  for (const bool power : {false, true}) {
    const auto rising = [](int i) { return 1000 * std::pow(1.02, i); };
    const auto flat = [](int) { return 1000.0; };
    const auto found = power ? settled(flat, rising) : settled(rising, flat);
    EXPECT_FALSE(found.settled) << power;
    EXPECT_GE(found.seconds, short_limits.most_s);
    EXPECT_EQ(found.high_mhz > found.low_mhz, !power);
  }
}

TEST(Settle, NeedsAClock) {
  EXPECT_THROW(settle(
                   work_a_while, [] { return ClockReading{}; }, short_limits),
               BackendError);
}

}  // namespace
}  // namespace apod::run
