#pragma once

#include <optional>
#include <string>

#include "benchmarks/model/comparison.hpp"
#include "benchmarks/model/side.hpp"
#include "benchmarks/stats/summary.hpp"

namespace apod::compare {

/// What two sides' files say of one case's change.
struct FileEstimate {
  stats::MeanEstimate difference;  ///< ln(new) - ln(base)
  double base_s = 0;               ///< geometric means of the process medians, seconds
  double new_s = 0;
  double process_variance = 0;  ///< of ln time, one process of each side: s_b^2 + s_n^2
  double fixed_variance = 0;    ///< of the difference, whatever the number of processes
  bool from_sessions = false;   ///< the sessions' own means were the values
  std::string warning;          ///< one process only, and the like; may be empty
};

/// Welch on ln of the process medians, with the variance between sessions on top:
/// s_b^2 / n_b + s_n^2 / n_n + sigma^2 (1 / S_b + 1 / S_n), n processes in S sessions, sigma being
/// `session_deviation` (absent: cautious_deviation). Degrees of freedom by Satterthwaite, the
/// assumed part having none to lose. Where both sides have two sessions or more and no deviation is
/// given, the sessions' means are the values, and nothing is assumed. A side of one process borrows
/// the other's spread; two such sides are given the cautious one for their processes as well. Both
/// cases must have times.
FileEstimate estimate_change(const SideCase& base, const SideCase& new_case,
                             std::optional<double> session_deviation, double process_deviation = 0);

/// Processes a side with which a change of `effect` (ln) is found at `alpha` (two-sided) with
/// wanted_power; absent where no number is enough, because the sessions' spread decides.
std::optional<std::size_t> processes_needed(const FileEstimate& estimate, double effect,
                                            double alpha);

}  // namespace apod::compare
