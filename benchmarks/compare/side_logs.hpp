#pragma once

/// \file
/// A side's times as a judgement of files sees them: logarithms, by process, session and day.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "benchmarks/model/side.hpp"
#include "benchmarks/stats/moderated_variance.hpp"

namespace apod::compare {

/// The least standard deviation of ln time that is believed. Values that agree to the last digit
/// don't prove that times repeat exactly.
constexpr double least_deviation = 1e-4;

/// The days of a side. What happened to a machine between two days stays for all sessions of a day,
/// so these are one observation of it. A day ends with a gap of six hours, and after twelve. Where
/// a session has no date, all may be of one day, and are taken for that.
struct Days {
  std::vector<std::uint32_t> of_session;  ///< days are numbered in the order of their dates
  std::size_t count = 0;
  std::size_t undated = 0;      ///< sessions
  std::optional<double> first;  ///< date of the first session, s since 1970; where all have one
  std::optional<double> last;
};
Days days_of(const Side& side);

/// Whether one side ends before the other begins, so that time may explain what differs. False
/// where a date is missing.
bool lie_apart(const Days& a, const Days& b);

/// One case of one side.
struct SideLogs {
  /// `c` must have times.
  SideLogs(const SideCase& c, const Side& side, const Days& days);

  struct Day {
    double mean = 0;  ///< of ln s, over its processes
    std::size_t processes = 0;
  };

  double time_s = 0;          ///< estimate_time of the processes
  double mean = 0;            ///< of ln s, over the processes
  std::size_t processes = 0;  ///< repetitions of one process are one
  double session_weight = 0;  ///< k: sum over sessions of (n_i / n)^2
  double day_weight = 0;      ///< the same over days
  /// Of one process within its session, or as the sessions of a day tell it, whichever is larger; 0
  /// degrees: not known.
  stats::VarianceEstimate own;
  /// Of the value of a process that is the mean of its repetitions, within the process; 0 degrees
  /// where that is not known or a process is no mean.
  stats::VarianceEstimate repetitions;
  double range = 0;       ///< the largest ln ratio of two processes of one day
  double tick = 0;        ///< of the timer, as a share of the time
  std::vector<Day> days;  ///< by number; without processes where the case was not measured
};

}  // namespace apod::compare
