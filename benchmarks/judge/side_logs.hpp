#pragma once

/// \file
/// A side's times as a judgement of files sees them: logarithms, by process, session and day.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "benchmarks/base/side.hpp"
#include "benchmarks/base/stats/moderated_variance.hpp"
#include "benchmarks/judge/sessions.hpp"

namespace apod::judge {

/// The least standard deviation of ln time that is believed. Values that agree to the last digit
/// don't prove that times repeat exactly.
constexpr double least_deviation = 1e-4;

/// One case of one side.
struct SideLogs {
  /// `c` must have times.
  SideLogs(const SideCase& c, const Side& side, const Days& days);

  struct Day {
    double mean = 0;  ///< of ln s, over its processes
    std::size_t processes = 0;
  };

  double time_s = 0;          ///< that of `mean`, so that two of them have the change's ratio
  double mean = 0;            ///< of ln s, over the processes
  std::size_t processes = 0;  ///< repetitions of one process are one
  std::size_t sessions = 0;
  /// Of one process within its session, or where sessions have one each, among those of a day; 0
  /// degrees: not known.
  stats::VarianceEstimate own;
  /// Variance among the sessions of a day, beyond what their processes explain, and the degrees of
  /// freedom with which it is known; 0 degrees: not known.
  stats::VarianceEstimate between_sessions;
  double tick = 0;        ///< of the timer, as a share of the time
  double least = 0;       ///< ln s, of the fastest process
  double most = 0;        ///< ln s, of the slowest
  std::vector<Day> days;  ///< by number; without processes where the case was not measured
  std::vector<double> session_means;  ///< of ln s, by session; NaN where it was not measured
};

/// The last digit that files give of these times, s: they are multiples of it, and three different
/// ones or two neighbours show that it is in use. Absent where nothing shows it, or where it is
/// more than 15 % of the shortest.
std::optional<double> last_digit(std::span<const double> seconds);

/// The mean of sample variances with so many degrees of freedom whose median this is, which is (1 -
/// 2 / 9d)^3 of it (Wilson & Hilferty 1931, "The distribution of chi-square", PNAS 17(12)).
double mean_by_median(double variance, double degrees);

/// The finer tick of both sides, as a share of the time.
double tick_of(const SideLogs& base, const SideLogs& new_side);

}  // namespace apod::judge
