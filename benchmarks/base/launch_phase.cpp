#include "benchmarks/base/launch_phase.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/base/stats/ranks.hpp"

namespace apod {
namespace {

constexpr double one_in_1000 = 0.001;  // of all periods that are tried together
constexpr std::size_t longest_period = 16;
constexpr double as_much = 0.05;

using ByPhase = std::array<std::vector<double>, longest_period>;

ByPhase by_phase(std::span<const double> samples, std::span<const std::uint8_t> phases) {
  ByPhase parts;
  for (std::size_t i = 0; i < samples.size(); ++i)
    parts[phases[i] % longest_period].push_back(samples[i]);
  return parts;
}

/// Of each phase that occurs.
std::vector<double> medians_of(const ByPhase& parts) {
  std::vector<double> medians;
  for (const auto& part : parts) {
    if (!part.empty()) medians.push_back(stats::median(part));
  }
  return medians;
}

bool enough(std::size_t samples, std::size_t phases) {
  return samples >= fewest_of_phase * phases;
}

std::vector<std::uint8_t> modulo(std::span<const std::uint64_t> launches, std::uint64_t divisor) {
  std::vector<std::uint8_t> phases;
  phases.reserve(launches.size());
  for (const auto launch : launches) phases.push_back(static_cast<std::uint8_t>(launch % divisor));
  return phases;
}

}  // namespace

std::vector<std::uint8_t> phases_of(std::span<const std::uint64_t> launches) {
  return modulo(launches, launch_phases);
}

double phase_mean(std::span<const double> samples, std::span<const std::uint8_t> phases) {
  if (phases.size() != samples.size() || phases.size() < launch_phases)
    return stats::median(samples);
  const auto medians = medians_of(by_phase(samples, phases));
  if (enough(samples.size(), medians.size())) return stats::mean(medians);
  return stats::mean(medians_of(by_phase(stats::within_fences(samples), phases)));
}

std::vector<double> without_phases(std::span<const double> samples,
                                   std::span<const std::uint8_t> phases) {
  std::vector<double> level(samples.begin(), samples.end());
  if (phases.size() != samples.size()) return level;
  const auto medians = medians_of(by_phase(samples, phases));
  if (!enough(samples.size(), medians.size())) return level;
  // Distances from a median of three are too short, because one of the three is the median.
  std::array<double, longest_period> centers{};
  std::ranges::transform(by_phase(samples, phases), centers.begin(), [](const auto& part) {
    return part.empty() ? 0 : stats::mean(stats::within_fences(part));
  });
  for (std::size_t i = 0; i < level.size(); ++i) level[i] -= centers[phases[i] % longest_period];
  const auto n = static_cast<double>(samples.size());
  const double wider = std::sqrt(n / (n - static_cast<double>(medians.size())));
  const double middle = stats::median(level);
  for (auto& one : level) one = stats::mean(medians) + wider * (one - middle);
  return level;
}

std::optional<PhaseEffect> phase_effect(std::span<const double> samples,
                                        std::span<const std::uint64_t> launches) {
  if (launches.size() != samples.size()) return std::nullopt;
  const auto n = static_cast<double>(samples.size());
  const auto ranks = stats::mean_ranks(samples);
  std::array<double, longest_period + 1> shown{};  // without what as many groups show by chance
  bool differ = false;
  for (std::size_t period = 2; period <= longest_period; ++period) {
    if (samples.size() < fewest_of_phase * period) break;
    const double share = stats::share_between(ranks, launches, period);
    differ |= stats::chance_of_share(share, samples.size(), period) * longest_period < one_in_1000;
    shown[period] = 1 - (1 - share) * (n - 1) / (n - static_cast<double>(period));
  }
  if (!differ) return std::nullopt;
  const double most = *std::ranges::max_element(shown);
  const auto least = std::find_if(shown.begin() + 2, shown.end(),
                                  [&](double share) { return share >= most - as_much; });

  const auto period = static_cast<std::uint64_t>(least - shown.begin());
  const auto phases = modulo(launches, launch_phases % period == 0 ? launch_phases : period);
  const auto medians = medians_of(by_phase(samples, phases));
  const auto level = without_phases(samples, phases);
  constexpr double quartiles_of_normal = 1.349;
  const double noise =
      (stats::quantile(level, 0.75) - stats::quantile(level, 0.25)) / quartiles_of_normal;
  const double of_median =
      std::numbers::pi / 2 * stats::square(noise) / (n / static_cast<double>(medians.size()));
  const double variance = stats::square(stats::standard_deviation(medians)) - of_median;
  return PhaseEffect{2 * std::sqrt(std::max(0.0, variance)) / stats::mean(medians),
                     static_cast<int>(period)};
}

std::optional<PhaseEffect> vote(std::span<const PhaseEffect> processes) {
  if (processes.empty()) return std::nullopt;
  std::vector<int> periods;
  double spreads = 0;
  for (const auto& [spread, period] : processes) {
    if (period > 1) periods.push_back(period);
    spreads += period > 1 ? spread : 0;
  }
  if (2 * periods.size() <= processes.size()) return PhaseEffect{};
  std::ranges::sort(periods);
  const auto repeat = [&](int period) {
    const auto divides = [&](int shorter) { return period % shorter == 0; };
    return 2 * std::ranges::count_if(periods, divides) > std::ssize(periods);
  };
  const auto common = std::ranges::find_if(periods, repeat);
  return PhaseEffect{spreads / static_cast<double>(periods.size()),
                     common == periods.end() ? periods.back() : *common};
}

std::optional<bool> weigh_alike(double period, double visited) {
  if (period > 0 && std::fmod(launch_phases, period) != 0) return false;
  if (visited == 0) return std::nullopt;
  return visited == launch_phases;
}

}  // namespace apod
