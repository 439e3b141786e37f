#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "benchmarks/model/comparison.hpp"
#include "benchmarks/model/side.hpp"
#include "benchmarks/stats/means.hpp"
#include "benchmarks/stats/moderated_variance.hpp"

namespace apod::compare {

/// The least standard deviation of ln time that is believed. Clocks tick, so values that agree to
/// the last digit don't prove that times repeat exactly.
constexpr double least_deviation = 1e-4;

/// Below this p, sessions vary more than their calibration says, and are judged by themselves.
constexpr double contradiction_level = 0.01;

/// What is known of a case's spread before its files are looked at.
struct Prior {
  std::optional<double> session_deviation;  ///< of ln time, given by hand: exact
  const KnownSpread* known = nullptr;       ///< from a calibration; comes first
  stats::VarianceEstimate processes;        ///< process_prior of the comparison
};

/// With fewer cases, a comparison makes no prior from them.
constexpr std::size_t fewest_for_prior = 20;

/// The prior of the variance of ln time between the processes of a session, from all cases of a
/// comparison (stats::variance_prior). Nothing (0 degrees) for fewer than fewest_for_prior cases:
/// too few to see that their spreads differ.
stats::VarianceEstimate process_prior(
    std::span<const std::pair<const SideCase*, const SideCase*>> cases);

/// What two sides' files say of one case's change.
struct FileEstimate {
  stats::MeanEstimate difference;  ///< ln(new) - ln(base)
  double base_s = 0;               ///< geometric means, seconds
  double new_s = 0;
  Replicate replicate = Replicate::process;  ///< what was averaged; below: "units"
  std::size_t base_units = 0;
  std::size_t new_units = 0;
  SessionSource session_source = SessionSource::assumed;
  double session_deviation = 0;  ///< of ln time
  /// Of ln time, one unit of each side together, its degrees of freedom decided by their number.
  double unit_variance = 0;
  stats::VarianceEstimate fixed;  ///< of the difference, whatever the number of units
  std::string warning;            ///< one process only, and the like; may be empty
};

/// The difference of the means of ln time over processes, and its variance
///
///   s_b^2 / n_b + s_n^2 / n_n + sigma^2 k,   k = sum over sides and sessions (n_i / n)^2
///
/// for a side of n processes, n_i of them in session i, that spread by s within a session; sigma is
/// the standard deviation between sessions, given by hand or cautious_deviation. Degrees of freedom
/// after Satterthwaite 1946 ("An approximate distribution of estimates of variance components").
/// s^2 is moderated by the prior of the comparison's cases, which gets at most the degrees of the
/// side's own (all cases are measured by the same processes). If the side with fewer degrees has
/// the smaller s^2, it takes the other side's, and the two then share one estimate. Where neither
/// side has two processes in a session, cautious_deviation is assumed for processes too.
///
/// With a calibration, of sessions of p processes whose means vary by M and whose processes by W,
/// it is
///
///   k M + (1 / n_b + 1 / n_n - k / p) W + max(0, s_b^2 - W) / n_b + max(0, s_n^2 - W) / n_n
///
/// with the coefficient of W at least 0: sigma^2 = M - W / p put in, and sorted so that no part is
/// negative. More processes than were calibrated make it no smaller.
///
/// With no sigma and two sessions or more on both sides, their means are the values, and nothing is
/// assumed. So they are with a calibration that they contradict: by an F test at
/// contradiction_level.
///
/// Both cases must have times.
FileEstimate estimate_change(const SideCase& base, const SideCase& new_case, const Prior& prior);

/// Units a side with which a change of `effect` (ln) is significant at `alpha` (two-sided) with
/// wanted_power; absent where no number is enough, because the spread between sessions decides.
std::optional<std::size_t> units_needed(const FileEstimate& estimate, double effect, double alpha);

}  // namespace apod::compare
