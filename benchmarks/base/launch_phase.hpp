#pragma once

/// \file
/// The phase of a launch. The time of a kernel can depend on the number of earlier launches on its
/// stream, modulo a small number: the step from one kernel to the next waits in some phases and not
/// in others. See docs/launch-phase.md.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace apod {

/// The phase of a launch is its number modulo this. The periods that most processes find divide it:
/// 2, 4 and 8.
inline constexpr std::uint64_t launch_phases = 8;

/// The phases of launches whose numbers these are.
std::vector<std::uint8_t> phases_of(std::span<const std::uint64_t> launches);

/// The median of fewer samples is not robust.
inline constexpr std::size_t fewest_of_phase = 3;
/// With fewer samples a process can't tell whether phases differ, nor their period.
inline constexpr std::size_t fewest_for_period = fewest_of_phase * launch_phases;
/// Whether phases can change a time by more than `precision`, a share: on an H100 and an H200 they
/// differ by at most about 2 us.
constexpr bool phases_matter(double seconds, double precision) {
  return precision * seconds < 2e-6;
}

/// The time of samples that have phases, s: the mean, over the phases that occur, of the median of
/// each, so that all have equal weight. Fewer than fewest_of_phase samples per phase count as
/// within fences (stats::within_fences). Without phases, or with fewer samples than launch_phases,
/// the median of all; NaN for no samples.
double phase_mean(std::span<const double> samples, std::span<const std::uint8_t> phases);

/// The samples, s, shifted so that each phase has the same mean (of its samples within fences), and
/// all have the median phase_mean(). Distances from it are widened by sqrt(n / (n - k)) for n
/// samples in k phases, because the means come from the same few samples. With fewer than
/// fewest_of_phase samples per phase they are returned unchanged.
std::vector<double> without_phases(std::span<const double> samples,
                                   std::span<const std::uint8_t> phases);

/// How far the phases of a process differ.
struct PhaseEffect {
  /// Twice the standard deviation of the medians of the phases, without the part of their noise,
  /// over their mean. If four of eight phases are slow, that is 1.07 times the difference of the
  /// halves. If the period does not divide launch_phases, a phase is the launch's number modulo the
  /// period.
  double spread = 0;
  /// Least number of launches, at most 16, after which times repeat: folding by it explains as much
  /// of their variance as any other number, except for a twentieth.
  int period = 1;
};

/// `launches` has, for each sample, the number of launches before it, counted from any launch on.
/// Nothing if it is empty, or the samples don't show that phases differ: for each period with at
/// least three samples in each of its phases a test by ranks (stats::chance_of_share), at 1 in 1000
/// for all of them. A period is found only if the samples visit its phases, which does not follow
/// from a fixed number of launches per sample.
std::optional<PhaseEffect> phase_effect(std::span<const double> samples,
                                        std::span<const std::uint64_t> launches);

/// What most of the processes of a case say, each with its effect: that phases differ, then the
/// shortest of the periods after which the times of most of these repeat (else the longest) and the
/// mean of their spreads; otherwise 1 and 0. Nothing of no process.
std::optional<PhaseEffect> vote(std::span<const PhaseEffect> processes);

/// Whether all phases have equal weight in a time, if that is known: not if its period does not
/// divide launch_phases, nor if its samples visit fewer. 0 is not known.
std::optional<bool> weigh_alike(double period, double visited);

}  // namespace apod
