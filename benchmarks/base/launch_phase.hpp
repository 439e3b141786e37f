#pragma once

/// \file
/// The phase of a launch. What a kernel takes can depend on how many launches its stream had before
/// it, modulo a small number: the step from a kernel to the next waits in some phases and not in
/// others. See docs/measuring.md.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace apod {

/// The phase of a launch is its number modulo this. Every period that was seen divides it: 2, 4
/// and 8.
inline constexpr std::uint64_t launch_phases = 8;

/// The time of samples that have phases, s: the mean over the phases that occur of the median of
/// each, so that all weigh alike. Without phases (none given) their median; NaN for no samples.
double phase_mean(std::span<const double> samples, std::span<const std::uint8_t> phases);

/// The samples, s, where each phase has the same median, that of all by phase_mean(). Distances
/// from it are wider by sqrt(n / (n - k)) for n samples in k phases: the medians of few samples lie
/// among them. Fewer than two samples a phase are returned as they are.
std::vector<double> without_phases(std::span<const double> samples,
                                   std::span<const std::uint8_t> phases);

/// How far the phases of a process differ.
struct PhaseEffect {
  /// Twice the standard deviation of the medians of the phases, without what their noise gives,
  /// over their mean. Where half of the phases are slow, that is the difference of the halves.
  double spread = 0;
  /// Least number of launches, at most 16, after which times repeat: folded by it they show as much
  /// as by any other, but for a twentieth of their variance.
  int period = 1;
};

/// Nothing where there are no phases, or the samples don't show that they differ: for each period
/// with at least three samples of each of its phases a test by ranks (Kruskal & Wallis 1952, "Use
/// of ranks in one-criterion variance analysis"), at 1 in 1000 for all of them.
std::optional<PhaseEffect> phase_effect(std::span<const double> samples,
                                        std::span<const std::uint8_t> phases);

}  // namespace apod
