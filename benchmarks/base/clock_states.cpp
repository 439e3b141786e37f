#include "benchmarks/base/clock_states.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/base/text/units.hpp"

namespace apod {
namespace {

constexpr double one_state = 1.02;  // the clocks of neighbouring samples differ by a percent
constexpr double few = 0.1;         // of the samples

struct ClockedSample {
  double mhz = 0;
  double seconds = 0;
};

std::vector<ClockedSample> clocked_samples(std::span<const Measurement* const> processes) {
  std::vector<ClockedSample> samples;
  for (const auto* process : processes) {
    const auto& clocks = process->clock.sample_mhz;
    for (std::size_t i = 0; i < std::min(process->samples_s.size(), clocks.size()); ++i) {
      const bool throttled = i < process->throttled.size() && process->throttled[i] != 0;
      if (clocks[i] == 0 || throttled) continue;
      samples.push_back({static_cast<double>(clocks[i]), process->samples_s[i]});
    }
  }
  return samples;
}

template <class Wanted>
ClockState state_of(const std::vector<ClockedSample>& samples, Wanted wanted) {
  std::vector<double> mhz;
  std::vector<double> seconds;
  for (const auto& sample : samples) {
    if (!wanted(sample)) continue;
    mhz.push_back(sample.mhz);
    seconds.push_back(sample.seconds);
  }
  return {stats::median(mhz), stats::median(seconds), mhz.size()};
}

std::string text_of(const ClockState& state) {
  return text::format_time(state.seconds) + " at " +
         text::format_quantity(state.mhz, text::Unit::megahertz) + " (" +
         std::to_string(state.samples);
}

}  // namespace

std::string ClockStates::text() const {
  return std::string(two ? "two clock states" : "the SM clock drifted") + ": " + text_of(slow) +
         " samples), " + text_of(fast) + ")";
}

std::optional<ClockStates> clock_states(std::span<const Measurement* const> processes) {
  const auto samples = clocked_samples(processes);
  if (samples.empty()) return std::nullopt;
  const auto [low, high] = std::ranges::minmax_element(
      samples, [](const auto& a, const auto& b) { return a.mhz < b.mhz; });
  const double middle = (low->mhz + high->mhz) / 2;
  const double sixth = (high->mhz - low->mhz) / 6;
  const auto between = std::ranges::count_if(
      samples, [&](const auto& sample) { return std::abs(sample.mhz - middle) < sixth; });
  ClockStates states{state_of(samples, [&](const auto& s) { return s.mhz < middle; }),
                     state_of(samples, [&](const auto& s) { return s.mhz >= middle; }),
                     static_cast<double>(between) < few * static_cast<double>(samples.size())};
  const bool differ = states.slow.samples > 0 && states.fast.mhz > one_state * states.slow.mhz;
  return differ ? std::optional(states) : std::nullopt;
}

}  // namespace apod
