#pragma once

/// \file
/// Where the level of a series of runs, or of days, changed.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/stats/drift.hpp"

namespace apod::judge {

struct Levels {
  std::vector<double> values;  ///< as given, but an outlier counts as the level around it
  std::vector<std::size_t> outliers;
  std::vector<std::size_t> starts;    ///< of the levels after the first, ascending
  std::optional<stats::Drift> drift;  ///< of the last level, which has no steps in these values
};

/// Finds the steps of ln times by stats::change_points_in_time. The noise is that of n values times
/// margin_of_noise(n), and at least `least_noise`. A value that stands alone is an outlier and no
/// step: it lies more than 4 times the noise from the median of the five values around it and from
/// both neighbours. Values that take turns between levels (stats::taking_turns) have no step, be it
/// all of them or those from one step to another.
///
/// Of up to 500 values, a step that the series showed when it ended up to twelve values earlier
/// stays, the newest first, as long as with it each step is three quarters or more of what it was
/// when it was found. A last value that was an outlier then began a step if all values since then
/// lie as many times the noise out.
///
/// Values that rise or fall steadily at the end (stats::drift_at_end), by 1 % or more, are one
/// level that drifts, and no step in it is shown. Five to seven values drift if each is larger than
/// the one before, or each smaller, and the last differs from the first by a factor of 1.5. A drift
/// that the series showed when it ended up to 24 values earlier stays as a step at its middle, as
/// long as the mean of the values since then keeps 65 % of it and no step in it is known.
Levels levels_in_time(std::vector<double> values, double least_noise);

/// 1 + 2 / sqrt(n), because few values may look quieter than they are.
double margin_of_noise(std::size_t n);

/// "+10.0 %", "+10.0 % (median)", or "-17.0 to +10.0 %": a median of changes to both sides is no
/// change.
std::string changes_text(const std::vector<double>& changes);

}  // namespace apod::judge
