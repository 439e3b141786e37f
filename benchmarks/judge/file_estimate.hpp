#pragma once

/// \file
/// What two sides' files say of one case's change.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "benchmarks/base/comparison.hpp"
#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/base/stats/moderated_variance.hpp"
#include "benchmarks/judge/side_logs.hpp"

namespace apod::judge {

/// Below this p, sessions vary more than their calibration says, and are judged by themselves.
constexpr double contradiction_level = 0.01;

/// What is known of a case's spread before its two sides are held against each other.
struct Prior {
  std::optional<double> session_deviation;  ///< of ln time, given by hand: exact
  const KnownSpread* calibration = nullptr;
  const KnownSpread* history = nullptr;  ///< of the base's days; comes before a calibration
  /// Variance between the processes of a session, moderated over the cases of each side; 0 degrees
  /// where a side has one process a session.
  stats::VarianceEstimate base_processes;
  stats::VarianceEstimate new_processes;
  bool other_machine = false;  ///< another board or host
  bool has_suite = false;      ///< enough cases that their differences tell the spread
  bool other_day = false;      ///< the sides are of different days, or it is not known

  /// Whether board_deviation is added to each side.
  bool assumes_board() const {
    return other_machine && (calibration == nullptr || !calibration->boards);
  }
};

struct FileEstimate {
  double change = 0;  ///< ln(new) - ln(base)
  /// Of the change, as far as anything is known of it ...
  stats::VarianceEstimate known;
  /// ... and what is only assumed of the spread between sessions; 0: nothing is assumed.
  stats::VarianceEstimate assumed;
  stats::Tails tails;  ///< of the change in standard errors of `known`
  double base_s = 0;   ///< geometric means, seconds
  double new_s = 0;
  Replicate replicate = Replicate::process;  ///< what was averaged; below: "units"
  std::size_t base_units = 0;
  std::size_t new_units = 0;
  std::size_t base_processes = 0;
  std::size_t new_processes = 0;
  double range = 0;  ///< the largest ln ratio of two processes of one day
  SessionSource session_source = SessionSource::assumed;
  double session_deviation = 0;  ///< of ln time
  /// Of ln time, one unit of each side together, its degrees of freedom decided by their number.
  double unit_variance = 0;
  stats::VarianceEstimate fixed;  ///< of the change, whatever the number of units
  std::string warning;            ///< one process only, and the like; may be empty
  bool assumes_board = false;     ///< Prior::assumes_board
  /// Sessions' spread was given by hand, and a side has the processes to tell theirs.
  bool is_given = false;
  /// Other processes kept a machine busy: the assumed spread is that of a quiet one.
  bool busy = false;

  /// The change with all its uncertainty.
  stats::MeanEstimate total() const;
  /// Processes of the side that has fewer.
  std::size_t fewest() const { return std::min(base_processes, new_processes); }
  /// Whether the spread is known from elsewhere than from these processes.
  bool is_known() const {
    return is_given || session_source == SessionSource::calibration ||
           session_source == SessionSource::history;
  }
  /// Whether so few processes make an interval.
  bool has_interval() const { return is_known() || fewest() >= fewest_for_interval; }
  /// Whether so few processes may convict: fewer where the other cases tell the spread, and none on
  /// a busy machine of which nothing is known.
  bool may_convict() const {
    const bool is_learnt = session_source == SessionSource::suite;
    if (busy && session_source == SessionSource::assumed) return false;
    return is_known() || fewest() >= (is_learnt ? fewest_for_interval : fewest_processes);
  }
};

/// The sum of independent estimates, with Satterthwaite's degrees (1946, "An approximate
/// distribution of estimates of variance components"); parts without variance don't count.
stats::VarianceEstimate sum_of(std::initializer_list<stats::VarianceEstimate> parts);

/// `change`, whose variance and degrees are widened by the tails.
stats::MeanEstimate widened(double change, const stats::VarianceEstimate& variance,
                            const stats::Tails& tails);

/// The difference of the means of ln time, and its variance. With n processes on a side, n_i of
/// them in session i, that spread by s within a session,
///
///   s_b^2 / n_b + s_n^2 / n_n + tick^2 / 6 + sigma^2 k
///   k = sum over sides and sessions of (n_i / n)^2
///
/// sigma, between sessions, is given by hand, or assumed (cautious_deviation, with
/// degrees_of_assumptions). If the side with fewer degrees has the smaller s^2, it takes the other
/// side's, and the two then share one estimate. Where neither side has two processes in a session,
/// cautious_deviation is assumed for processes too.
///
/// With a known spread, of sessions of p processes whose means vary by M and whose processes by W,
///
///   k M + (1 / n_b + 1 / n_n - k / p) W + max(0, s_b^2 - W) / n_b + max(0, s_n^2 - W) / n_n
///
/// with the coefficient of W at least 0: sigma^2 = M - W / p put in, and sorted so that no part is
/// negative. A calibration of one day knows no differences between days: cautious_deviation is
/// assumed for them. Of a history the units are days: k = 1 / (base's days) + 1 / (new side's).
///
/// With no sigma, two days or more on both sides and no suite, the means of the days are the
/// values, and nothing is assumed. So they are with a calibration that they contradict: by an F
/// test at contradiction_level.
FileEstimate estimate_change(const SideLogs& base, const SideLogs& new_side, const Prior& prior);

/// Units a side with which a change of `effect` (ln) is significant at `alpha` (two-sided) with
/// wanted_power; absent where no number is enough, because the spread between sessions decides.
std::optional<std::size_t> units_needed(const FileEstimate& estimate, double effect, double alpha);

}  // namespace apod::judge
