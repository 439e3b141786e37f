#include "benchmarks/run/settle.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <limits>

namespace apod::run {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double steady_share = 0.01;
constexpr std::size_t readings_a_window = 50;
constexpr std::size_t fewest_readings = 4;

struct Reading {
  double at_s = 0;
  double mhz = 0;
  double watts = 0;
};

/// Whether the second half of the readings is like the first in what `of` gives.
bool is_flat(const std::deque<Reading>& readings, double Reading::*of) {
  const auto half = readings.size() / 2;
  double first = 0;
  double second = 0;
  for (std::size_t i = 0; i < half; ++i) {
    first += readings[i].*of;
    second += readings[readings.size() - 1 - i].*of;
  }
  return std::abs(second - first) <= steady_share * first;
}

}  // namespace

Settled settle(const std::function<void()>& work, const std::function<ClockReading()>& clock,
               const SettleLimits& limits) {
  const auto begin = Clock::now();
  const auto now_s = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  const double interval_s = limits.window_s / static_cast<double>(readings_a_window);
  std::deque<Reading> window;
  Settled result;
  while (!result.settled && result.seconds < limits.most_s) {
    work();
    result.seconds = now_s();
    if (!window.empty() && result.seconds - window.back().at_s < interval_s) continue;
    const auto reading = clock();
    if (!reading.valid) {
      throw BackendError(BackendError::Code::unsupported,
                         "the SM clock can't be read (no NVML), so bench does not know when the "
                         "clock is steady; measure with clocks: burst");
    }
    window.push_back({result.seconds, reading.sm_mhz, reading.power_w});
    // The oldest reading stays as long as the window would be too short without it.
    while (window.size() > fewest_readings && result.seconds - window[1].at_s >= limits.window_s) {
      window.pop_front();
    }
    result.settled = window.size() >= fewest_readings &&
                     result.seconds - window.front().at_s >= limits.window_s &&
                     is_flat(window, &Reading::mhz) && is_flat(window, &Reading::watts);
  }
  result.low_mhz = std::numeric_limits<double>::infinity();
  for (const auto& reading : window) {
    result.low_mhz = std::min(result.low_mhz, reading.mhz);
    result.high_mhz = std::max(result.high_mhz, reading.mhz);
  }
  return result;
}

}  // namespace apod::run
